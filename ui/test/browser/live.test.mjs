// What happens shows by itself; without the service the page says so, and afterwards it is right again.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PATIENCE_MS, ask, browser, clean, demo, enrol, open } from './lab.mjs';

let chrome;
before(async () => {
  chrome = await browser();
});
after(() => chrome?.close());

test('a change by another client shows without a click, in the list and on the node', async () => {
  const service = await demo('--still');
  try {
    const list = await open(chrome, `${service.url}/ui/nodes?q=name:m05`);
    const node = await open(chrome, `${service.url}/ui/nodes/m05`);
    await list.page.locator('.state-word', { hasText: 'available' }).waitFor();
    await node.page.locator('.node-head .state-word', { hasText: 'available' }).waitFor();
    assert.equal((await ask(service.url, 'PUT', '/v1/nodes/m05/states/provision', { target: 'manage' })).status, 202);
    await list.page.locator('.state-word', { hasText: 'manageable' }).waitFor();
    await node.page.locator('.node-head .state-word', { hasText: 'manageable' }).waitFor();
    await ask(service.url, 'DELETE', '/v1/nodes/m05');
    await node.page.locator('.banner', { hasText: 'deleted meanwhile' }).waitFor();
    clean(list);
    clean(node);
    await list.close();
    await node.close();
  } finally {
    await service.stop();
  }
});

test('while the service is away the page says since when, and then catches up', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  const first = await demo('--still');
  const opened = await open(chrome, `${first.url}/ui/nodes`);
  const { page } = opened;
  await page.locator('.live-live').waitFor();
  await page.locator('.node-link', { hasText: 'm01' }).waitFor();
  await first.stop();
  await page.locator('.lost').waitFor();
  const again = await demo('--still', '--port', new URL(first.url).port);
  try {
    await enrol(again.url, 'a-newcomer');
    await page.locator('.lost button').click();
    await page.locator('.lost').waitFor({ state: 'detached' });
    await page.locator('.node-link', { hasText: 'a-newcomer' }).waitFor();
    const shown = await page.locator('.grid-row .state-word').allInnerTexts();
    const { json } = await ask(again.url, 'GET', '/corten/v1/nodes?limit=100');
    assert.deepEqual(shown, json.nodes.map((row) => row.provision_state));
  } finally {
    await again.stop();
    await opened.close();
  }
});

async function streams(service) {
  const { text } = await ask(service.url, 'GET', '/corten/v1/metrics');
  return Number(/^corten_event_streams (\d+)/m.exec(text)?.[1] ?? 0);
}

/** What the browser says when a tab is shown or hidden. */
const show = (page, isShown) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, !isShown);

test('while the service is away nothing is asked for, by keyboard either', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  const service = await demo('--still');
  const opened = await open(chrome, `${service.url}/ui/nodes/m05`);
  const { page } = opened;
  await page.locator('.live-live').waitFor();
  await page.locator('.verbs .button[aria-disabled="false"]', { hasText: 'Deploy…' }).waitFor();
  await page.getByRole('button', { name: 'Rename of m05' }).click();
  await page.locator('dialog[open] .input').fill('typed-before');
  await service.stop();
  await page.locator('.lost').waitFor();
  const asked = [];
  page.on('request', (request) => request.method() !== 'GET' && asked.push(request.url()));
  // A form sends itself by Enter, whatever its button says.
  await page.locator('dialog[open] .input').press('Enter');
  await page.locator('.notice-error', { hasText: 'nothing was asked for' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  for (const button of await page.locator('.verbs > .button, .verbs > span > .button, .tab-panel .button').all()) {
    if ((await button.innerText()) === 'Show command' || (await button.getAttribute('aria-haspopup')) !== null) continue;
    assert.equal(await button.getAttribute('aria-disabled'), 'true', await button.innerText());
    assert.equal(await button.getAttribute('title'), 'the service does not answer');
    await button.focus();
    await page.keyboard.press('Enter');
  }
  await page.locator('.verbs [aria-haspopup]').first().focus();
  await page.keyboard.press('Enter');
  for (const item of await page.locator('.menu-list [role="menuitem"]').all()) assert.equal(await item.getAttribute('aria-disabled'), 'true', await item.innerText());
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  assert.deepEqual(asked, []);
  clean(opened);
  await opened.close();
});

test('tabs that are opened in the background hold no stream until they are shown', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  const service = await demo('--still');
  try {
    const seen = await open(chrome, `${service.url}/ui/`);
    await seen.page.locator('.live-live').waitFor();
    const context = seen.page.context();
    const tabs = [];
    for (let count = 0; count < 11; count += 1) {
      const tab = await context.newPage();
      await tab.addInitScript(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }));
      await tab.goto(`${service.url}/ui/nodes/m${String(count + 1).padStart(2, '0')}`);
      await tab.locator('.life').waitFor();
      tabs.push(tab);
    }
    // The last one is done with its first second, when it would have connected.
    await tabs.at(-1).waitForFunction(() => performance.now() > 2_000);
    for (const tab of tabs) await tab.locator('.live-paused').waitFor({ state: 'attached' });
    assert.equal(await streams(service), 1);
    assert.equal((await ask(service.url, 'PUT', '/v1/nodes/m05/maintenance', { reason: 'while nobody looked' })).status, 202);
    const last = tabs[4];
    await show(last, true);
    await last.locator('.live-live').waitFor({ state: 'attached' });
    await last.getByText('while nobody looked').first().waitFor();
    clean(seen);
    await seen.close();
  } finally {
    await service.stop();
  }
});

test('a page that is hidden holds no stream', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  const service = await demo('--still');
  try {
    const opened = await open(chrome, `${service.url}/ui/`);
    const { page } = opened;
    await page.locator('.live-live').waitFor();
    assert.equal(await streams(service), 1);
    await page.clock.install();
    await show(page, false);
    await page.clock.runFor(16_000);
    await page.locator('.live-paused').waitFor();
    const end = Date.now() + PATIENCE_MS;
    while ((await streams(service)) > 0) assert.ok(Date.now() < end, 'the stream is still open');
    await show(page, true);
    await page.locator('.live-live').waitFor();
    clean(opened);
    await opened.close();
  } finally {
    await service.stop();
  }
});
