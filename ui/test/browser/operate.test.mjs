// What operators look at: settings, images, boot services, webhooks.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { ask, audit, browser, clean, demo, open } from './lab.mjs';

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

test('settings are found by their meaning and show where they are from', async () => {
  const opened = await open(chrome, service.url + '/ui/settings');
  const { page } = opened;
  await page.locator('.option').first().waitFor();
  await page.getByLabel('All', { exact: true }).check({ force: true });
  await page.getByLabel('Filter options').fill('max_limit');
  await page.locator('.option', { hasText: 'max_limit' }).locator('.option-source', { hasText: 'default' }).waitFor();
  await page.waitForURL(/q=max_limit/);
  await page.goto(service.url + '/ui/settings?q=nothing-has-this');
  await page.locator('.empty').waitFor();
  clean(opened);
  await opened.close();
});

test('caches are shown with how full they are, and what a conductor does not serve with what to do', async () => {
  const opened = await open(chrome, service.url + '/ui/images');
  const { page } = opened;
  await page.locator('.cache', { hasText: 'Images of instances' }).getByText('0 files').waitFor();
  await page.goto(service.url + '/ui/boot');
  await page.locator('.empty', { hasText: '[corten] dhcp' }).waitFor();
  await page.getByRole('button', { name: 'More screens' }).or(page.getByRole('button', { name: 'Boot services: more screens' })).click();
  await page.getByRole('menuitem', { name: /^Settings/ }).click();
  await page.waitForURL(/ui\/settings/);
  clean(opened);
  await opened.close();
});

test('a webhook that lost its receiver is told everything again', async () => {
  const heard = [];
  let wake = () => undefined;
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      heard.push(text);
      response.writeHead(204).end();
      wake();
    });
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${receiver.address().port}/`;
  const made = await ask(service.url, 'POST', '/corten/v1/webhooks', { url, description: 'the pager' });
  assert.equal(made.status, 201, made.text);
  const opened = await open(chrome, service.url + '/ui/webhooks');
  const { page } = opened;
  await page.locator('.panel-title', { hasText: 'the pager' }).waitFor();
  await page.getByRole('button', { name: 'Dead letters' }).click();
  await page.locator('dialog[open] .empty', { hasText: 'Everything was delivered' }).waitFor();
  const from = page.getByLabel('Deliver everything again that came after the cursor');
  await from.fill('x');
  await page.locator('dialog[open] .wrong', { hasText: 'whole number' }).waitFor();
  await from.fill('0');
  assert.match(await page.locator('dialog[open] .command-text').innerText(), /^corten webhook replay \S+ --after 0$/);
  assert.deepEqual(await audit(page), []);
  const first = new Promise((resolve) => {
    wake = () => heard.some((text) => /"cursor":\s*1\b/.test(text)) && resolve();
  });
  await page.keyboard.press('Enter');
  await first;
  clean(opened);
  await opened.close();
  receiver.close();
  receiver.closeAllConnections();
});
