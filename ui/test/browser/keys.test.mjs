// A newcomer's path without a pointer: enrol, manage, provide, deploy, console, undeploy.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, clean, demo, enrol, open, until } from './lab.mjs';

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

/** Tabs until the focused element has this text or label. */
async function tabTo(page, words, key = 'Tab') {
  for (let count = 0; count < 80; count += 1) {
    const text = await page.evaluate(() => {
      const at = document.activeElement;
      const label = at.id === '' ? null : document.querySelector(`label[for="${CSS.escape(at.id)}"]`);
      return [at.getAttribute('aria-label'), label?.textContent, at.textContent].filter(Boolean).join(' | ');
    });
    if (words.test(text)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`nothing to focus has ${words}`);
}

/** A verb that can be asked for. */
const verb = (page, word) => page.locator('.verbs .button[aria-disabled="false"]', { hasText: word }).waitFor();
const state = (page, word) => page.locator('.node-head .state-word', { hasText: new RegExp(`^${word}$`) }).waitFor();

test('a machine is enrolled, deployed, looked at and taken back by keyboard alone', async () => {
  const opened = await open(chrome, service.url + '/ui/');
  const { page } = opened;
  await page.locator('.map-canvas').waitFor();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('Enrol');
  await page.locator('.palette-row', { hasText: 'Enrol machines' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.enrol-one').waitFor();
  // A choice that is not there yet cannot be typed.
  await page.locator('.enrol-one option', { hasText: 'fake-hardware' }).waitFor({ state: 'attached' });
  await tabTo(page, /^Driver/);
  await page.keyboard.type('fake-hardware');
  await tabTo(page, /^Name/);
  await page.keyboard.type('by-keys');
  await page.keyboard.press('Enter');
  await state(page, 'manageable');

  await verb(page, 'Provide');
  await page.keyboard.press('.');
  await tabTo(page, /^Provide/);
  await page.keyboard.press('Enter');
  await state(page, 'available');

  await verb(page, 'Deploy…');
  await page.keyboard.press('.');
  await tabTo(page, /^Deploy…/);
  await page.keyboard.press('Enter');
  await page.locator('.plan .good').waitFor();
  await tabTo(page, /^Image/);
  await page.keyboard.type('https://images.example/disk.qcow2');
  await tabTo(page, /^Deploy$/);
  await page.keyboard.press('Enter');
  await state(page, 'active');

  // Enrolling led to the timeline; the console is seven tabs further.
  for (let count = 0; count < 7; count += 1) await page.keyboard.press(']');
  await page.locator('.tab[aria-selected="true"]', { hasText: 'Console' }).waitFor();
  await page.getByRole('button', { name: /^Switch it on/ }).waitFor();
  await tabTo(page, /^Switch it on/);
  await page.keyboard.press('Enter');
  // The terminal takes the keyboard once its code is there, and Ctrl+K then belongs to the machine.
  await page.locator('.terminal :focus').waitFor({ state: 'attached' });
  await page.keyboard.press('Control+Alt+Escape');
  await page.locator('.console-bar button:focus').waitFor();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('Undeploy');
  await page.locator('.palette-row', { hasText: 'Undeploy by-keys' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('dialog[open]:not(.palette) .input').waitFor();
  await page.keyboard.type('by-keys');
  await page.keyboard.press('Enter');
  await until(service.url, 'by-keys', 'available');
  await state(page, 'available');
  clean(opened);
  await opened.close();
});

test('the list is walked, selected and opened by letters, which can be switched off', async () => {
  const opened = await open(chrome, service.url + '/ui/nodes');
  const { page } = opened;
  await page.locator('.node-link', { hasText: 'm01' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('J');
  assert.match(await page.locator('.bulk-bar').innerText(), /2 nodes selected/);
  await page.keyboard.press('Escape');
  await page.locator('.bulk-bar').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('state:failed');
  await page.waitForURL(/q=state/);
  await page.keyboard.press('Enter');
  await page.locator('.node-link', { hasText: 'm09' }).waitFor();
  await page.locator('.node-link', { hasText: 'm01' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.waitForURL(/nodes\/m09/);
  await page.goBack();
  await page.waitForURL(/q=state/);
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.locator('.map-canvas').waitFor();
  await page.keyboard.press('?');
  await page.locator('dialog[open] .keys').waitFor();
  await page.keyboard.press('Escape');
  await page.evaluate(() => localStorage.setItem('corten.letters', 'false'));
  await page.reload();
  await page.locator('.map-canvas').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  assert.equal(new URL(page.url()).pathname, '/ui/');
  clean(opened);
  await opened.close();
});

test('the map is walked by arrow keys, and Enter opens the machine', async () => {
  await enrol(service.url, 'a-first');
  const opened = await open(chrome, service.url + '/ui/');
  const { page } = opened;
  await page.locator('.map-canvas').waitFor();
  await page.locator('.map').focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('.map-tip strong').waitFor();
  const name = await page.locator('.map-tip strong').innerText();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`nodes/${name}`));
  clean(opened);
  await opened.close();
});
