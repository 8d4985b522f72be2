// A failed machine explains itself: the causes on the fleet are those of the service, add up, and lead to
// the nodes; the node's page has the same cause with what to do.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { ask, browser, clean, demo, enrol, open, until, visit } from './lab.mjs';

/** As the page shows it: commands are set apart by their letters, not by marks. */
const shown = (text) => text.replaceAll('`', '');

/** The service's own table: what each failure means, and what to do. */
const ADVICE = readFileSync(new URL('../../../crates/api/src/fleet/advice.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line, index) => {
    const [group, , meaning, advice, docs] = line.split('\t');
    return { group, meaning, advice: shown(advice), docs, node: `why-${String(index).padStart(2, '0')}-${group.replaceAll('_', '-')}` };
  });

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo('--still'), browser()]);
  // One machine whose BMC does not let us in, and two that fail to clean.
  await enrol(service.url, 'locked-out', { driver_info: { fake_refuse: 'power.get' } });
  await ask(service.url, 'PUT', '/v1/nodes/locked-out/states/provision', { target: 'manage' });
  for (const name of ['dirty-1', 'dirty-2']) {
    await enrol(service.url, name, { driver_info: { fake_fail: 'clean.log_passthrough' } });
    await ask(service.url, 'PUT', `/v1/nodes/${name}/states/provision`, { target: 'manage' });
    await until(service.url, name, 'manageable');
    await ask(service.url, 'PUT', `/v1/nodes/${name}/states/provision`, { target: 'provide' });
    await until(service.url, name, 'clean failed');
  }
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

test('every failed node is in exactly one group, and the sum is their number', async () => {
  const { json: failures } = await ask(service.url, 'GET', '/corten/v1/failures');
  assert.equal(failures.causes.reduce((sum, cause) => sum + cause.count, 0), failures.total);
  const { json: fleet } = await ask(service.url, 'GET', '/corten/v1/fleet');
  assert.equal(failures.kinds.failed, fleet.looks.failed);
  const seen = new Set();
  for (const cause of failures.causes) {
    const { json: page } = await ask(service.url, 'GET', `/corten/v1/nodes?limit=1000&q=${encodeURIComponent(cause.q)}`);
    assert.equal(page.total, cause.count, cause.code);
    for (const row of page.nodes) {
      assert.ok(!seen.has(row.uuid), `${row.name} is in two groups`);
      seen.add(row.uuid);
    }
  }
});

test('the fleet names each cause with its advice, and leads to its nodes', async () => {
  const { json: failures } = await ask(service.url, 'GET', '/corten/v1/failures');
  assert.ok(failures.causes.length >= 2);
  const opened = await open(chrome, service.url + '/ui/');
  const { page } = opened;
  for (const cause of failures.causes) {
    const row = page.locator('.needs .cause', { hasText: cause.sentence });
    await row.waitFor();
    const text = await row.innerText();
    assert.ok(text.includes(shown(cause.advice)), `${cause.code}: ${text}`);
    assert.match(text, new RegExp(`^\\s*${cause.count}\\b`), text);
  }
  const many = failures.causes.find((cause) => cause.count > 1);
  await page.locator('.needs .cause', { hasText: many.sentence }).getByRole('link', { name: /^List/ }).click();
  await page.locator('.nodes-count', { hasText: `${many.count} of` }).waitFor();
  clean(opened);
  await opened.close();
});

test('a failed node says what is the matter, and what to do', async () => {
  const opened = await open(chrome, service.url + '/ui/');
  const { page } = opened;
  for (const name of ['m09', 'dirty-1', 'locked-out']) {
    const { json: node } = await ask(service.url, 'GET', `/v1/nodes/${name}`);
    const { json: diagnosis } = await ask(service.url, 'GET', `/corten/v1/nodes/${node.uuid}/diagnosis`);
    await page.goto(`${service.url}/ui/nodes/${name}`);
    await page.locator('.matter').waitFor();
    const text = await page.locator('.matter').innerText();
    for (const words of [diagnosis.cause.sentence, shown(diagnosis.cause.advice), diagnosis.finding]) assert.ok(text.includes(words), `${name}: ${words}`);
    const [evidence] = diagnosis.evidence;
    if (evidence !== undefined) {
      await page.locator('.evidence a').first().click();
      await page.waitForURL(/tab=/);
    }
  }
  clean(opened);
  await opened.close();
});

test('every row of the table of advice is on the fleet, and on the page of a machine that it fits', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  assert.ok(ADVICE.length > 50);
  const all = await demo('--still', '--failures');
  try {
    const opened = await open(chrome, `${all.url}/ui/`);
    const { page } = opened;
    await page.locator('.causes-more button').click();
    const groups = new Map(ADVICE.map((row) => [row.group, row]));
    for (const { meaning, advice } of groups.values()) {
      const cause = page.locator('.needs .cause').filter({ has: page.locator('.cause-sentence', { hasText: meaning }) });
      await cause.first().waitFor();
      assert.ok((await cause.allInnerTexts()).some((text) => text.includes(advice)), meaning);
    }
    for (const { node, meaning, advice, docs } of ADVICE) {
      await visit(page, node);
      await page.locator('.matter-cause').waitFor();
      assert.equal(await page.locator('.matter-cause').innerText(), meaning, node);
      const words = await page.locator('.matter-advice').innerText();
      assert.ok(words.includes(advice) && words.includes(docs), `${node}: ${words}`);
    }
    clean(opened);
    await opened.close();
  } finally {
    await all.stop();
  }
});
