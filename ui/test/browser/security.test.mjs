// Hostile strings in every field that others can fill: none runs, none becomes a link or markup.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ask, browser, clean, demo, enrol, open } from './lab.mjs';

const HOSTILE = readFileSync(new URL('./hostile.txt', import.meta.url), 'utf8').split('\n').filter((line) => line !== '');
let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

/** Elements and attributes that no screen of ours has, and links that lead elsewhere. */
const foreign = () => {
  const found = [];
  for (const element of document.querySelectorAll('#app script, iframe, object, embed, img, style, base, meta[http-equiv], form[action], svg script')) found.push(element.outerHTML.slice(0, 200));
  for (const element of document.querySelectorAll('#app *')) {
    for (const { name } of element.attributes) if (name.startsWith('on')) found.push(`${element.tagName} ${name}`);
  }
  for (const link of document.querySelectorAll('a[href]')) {
    const to = link.getAttribute('href');
    if (!to.startsWith('/ui/') && !to.startsWith('#')) found.push(`link to ${to}`);
  }
  return found;
};

test('sixty hostile strings stay text wherever they are shown', async () => {
  assert.ok(HOSTILE.length >= 60);
  const opened = await open(chrome, service.url + '/ui/');
  const { page } = opened;
  for (const [index, text] of HOSTILE.entries()) {
    const extra = Object.fromEntries([[text.slice(0, 200), text]]);
    await enrol(service.url, `hostile-${index}`, { description: text.slice(0, 4000), extra, resource_class: text.slice(0, 80), instance_info: { image_source: text }, properties: { vendor: text } });
    await ask(service.url, 'PUT', `/v1/nodes/hostile-${index}/maintenance`, { reason: text });
    const args = Object.fromEntries([[text.slice(0, 60), text]]);
    await ask(service.url, 'POST', '/v1/runbooks', { name: `hostile-${index}`, description: text.slice(0, 255), extra, steps: [{ interface: 'deploy', step: text, args, order: 1 }] });
    await ask(service.url, 'POST', '/v1/inspection_rules', { description: text.slice(0, 255), conditions: [{ op: 'eq', args: { values: [text, text] } }], actions: [{ op: 'fail', args: { msg: text } }] });
  }
  const [runbook] = (await ask(service.url, 'GET', '/v1/runbooks')).json.runbooks;
  const [rule] = (await ask(service.url, 'GET', '/v1/inspection_rules')).json.inspection_rules;
  const screens = ['/ui/', '/ui/?as=table', '/ui/nodes?q=name:hostile-*', '/ui/events', '/ui/enrol', '/ui/conductors', '/ui/runbooks', '/ui/rules', `/ui/runbooks/${runbook.uuid}`, `/ui/rules/${rule.uuid}`, '/ui/images?q=<b>', '/ui/boot?q=<b>', '/ui/settings?q=<b>'];
  for (const tab of ['overview', 'timeline', 'boot', 'bmc', 'hardware', 'settings', 'network', 'history', 'console', 'json']) screens.push(`/ui/nodes/hostile-0?tab=${tab}`);
  for (let index = 1; index < HOSTILE.length; index += 1) screens.push(`/ui/nodes/hostile-${index}`);
  for (const screen of screens) {
    await page.goto(service.url + screen);
    await page.locator('.panel, .grid-row, .empty, .console').first().waitFor();
    assert.deepEqual(await page.evaluate(foreign), [], screen);
  }
  await page.goto(service.url + '/ui/nodes/hostile-0');
  await page.locator('.fact', { hasText: 'Description' }).waitFor();
  assert.ok((await page.locator('.fact', { hasText: 'Description' }).innerText()).includes(HOSTILE[0]), 'it is shown as it is');
  clean(opened);
  await opened.close();
});

test('addresses with hostile arguments show text only', async () => {
  const opened = await open(chrome, service.url + '/ui/');
  const { page } = opened;
  for (const text of HOSTILE.slice(0, 20)) {
    await page.goto(`${service.url}/ui/nodes?q=${encodeURIComponent(text)}`);
    await page.locator('.query-input').waitFor();
    assert.deepEqual(await page.evaluate(foreign), [], text);
    await page.goto(`${service.url}/ui/nodes/${encodeURIComponent(text)}`);
    await page.locator('.failed, .life, .empty').first().waitFor();
    assert.deepEqual(await page.evaluate(foreign), [], text);
  }
  clean(opened);
  await opened.close();
});

test('the page cannot be framed', async () => {
  const opened = await open(chrome, service.url + '/ui/favicon.svg');
  const answer = await opened.page.request.get(service.url + '/ui/');
  assert.match(answer.headers()['content-security-policy'], /frame-ancestors 'none'/);
  assert.equal(answer.headers()['x-frame-options'], 'DENY');
  await opened.close();
});
