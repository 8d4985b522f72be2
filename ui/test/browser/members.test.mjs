// Members of projects: they see what is theirs, may do with it what they may, and are told why not.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ask, audit, browser, clean, command, open, serve } from './lab.mjs';

const folder = mkdtempSync(join(tmpdir(), 'corten-ui-members-'));
const basic = (name) => ({ Authorization: `Basic ${Buffer.from(`${name}:${name}-password`).toString('base64')}` });
const ROOT = basic('root');
let service;
let chrome;
before(async () => {
  command(['user', 'add', 'root', '--admin', '--data-dir', folder], 'root-password\n');
  [service, chrome] = await Promise.all([serve(folder, 'DEFAULT.auth_strategy=local', 'api.port=0'), browser()]);
  for (const [name, role] of [['ada', 'member'], ['eve', 'reader']]) {
    const made = await ask(service.url, 'POST', '/corten/v1/users', { name, password: `${name}-password` }, ROOT);
    assert.equal(made.status, 201, made.text);
    const granted = await ask(service.url, 'PUT', '/corten/v1/roles', { role, user: name, project: 'P1' }, ROOT);
    assert.ok(granted.status < 300, granted.text);
  }
  for (const [name, owner, lessee] of [['own', 'P1', null], ['leased', 'P2', 'P1'], ['foreign', 'P2', null]]) {
    const made = await ask(service.url, 'POST', '/v1/nodes', { driver: 'fake-hardware', name, owner, lessee, resource_class: 'c' }, ROOT);
    assert.equal(made.status, 201, made.text);
  }
});
after(async () => {
  await chrome?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function enter(name, path) {
  const opened = await open(chrome, service.url + path);
  const panel = opened.page.locator('.signin[open]');
  await panel.getByLabel('Name').fill(name);
  await panel.getByLabel('Password').fill(`${name}-password`);
  await panel.getByLabel(/^Project/).fill('P1');
  await opened.page.keyboard.press('Enter');
  await panel.waitFor({ state: 'detached' });
  return opened;
}

/** Every button that cannot be used says why. */
async function explained(page) {
  for (const button of await page.locator('.button[aria-disabled="true"]:not([aria-busy="true"])').all()) {
    assert.notEqual(await button.getAttribute('title'), null, await button.innerText());
  }
}

test('a member sees what its project owns or leases, and the events of it', async () => {
  const opened = await enter('ada', '/ui/nodes');
  const { page } = opened;
  await page.locator('.node-link', { hasText: 'own' }).waitFor();
  assert.deepEqual(await page.locator('.node-link').allInnerTexts(), ['leased', 'own']);
  await page.goto(`${service.url}/ui/events`);
  await page.locator('.event-row', { hasText: 'own' }).first().waitFor();
  await page.locator('.event-row', { hasText: 'leased' }).first().waitFor();
  assert.equal(await page.locator('.event-row', { hasText: 'foreign' }).count(), 0);
  await page.locator('input[type="datetime-local"]').fill('2020-01-01T00:00');
  await page.waitForURL(/after=0/);
  await page.locator('.event-row', { hasText: 'own' }).first().waitFor();
  assert.equal(await page.locator('.failed').count(), 0);
  await page.goto(`${service.url}/ui/nodes/foreign`);
  await page.locator('.failed').waitFor();
  clean(opened);
  await opened.close();
});

test('a member ends its own batches and allocations', async () => {
  const body = { action: 'maintenance', arguments: { target: 'on' }, nodes: ['own'] };
  const batch = await ask(service.url, 'POST', '/corten/v1/batches', body, basic('ada'));
  assert.equal(batch.status, 201, batch.text);
  const opened = await enter('ada', `/ui/batches/${batch.json.uuid}`);
  const { page } = opened;
  const remove = page.locator('.button[aria-disabled="false"]', { hasText: 'Remove' });
  await remove.waitFor();
  await explained(page);
  await remove.click();
  await page.waitForURL(/batches$/);
  await page.locator('.empty').waitFor();

  await page.goto(`${service.url}/ui/allocations`);
  await page.getByRole('button', { name: 'Allocate' }).click();
  await page.getByLabel('Resource class').fill('c');
  await page.getByLabel('Name', { exact: true }).fill('mine');
  await page.keyboard.press('Enter');
  await page.locator('.button[aria-disabled="false"]', { hasText: 'Delete' }).click();
  await page.locator('dialog[open] .input').fill('mine');
  await page.keyboard.press('Enter');
  await page.locator('.empty').waitFor();
  clean(opened);
  await opened.close();
});

test('a reader is told of everything that it may not do', async () => {
  const opened = await enter('eve', '/ui/nodes/own');
  const { page } = opened;
  await page.locator('.verbs .button[aria-disabled="true"][title*="you lack the rule"]').first().waitFor();
  for (const tab of ['overview', 'settings', 'network', 'console']) {
    await page.goto(`${service.url}/ui/nodes/own?tab=${tab}`);
    await page.locator('.tab-panel .panel, .tab-panel .empty, .tab-panel .table').first().waitFor();
    await explained(page);
    assert.deepEqual(await audit(page), [], tab);
  }
  for (const [path, sign] of [['/ui/', '.map-canvas'], ['/ui/settings', '.failed, .empty'], ['/ui/conductors', '.failed'], ['/ui/webhooks', '.failed'], ['/ui/enrol', '.failed'], ['/ui/me', '.rules']]) {
    await page.goto(service.url + path);
    await page.locator(sign).first().waitFor();
    await explained(page);
    assert.deepEqual(await audit(page), [], path);
  }
  clean(opened);
  await opened.close();
});
