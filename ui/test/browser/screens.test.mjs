// Every screen in both themes and two widths: nothing that the policy forbids, nothing that axe finds,
// nothing wider than the window.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, audit, browser, clean, demo, open } from './lab.mjs';

const SCREENS = [
  ['fleet', '/ui/', '.map-canvas'],
  ['fleet as a table', '/ui/?as=table', '.table'],
  ['nodes', '/ui/nodes', '.grid-row'],
  ['nodes, none', '/ui/nodes?q=name:nothing-here', '.empty'],
  ['nodes, mistake', '/ui/nodes?q=stat:failed', '.query-wrong'],
  ['node', '/ui/nodes/m05', '.life'],
  ['failed node', '/ui/nodes/m09', '.matter'],
  ['no such node', '/ui/nodes/nowhere', '.failed'],
  ['timeline', '/ui/nodes/m09?tab=timeline', '.flow'],
  ['boot', '/ui/nodes/m05?tab=boot', '.tab-panel .empty, .ladder'],
  ['BMC', '/ui/nodes/m05?tab=bmc', '.tab-panel .empty, .tab-panel .table'],
  ['hardware', '/ui/nodes/m05?tab=hardware', '.tab-panel .panel'],
  ['settings', '/ui/nodes/m05?tab=settings', '.tab-panel .table'],
  ['network', '/ui/nodes/m05?tab=network', '.tab-panel .table'],
  ['history', '/ui/nodes/m05?tab=history', '.tab-panel .table'],
  ['console, off', '/ui/nodes/m05?tab=console', '.tab-panel .empty'],
  ['json', '/ui/nodes/m05?tab=json', '.json'],
  ['deploy', '/ui/nodes/m05?do=deploy', '.plan .good, .plan .wrong'],
  ['enrol', '/ui/enrol', '.enrol-one .field'],
  ['enrol many', '/ui/enrol?as=many', '.area'],
  ['events', '/ui/events', '.event-row'],
  ['conductors', '/ui/conductors', '.figures'],
  ['allocations', '/ui/allocations', '.empty'],
  ['templates', '/ui/templates', '.empty'],
  ['runbooks', '/ui/runbooks', '.empty'],
  ['inspection rules', '/ui/rules', '.empty'],
  ['new template', '/ui/templates/new', '.line'],
  ['new runbook', '/ui/runbooks/new', '.line'],
  ['new rule', '/ui/rules/new', '.trial-panel'],
  ['no such template', '/ui/templates/nothing', '.failed'],
  ['trial of all rules', '/ui/rules?try=1', '.trial-panel'],
  ['images', '/ui/images', '.cache'],
  ['boot services', '/ui/boot', '.stack .empty'],
  ['settings', '/ui/settings', '.option, .empty'],
  ['settings, none', '/ui/settings?q=nothing-has-this', '.empty'],
  ['settings, all', '/ui/settings?all=1&q=[api]', '.option'],
  ['webhooks', '/ui/webhooks', '.empty'],
  ['batches', '/ui/batches', '.empty'],
  ['me', '/ui/me', '.rules'],
  ['no such screen', '/ui/nowhere', '.empty'],
];

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

for (const [theme, width, height] of [
  ['light', 1400, 900],
  ['dark', 1400, 900],
  ['light', 390, 844],
  ['dark', 390, 844],
]) {
  test(`every screen is in order, ${theme}, ${width} pixels wide`, async (suite) => {
    const opened = await open(chrome, service.url + '/ui/', { theme, width, height });
    const { page } = opened;
    for (const [name, path, sign] of SCREENS) {
      await suite.test(name, async () => {
        await page.goto(service.url + path);
        await page.locator(sign).first().waitFor();
        assert.deepEqual(await audit(page), []);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${over} pixels wider than the window`);
      });
    }
    clean(opened);
    await opened.close();
  });
}

test('recipes that are there are in order, as lists and in their editors', async () => {
  const long = 'a-long-name-'.repeat(9);
  const template = await ask(service.url, 'POST', '/v1/deploy_templates', { name: 'CUSTOM_A', steps: [{ interface: 'bios', step: 'apply_configuration', args: { settings: [{ name: long, value: long }] }, priority: 9 }] });
  const runbook = await ask(service.url, 'POST', '/v1/runbooks', { name: long, description: long, steps: [{ interface: 'deploy', step: 'erase_devices', args: { [long]: long }, order: 1 }] });
  const rule = await ask(service.url, 'POST', '/v1/inspection_rules', { description: long, conditions: [{ op: '!matches', args: ['{inventory[cpu]}', long], loop: [1, 2], multiple: 'all' }], actions: [{ op: 'fail', args: { msg: long } }] });
  for (const [theme, width] of [
    ['light', 1400],
    ['dark', 390],
  ]) {
    const opened = await open(chrome, service.url + '/ui/', { theme, width, height: 844 });
    const { page } = opened;
    for (const [path, sign] of [
      ['/ui/templates', '.cards .panel'],
      ['/ui/runbooks', '.cards .panel'],
      ['/ui/rules', '.cards .panel'],
      [`/ui/templates/${template.json.uuid}`, '.arg-known'],
      [`/ui/runbooks/${runbook.json.uuid}`, '.arg'],
      [`/ui/rules/${rule.json.uuid}`, '.line-loop'],
    ]) {
      await page.goto(service.url + path);
      await page.locator(sign).first().waitFor();
      assert.deepEqual(await audit(page), [], path);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${path}, ${theme}: ${over} pixels wider than the window`);
    }
    clean(opened);
    await opened.close();
  }
});

test('the policy is sent to the letter, and the way to the page is for browsers only', async () => {
  const host = new URL(service.url).host;
  const page = await fetch(service.url + '/ui/nodes');
  assert.equal(
    page.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
      `connect-src 'self' ws://${host}; base-uri 'none'; form-action 'none'; ` +
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
  assert.equal(page.headers.get('x-frame-options'), 'DENY');
  const there = await fetch(service.url + '/', { headers: { Accept: 'text/html' }, redirect: 'manual' });
  assert.equal(there.headers.get('location'), '/ui/');
  const program = await fetch(service.url + '/', { redirect: 'manual' });
  assert.equal(program.status, 200);
});
