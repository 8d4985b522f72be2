// Signing in with a password: the panel, the two halves of a session, and its end.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { audit, browser, clean, demo, open } from './lab.mjs';

const [USER, PASSWORD] = ['demo', 'corten-demo'];
let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo('--auth', 'basic'), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

async function signIn(page, password = PASSWORD) {
  const panel = page.locator('.signin[open]');
  await panel.waitFor();
  await panel.getByLabel('Name').fill(USER);
  await panel.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

test('a wrong password is said, a right one opens the page at the same address', async () => {
  const opened = await open(chrome, `${service.url}/ui/nodes?q=state:failed`);
  const { page } = opened;
  await page.locator('.signin[open]').waitFor();
  assert.deepEqual(await audit(page), []);
  await signIn(page, 'wrong');
  await page.locator('.signin .wrong').waitFor();
  await signIn(page);
  await page.locator('.node-link', { hasText: 'm09' }).waitFor();
  assert.match(page.url(), /q=state/);
  const [cookie] = await page.context().cookies();
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, 'Strict');
  assert.equal(await page.evaluate(() => document.cookie), '');
  clean(opened);
  await opened.close();
});

test('neither half of a session is worth anything alone', async () => {
  const opened = await open(chrome, `${service.url}/ui/`);
  const { page } = opened;
  await signIn(page);
  await page.locator('.map-canvas').waitFor();
  const key = await page.evaluate(() => localStorage.getItem('corten.key'));
  const [cookie] = await page.context().cookies();
  const cookieHeader = `${cookie.name}=${cookie.value}`;
  const status = async (headers) => (await fetch(`${service.url}/v1/nodes`, { headers })).status;
  assert.equal(await status({ Cookie: cookieHeader, 'X-Corten-Key': key }), 200);
  assert.equal(await status({ Cookie: cookieHeader }), 401);
  assert.equal(await status({ 'X-Corten-Key': key }), 401);
  assert.equal(await status({ Cookie: cookieHeader, 'X-Corten-Key': 'A'.repeat(43) }), 401);
  const refused = await fetch(`${service.url}/v1/nodes`, { headers: { 'X-Corten-Key': key } });
  assert.equal(refused.headers.get('www-authenticate'), null, 'no browser opens its own box');
  clean(opened);
  await opened.close();
});

test('signing out in one tab covers the other, and what was typed stays', async () => {
  const opened = await open(chrome, `${service.url}/ui/enrol`);
  const { page } = opened;
  await signIn(page);
  await page.locator('.enrol-one').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('half-typed');
  const other = await page.context().newPage();
  await other.goto(`${service.url}/ui/`);
  await other.locator('.map-canvas').waitFor();
  await other.getByRole('button', { name: /Menu/ }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.locator('.signin[open]').waitFor();
  await page.locator('.signin[open]').waitFor();
  await signIn(page);
  await page.locator('.signin[open]').waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'half-typed');
  clean(opened);
  await opened.close();
});
