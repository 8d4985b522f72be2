// A newcomer's path by mouse: the rack on the map, which lives; enrol, provide, deploy, console, undeploy.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, clean, demo, open, until } from './lab.mjs';

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

const state = (page, word) => page.locator('.node-head .state-word', { hasText: new RegExp(`^${word}$`) }).waitFor();
const verb = async (page, word) => page.locator('.verbs .button[aria-disabled="false"]', { hasText: word }).click();

test('the page shows twenty machines, and some change by themselves', async () => {
  const opened = await open(chrome, `${service.url}/ui/?as=table`);
  const { page } = opened;
  await page.locator('.map-panel h2', { hasText: '20 machines' }).waitFor();
  const tallies = async () => (await page.locator('.summary-list strong').allInnerTexts()).slice(0, 6).map(Number);
  assert.equal((await tallies()).reduce((sum, one) => sum + one, 0), 20);
  // One that moves is under way, and its row is gone or another one when it has arrived.
  const row = page.locator('.work-row').first();
  await row.waitFor();
  const before = await page.locator('.work').innerText();
  await page.waitForFunction((text) => document.querySelector('.work')?.innerText !== text, before);
  // A cell of the map opens its machine.
  await page.getByRole('button', { name: 'Table' }).click();
  const map = page.locator('.map-canvas');
  await map.waitFor();
  const { width } = await map.boundingBox();
  // Cells begin beside the names of groups; the first one under the pointer is opened.
  for (let x = 4; x < width; x += 8) {
    await map.hover({ position: { x, y: 14 } });
    if ((await page.locator('.map-tip strong').count()) > 0) break;
  }
  await page.locator('.map-tip strong').waitFor();
  await page.mouse.down();
  await page.mouse.up();
  await page.locator('.life').waitFor();
  clean(opened);
  await opened.close();
});

test('a machine is enrolled, deployed, looked at and taken back by mouse', async () => {
  const opened = await open(chrome, `${service.url}/ui/`);
  const { page } = opened;
  await page.getByRole('button', { name: 'More screens' }).click();
  await page.getByRole('menuitem', { name: /^Enrol machines/ }).click();
  await page.getByLabel('Driver', { exact: true }).selectOption('fake-hardware');
  await page.getByLabel('Name', { exact: true }).click();
  await page.keyboard.insertText('by-mouse');
  await page.locator('.enrol-one .button-main').click();
  await state(page, 'manageable');
  await verb(page, 'Provide');
  await state(page, 'available');
  await verb(page, 'Deploy…');
  await page.getByLabel('Image', { exact: true }).click();
  await page.keyboard.insertText('https://images.example/disk.qcow2');
  await page.locator('.plan .good').waitFor();
  await page.locator('dialog[open] .dialog-foot .button[aria-disabled="false"]', { hasText: /^Deploy$/ }).click();
  await state(page, 'active');
  await page.getByRole('tab', { name: 'Console' }).click();
  await page.getByRole('button', { name: /^Switch it on/ }).click();
  await page.locator('.terminal.xterm, .terminal .xterm').first().waitFor();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await verb(page, 'Undeploy…');
  await page.locator('dialog[open] .input').click();
  await page.keyboard.insertText('by-mouse');
  await page.locator('dialog[open] .button-danger[aria-disabled="false"]').click();
  await until(service.url, 'by-mouse', 'available');
  await state(page, 'available');
  await page.getByRole('link', { name: 'Nodes', exact: true }).first().click();
  await page.locator('.node-link', { hasText: 'by-mouse' }).click();
  await page.waitForURL(/nodes\/by-mouse/);
  clean(opened);
  await opened.close();
});
