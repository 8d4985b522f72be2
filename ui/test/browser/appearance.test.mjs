// What screens look like, beside pictures that somebody has looked at: fourteen of them in both themes,
// on a rack that stands still and is the same every time.
//
// Fonts and browsers draw text differently, so pixels are only compared where both are those of the
// pictures; which they are stands beside them. Elsewhere the elements of each screen are compared, which
// depend on neither. `WRITE_PICTURES=yes ui/test/run PROGRAM test/browser/appearance.test.mjs` makes
// pictures and elements anew; look at them before they are committed.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PATIENCE_MS, browser, clean, demo, open } from './lab.mjs';

const PICTURES = new URL('../appearance/', import.meta.url).pathname;
const WRITES = process.env.WRITE_PICTURES === 'yes';
/** Of all pixels, so many may differ, and a channel by so much. */
const [MOST_DIFFERENT, TOLERANCE] = [0.001, 24];

const SCREENS = [
  ['fleet', '/ui/', '.map-canvas'],
  ['fleet-table', '/ui/?as=table', '.table'],
  ['nodes', '/ui/nodes', '.grid-row .node-link'],
  ['nodes-failed', '/ui/nodes?q=state:failed', '.grid-row .node-link'],
  ['node', '/ui/nodes/m05', '.tab-panel .chip, .tab-panel .fact'],
  ['failed-node', '/ui/nodes/m09', '.matter'],
  ['settings-of-a-node', '/ui/nodes/m05?tab=settings', '.tab-panel .table'],
  ['network-of-a-node', '/ui/nodes/m05?tab=network', '.tab-panel .table'],
  ['console-off', '/ui/nodes/m05?tab=console', '.tab-panel .empty'],
  ['deploy', '/ui/nodes/m05?do=deploy', '.plan .good, .plan .wrong'],
  ['enrol', '/ui/enrol', '.enrol-one .field'],
  ['new-rule', '/ui/rules/new', '.trial-panel'],
  ['batches', '/ui/batches', '.empty'],
  ['me', '/ui/me', '.rules'],
];

/**
 * What differs from one run to the next stands for itself: ages, moments, ports, identifiers of requests.
 * The page draws an age anew whenever it likes, also between this and the picture, so each change is
 * watched: an observer runs before the browser paints what was changed.
 */
const settled = () => {
  document.activeElement?.blur();
  if (window.isSettled) return;
  window.isSettled = true;
  const rules = [
    [/\b\d{4}-\d\d-\d\d(T| )\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+00:00)?/g, '2026-01-01 00:00'],
    [/\b\d\d:\d\d(:\d\d)?\b(?!:)/g, '00:00'],
    [/\b\d+(\.\d+)?\s(ms|s|min|h|d)\b(\s\d+\s(s|min|h|d)\b)?/g, '9 s'],
    [/\bjust now\b/g, '9 s'],
    [/127\.0\.0\.1:\d+/g, '127.0.0.1:6385'],
    [/\breq-[0-9a-f-]+/g, 'req-0'],
  ];
  const settle = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = rules.reduce((before, [pattern, word]) => before.replace(pattern, word), node.data);
      if (text !== node.data) node.data = text;
    }
  };
  // A conductor that looks at a machine holds it for a moment.
  const style = new CSSStyleSheet();
  style.replaceSync('.lock, .node-lock { display: none !important; }');
  document.adoptedStyleSheets.push(style);
  settle();
  new MutationObserver(settle).observe(document.body, { subtree: true, childList: true, characterData: true });
};

/** Names and classes of the elements, as deep as they are; equal neighbours are counted. */
const elements = () => {
  const lines = [];
  const walk = (element, depth) => {
    const groups = [];
    for (const child of element.children) {
      if (child.tagName === 'svg' || child.matches('.lock, .node-lock') || getComputedStyle(child).display === 'none') continue;
      const role = child.getAttribute('role');
      const name = [child.tagName.toLowerCase(), ...[...child.classList].sort()].join('.') + (role === null ? '' : `[${role}]`);
      const text = JSON.stringify([name, child.innerHTML.replace(/<span class="lock".*?<\/span><\/span>|<svg.*?<\/svg>/gs, '').match(/class="[^"]*"/g)]);
      const last = groups.at(-1);
      if (last?.text === text) last.count += 1;
      else groups.push({ text, name, child, count: 1 });
    }
    for (const { name, child, count } of groups) {
      lines.push(`${'  '.repeat(depth)}${name}${count > 1 ? ` ×${count}` : ''}`);
      walk(child, depth + 1);
    }
  };
  walk(document.getElementById('app'), 0);
  return lines.join('\n') + '\n';
};

/** Browser and fonts, by what they draw. */
async function drawnBy(chrome, page) {
  const drawn = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(900, 160);
    const context = canvas.getContext('2d');
    const style = getComputedStyle(document.body);
    const mono = getComputedStyle(document.documentElement).getPropertyValue('--mono') || 'monospace';
    for (const [at, font] of [`16px ${style.fontFamily}`, `700 16px ${style.fontFamily}`, `16px ${mono}`].entries()) {
      context.font = font;
      context.fillText('Hamburgefonstiv 0123456789 ✖ ● ‹ … – ▾ ✕', 4, 40 * (at + 1));
    }
    const { data } = context.getImageData(0, 0, 900, 160);
    let hash = 0x811c9dc5;
    for (const byte of data) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
    return hash.toString(16);
  });
  return `chromium ${chrome.version().split('.')[0]}, fonts ${drawn}`;
}

/** The share of pixels that differ, counted in the browser: no library reads pictures here. */
async function difference(page, first, second) {
  return page.evaluate(
    async ([one, two, tolerance]) => {
      const pixels = async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [a, b] = await Promise.all([pixels(one), pixels(two)]);
      if (a.width !== b.width || a.height !== b.height) return 1;
      let count = 0;
      for (let at = 0; at < a.data.length; at += 4) {
        if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > tolerance)) count += 1;
      }
      return count / (a.width * a.height);
    },
    [first.toString('base64'), second.toString('base64'), TOLERANCE],
  );
}

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo('--still', '--seed', '1', '--nodes', '60'), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

test('screens look as they were looked at', { skip: process.env.CORTEN_URL !== undefined }, async (suite) => {
  mkdirSync(PICTURES, { recursive: true });
  const judge = await (await chrome.newContext()).newPage();
  let patience = PATIENCE_MS;
  const opened = await open(chrome, service.url + '/ui/', { width: 1200, height: 800 });
  const { page } = opened;
  await page.locator('.live-live').waitFor();
  const [by, file] = [await drawnBy(chrome, page), join(PICTURES, 'drawn-by.txt')];
  if (WRITES) writeFileSync(file, `${by}\n`);
  const isSame = existsSync(file) && readFileSync(file, 'utf8').trim() === by;
  if (!isSame) suite.diagnostic(`PIXELS ARE NOT COMPARED: here it is ${by}, the pictures are of ${readFileSync(file, 'utf8').trim()}`);
  for (const [name, path, sign] of SCREENS) {
    await page.goto(service.url + path);
    await page.locator('.live-live').waitFor();
    await page.locator(sign).first().waitFor();
    await page.locator('.skeleton').waitFor({ state: 'detached' });
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme });
      await suite.test(`${name}, ${theme}`, async () => {
        const [known, shown] = [join(PICTURES, `${name}.txt`), join(PICTURES, `${name}-${theme}.png`)];
        const look = async () => {
          await page.evaluate(settled);
          return [await page.evaluate(elements), await page.screenshot({ animations: 'disabled', caret: 'hide' })];
        };
        if (WRITES) {
          // For a person who looks at it afterwards: whatever is still on its way has come.
          await page.waitForTimeout(1_500);
          const [outline, picture] = await look();
          writeFileSync(known, outline);
          writeFileSync(shown, picture);
          return;
        }
        const expected = readFileSync(known, 'utf8');
        const before = readFileSync(shown);
        const end = Date.now() + patience;
        for (;;) {
          const [outline, picture] = await look();
          const share = outline === expected && isSame ? await difference(judge, picture, before) : 0;
          if (outline === expected && share <= MOST_DIFFERENT) return;
          if (Date.now() < end) continue;
          // One change shows on many screens, and the others need not be waited for as long.
          patience = 0;
          const found = join(mkdtempSync(join(tmpdir(), 'corten-ui-picture-')), `${name}-${theme}.png`);
          writeFileSync(found, picture);
          assert.equal(outline, expected, `other elements than in ${known}; see ${found}`);
          assert.fail(`${(share * 100).toFixed(2)} % of the pixels differ from ${shown}; see ${found}`);
        }
      });
    }
  }
  clean(opened);
  await opened.close();
});
