// A reporter of Node's test runner that writes the files whose tests failed, one a line.

export default async function* failedFiles(source) {
  for await (const event of source) {
    if (event.type === 'test:fail' && event.data.file !== undefined) yield `${event.data.file}\n`;
  }
}
