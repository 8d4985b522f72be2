// One machine's page: names that change, and what is asked before a deployment.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, browser, clean, demo, open, until } from './lab.mjs';

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo('--still'), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

test('the page of a machine follows it to its new name, whoever gave it', async () => {
  const opened = await open(chrome, `${service.url}/ui/nodes/m03?tab=overview`);
  const { page } = opened;
  const banners = [];
  await page.exposeFunction('noteBanner', (text) => banners.push(text));
  await page.evaluate(() => {
    const look = () => document.querySelectorAll('.banner[role="alert"]').forEach((one) => window.noteBanner(one.textContent));
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole('button', { name: 'Rename of m03' }).click();
  await page.locator('dialog[open] .input').fill('renamed-here');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.waitForURL(/nodes\/renamed-here\?tab=overview/);
  await page.locator('.node-name', { hasText: 'renamed-here' }).waitFor();
  const patch = [{ op: 'replace', path: '/name', value: 'renamed-elsewhere' }];
  assert.equal((await ask(service.url, 'PATCH', '/v1/nodes/renamed-here', patch)).status, 200);
  await page.waitForURL(/nodes\/renamed-elsewhere/);
  await page.locator('.node-name', { hasText: 'renamed-elsewhere' }).waitFor();
  assert.deepEqual(banners, []);
  // One that is deleted has no other name.
  const by = await open(chrome, `${service.url}/ui/nodes/${(await ask(service.url, 'GET', '/v1/nodes/renamed-elsewhere')).json.uuid}`);
  await by.page.locator('.node-name', { hasText: 'renamed-elsewhere' }).waitFor();
  await ask(service.url, 'DELETE', '/v1/nodes/renamed-elsewhere');
  for (const one of [page, by.page]) await one.locator('.banner', { hasText: 'deleted meanwhile' }).waitFor();
  clean(opened);
  clean(by);
  await by.close();
  await opened.close();
});

test('a config drive that cannot be read is not left out', async () => {
  const opened = await open(chrome, `${service.url}/ui/nodes/m05?do=deploy`);
  const { page } = opened;
  const deploy = page.locator('dialog[open] .dialog-foot .button', { hasText: /^Deploy$/ });
  await page.getByLabel('Image', { exact: true }).fill('https://images.example/disk.qcow2');
  await page.locator('.plan .good').waitFor();
  await page.locator('.choice').filter({ hasText: 'Config drive' }).getByText('JSON', { exact: true }).click();
  await page.locator('dialog[open] .button[aria-disabled="true"][title*="config drive is empty"]').waitFor();
  const text = page.getByLabel('Config drive: JSON');
  for (const wrong of ['{"user_data": ', '[]', '"text"']) {
    await text.fill(wrong);
    await page.locator('.field .wrong', { hasText: 'is a JSON object' }).waitFor();
    await deploy.click({ force: true });
  }
  assert.equal((await ask(service.url, 'GET', '/v1/nodes/m05')).json.provision_state, 'available');
  const asked = page.waitForRequest((request) => request.url().endsWith('/states/provision'));
  await text.fill('{"user_data": "#!/bin/sh"}');
  await page.locator('dialog[open] .dialog-foot .button[aria-disabled="false"]', { hasText: /^Deploy$/ }).click();
  assert.deepEqual((await asked).postDataJSON().configdrive, { user_data: '#!/bin/sh' });
  await until(service.url, 'm05', 'active');
  clean(opened);
  await opened.close();
});
