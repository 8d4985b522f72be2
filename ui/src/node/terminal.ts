// A terminal for text that machines send. Whatever reaches out of the terminal (links, clipboard,
// titles, window operations, most queries) is swallowed: the machine is not trusted.

import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';

export { FitAddon, Terminal };

const SCROLLBACK = 5_000;
/** Titles, links, colours, clipboard and others that set or ask for something outside. */
const SWALLOWED_OSC = [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 110, 111, 112, 133, 777, 1337];

export function terminal(parent: HTMLElement, fontSize: number, textMode: boolean): { terminal: Terminal; fit: FitAddon } {
  const made = new Terminal({
    scrollback: SCROLLBACK,
    fontSize,
    fontFamily: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace",
    screenReaderMode: textMode,
    cursorBlink: false,
    convertEol: false,
    allowProposedApi: false,
    linkHandler: { activate: () => undefined },
    windowOptions: {},
    theme: { background: '#14130f', foreground: '#ece8e1', cursor: '#ece8e1', selectionBackground: '#5b4a3d' },
  });
  for (const code of SWALLOWED_OSC) made.parser.registerOscHandler(code, () => true);
  // Window operations, names of the terminal, and reports of modes and settings.
  made.parser.registerCsiHandler({ final: 't' }, () => true);
  made.parser.registerCsiHandler({ prefix: '>', final: 'q' }, () => true);
  made.parser.registerCsiHandler({ intermediates: '$', final: 'p' }, () => true);
  made.parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, () => true);
  made.parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true);
  made.parser.registerDcsHandler({ intermediates: '+', final: 'q' }, () => true);
  const fit = new FitAddon();
  made.loadAddon(fit);
  withoutStyleElements(() => made.open(parent));
  return { terminal: made, fit };
}

/**
 * While `work` runs, elements that are made for styles are inert, and what is written into them goes to
 * a constructed style sheet. The page's policy forbids inline styles, constructed ones are its own.
 */
export function withoutStyleElements(work: () => void): void {
  const make = document.createElement.bind(document);
  const instead = (name: string, options?: ElementCreationOptions): HTMLElement => (name === 'style' ? inertStyle(make) : make(name, options));
  document.createElement = instead as typeof document.createElement;
  try {
    work();
  } finally {
    // The method of the prototype is there again.
    Reflect.deleteProperty(document, 'createElement');
  }
}

function inertStyle(make: (name: string) => HTMLElement): HTMLElement {
  const element = make('corten-style');
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  let text = '';
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set: (next: string) => {
      text = next;
      sheet.replaceSync(next);
    },
  });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

/** The text of the whole buffer. */
export function textOf(from: Terminal): string {
  const { buffer } = from;
  const lines: string[] = [];
  for (let index = 0; index < buffer.active.length; index += 1) {
    lines.push(buffer.active.getLine(index)?.translateToString(true) ?? '');
  }
  return lines.join('\n').trimEnd() + '\n';
}

/** Selects the next line that has the words; false if none has. */
export function find(from: Terminal, words: string, start: number): number {
  const { active } = from.buffer;
  const wanted = words.toLowerCase();
  for (let step = 1; step <= active.length; step += 1) {
    const index = (start - step + active.length * 2) % active.length;
    const line = active.getLine(index)?.translateToString(true) ?? '';
    const column = line.toLowerCase().indexOf(wanted);
    if (column < 0) continue;
    from.scrollToLine(Math.max(0, index - Math.floor(from.rows / 2)));
    from.select(column, index, words.length);
    return index;
  }
  return -1;
}
