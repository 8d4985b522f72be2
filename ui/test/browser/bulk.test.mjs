// One verb over many nodes: a failing canary touches one node, a dry run none.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, browser, clean, demo, enrol, open } from './lab.mjs';

const COUNT = 200;
let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

async function newest(url) {
  const { json } = await ask(url, 'GET', '/corten/v1/status');
  return json.database.newest_event.cursor;
}

async function select(page, url, q) {
  await page.goto(`${url}/ui/nodes?q=${encodeURIComponent(q)}`);
  await page.locator('.check input').first().check();
  await page.locator('.bulk-bar button', { hasText: 'that match' }).click();
  await page.locator('.bulk-bar strong', { hasText: `${COUNT} nodes selected` }).waitFor();
}

test('if the canary of 200 fails, no second node is touched; a dry run changes nothing', async () => {
  const names = Array.from({ length: COUNT }, (_, index) => `bulk-${String(index).padStart(3, '0')}`);
  // The first one cannot be verified: fake hardware is told to fail.
  for (let at = 0; at < COUNT; at += 20) {
    await Promise.all(names.slice(at, at + 20).map((name) => enrol(service.url, name, name === names[0] ? { driver_info: { fake_fail: 'power.get' } } : {})));
  }
  const opened = await open(chrome, service.url + '/ui/nodes');
  const { page } = opened;
  await select(page, service.url, 'name:bulk-*');
  await page.locator('.bulk-verbs button', { hasText: 'Manage' }).click();

  const changes = async () => (await ask(service.url, 'GET', '/corten/v1/nodes?q=name:bulk-*%20-state:enroll&limit=1')).json.total;
  const before = await ask(service.url, 'GET', '/corten/v1/events?after=0&limit=1');
  assert.equal(before.status, 200);
  await page.locator('dialog button', { hasText: 'Dry run' }).click();
  await page.locator('.trial p', { hasText: `${COUNT} would start, 0 would be refused. Nothing was done.` }).waitFor();
  assert.equal(await changes(), 0);

  await page.locator('dialog .dialog-foot button', { hasText: 'Manage' }).click();
  await page.waitForURL('**/ui/batches/*');
  await page.locator('.trial p', { hasText: 'Stopped after a failure' }).waitFor();
  await page.locator('.trial p', { hasText: `1 failed, ${COUNT - 1} not touched` }).waitFor();
  const canary = page.locator('tbody tr').first();
  assert.equal(await canary.locator('th').innerText(), names[0]);
  assert.match(await canary.innerText(), /failed[^]*the node is enroll/);
  const touched = await ask(service.url, 'GET', '/corten/v1/events?after=0&limit=1000&kind=provision');
  const nodes = new Set(touched.json.events.filter((event) => event.node_name?.startsWith('bulk-')).map((event) => event.node_name));
  assert.deepEqual([...nodes], [names[0]]);

  // Somebody else goes on with it, while this page is closed; it is in the list, and ends without it.
  const uuid = new URL(page.url()).pathname.split('/').at(-1);
  await page.goto(`${service.url}/ui/nodes`);
  const other = await open(chrome, `${service.url}/ui/batches`);
  await other.page.locator('tbody tr', { hasText: 'provision: manage' }).locator('a').first().click();
  await other.page.waitForURL(`**/ui/batches/${uuid}`);
  await other.page.locator('button', { hasText: 'Go on' }).click();
  await other.page.locator('.trial p', { hasText: 'Running' }).waitFor();
  await other.close();
  for (let state = ''; state !== 'done';) {
    state = (await ask(service.url, 'GET', `/corten/v1/batches/${uuid}`)).json.state;
    assert.notEqual(state, 'stopped');
  }
  await page.goto(`${service.url}/ui/batches/${uuid}`);
  await page.locator('.trial p', { hasText: `${COUNT - 1} done, 0 under way, 1 failed` }).waitFor();
  clean(opened);
  await opened.close();
});

test('all that match are all of them, also where a list would be too long', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  const large = await demo('--still', '--seed', '1', '--nodes', '10050');
  try {
    const opened = await open(chrome, large.url + '/ui/nodes');
    const { page } = opened;
    await page.locator('.check input').first().check();
    await page.locator('.bulk-bar button', { hasText: 'All 10,050' }).click();
    await page.locator('.bulk-bar strong', { hasText: '10,050 nodes selected: all that match' }).waitFor();
    await page.locator('.bulk-verbs button', { hasText: 'Manage' }).click();
    await page.locator('dialog button', { hasText: 'Dry run' }).click();
    await page.locator('.trial p', { hasText: 'Nothing was done' }).waitFor();
    const [starts, refused, left] = (await page.locator('.trial p').innerText()).match(/\d+/g).map(Number);
    assert.equal(starts + refused + (left ?? 0), 10_050);
    await page.keyboard.press('Escape');
    // One that is taken out, or another filter, is not "all that match" any more.
    await page.locator('.check input').nth(2).click();
    await page.locator('.bulk-bar').waitFor({ state: 'detached' });
    clean(opened);
    await opened.close();
  } finally {
    await large.stop();
  }
});

test('with nothing moving, a dry run leaves the newest cursor as it was', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  const still = await demo('--still');
  try {
    const opened = await open(chrome, still.url + '/ui/nodes?q=state:manageable');
    const { page } = opened;
    await page.locator('.check input').first().check();
    await page.locator('.bulk-verbs button', { hasText: 'Provide' }).click();
    const before = await newest(still.url);
    await page.locator('dialog button', { hasText: 'Dry run' }).click();
    await page.locator('.trial p', { hasText: 'Nothing was done' }).waitFor();
    assert.equal(await newest(still.url), before);
    clean(opened);
    await opened.close();
  } finally {
    await still.stop();
  }
});
