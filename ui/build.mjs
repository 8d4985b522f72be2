// Builds the page: `node build.mjs` writes ui/dist, ui/dist/MANIFEST and crates/ui/src/table.rs;
// `node build.mjs --check` builds into memory and says which committed file differs.
//
// The output depends on nothing but the files below ui and the pinned esbuild: names are hashes, there
// are no times, no absolute paths and no source maps, and lines are short enough for git to pack.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ui = dirname(fileURLToPath(import.meta.url));
const root = dirname(ui);
const check = process.argv.includes('--check');

/** Every file below a folder, as paths relative to `ui`, in a fixed order. */
function files(folder) {
  const found = readdirSync(join(ui, folder), { withFileTypes: true, recursive: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ui, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

const common = {
  absWorkingDir: ui,
  bundle: true,
  minify: true,
  write: false,
  target: ['chrome111', 'firefox115', 'safari16.4'],
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'warning',
  outdir: 'dist/assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  metafile: true,
};

const [page, screen, boot] = await Promise.all([
  build({ ...common, entryPoints: ['src/main.tsx', 'src/style/main.css'], format: 'esm', splitting: true }),
  // A document of its own, with its own policy; the page shares nothing with it.
  build({ ...common, entryPoints: ['src/vnc.ts', 'src/style/vnc.css'], format: 'esm' }),
  // Runs before the first paint, so it is no module.
  build({ ...common, entryPoints: ['src/boot.ts'], format: 'iife' }),
]);

const output = new Map();
for (const file of [...page.outputFiles, ...screen.outputFiles, ...boot.outputFiles]) {
  output.set('assets/' + basename(file.path), Buffer.from(file.contents));
}

const named = (start, end) => {
  const found = [...output.keys()].find((name) => basename(name).startsWith(start + '-') && name.endsWith(end));
  if (!found) throw new Error(`no ${start}…${end} was built`);
  return '/ui/' + found;
};
for (const [name, part] of [
  ['index.html', 'main'],
  ['vnc.html', 'vnc'],
]) {
  const html = readFileSync(join(ui, 'src', name), 'utf8')
    .replace('BOOT_JS', named('boot', '.js'))
    .replace(`${part.toUpperCase()}_CSS`, named(part, '.css'))
    .replace(`${part.toUpperCase()}_JS`, named(part, '.js'));
  output.set(name, Buffer.from(html));
}
output.set('favicon.svg', readFileSync(join(ui, 'src/favicon.svg')));

// Whose work is in the page, with the words that have to go with it.
const shipped = Object.entries(JSON.parse(readFileSync(join(ui, 'package.json'), 'utf8')).dependencies);
/** Where they stand, if not in LICENSE; noVNC has parts of others. */
const WORDS = {
  '@novnc/novnc': ['LICENSE.txt', 'AUTHORS', 'docs/LICENSE.MPL-2.0', 'vendor/pako/LICENSE'],
};
/** The MPL asks to be told where the source is. */
const SOURCES = {
  '@novnc/novnc': 'Its files are unchanged, bundled and made smaller. Their source is the npm package of this name and version.\n\n',
};
const licences = shipped.map(([name, version]) => {
  const texts = (WORDS[name] ?? ['LICENSE']).map((file) => readFileSync(join(ui, 'node_modules', name, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return `${name} ${version}\n\n${SOURCES[name] ?? ''}${texts.join('\n\n')}\n`;
});
output.set('licences.txt', Buffer.from(licences.join(`\n${'-'.repeat(72)}\n\n`)));

const sources = [...files('src'), 'build.mjs', 'package-lock.json', 'package.json', 'tsconfig.json'].sort();
const names = [...output.keys()].sort();
const manifest = [
  ...sources.map((name) => `${sha256(readFileSync(join(ui, name)))}  ${name}`),
  ...names.map((name) => `${sha256(output.get(name))}  dist/${name}`),
];
output.set('MANIFEST', Buffer.from(manifest.join('\n') + '\n'));

const table = `//! The built page, file by file. Written by \`make ui\`; not by hand.

use crate::File;

pub(crate) const FILES: &[File] = &[
${names
  .map((name) => `    File {\n        name: "${name}",\n        bytes: include_bytes!("../../../ui/dist/${name}"),\n    },`)
  .join('\n')}
];
`;

const committed = new Map([...output].map(([name, bytes]) => [join('ui/dist', name), bytes]));
committed.set('crates/ui/src/table.rs', Buffer.from(table));

if (check) {
  const stale = [...committed].filter(([path, bytes]) => {
    try {
      return !readFileSync(join(root, path)).equals(bytes);
    } catch {
      return true;
    }
  });
  const left = files('dist').filter((name) => !committed.has(join('ui', name)));
  const findings = [...stale.map(([path]) => `${path} is stale`), ...left.map((name) => `ui/${name} is left over`)];
  if (findings.length > 0) {
    console.error(`ui: run 'make ui'\n  ${findings.join('\n  ')}`);
    process.exit(1);
  }
  console.log(`ui: ${committed.size} files are as built`);
} else {
  rmSync(join(ui, 'dist'), { recursive: true, force: true });
  for (const [path, bytes] of committed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
  console.log(`ui: ${committed.size} files`);
}
