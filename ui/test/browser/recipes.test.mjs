// Editors by keyboard: a template is written, refused, mended and changed; a runbook with traits; a rule
// is tried before it is stored.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, audit, browser, clean, demo, enrol, open, simulator, until } from './lab.mjs';

let service;
let chrome;
let sim;
before(async () => {
  [service, chrome, sim] = await Promise.all([demo(), browser(), simulator()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
  await sim?.stop();
});

const focus = (page, name) => page.getByLabel(name, { exact: true }).focus();

test('a template is written by keyboard, with steps that drivers offer', async () => {
  const opened = await open(chrome, service.url + '/ui/templates');
  const { page } = opened;
  await page.locator('.empty').waitFor();
  await page.keyboard.press('n');
  await page.locator('.line').waitFor();
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('CUSTOM_BIOS');
  await focus(page, 'Step 1');
  await page.keyboard.type('bios.');
  await page.locator('.offers:visible .offer', { hasText: 'bios.apply_configuration' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await page.getByLabel('Step 1', { exact: true }).inputValue(), 'bios.apply_configuration');
  // What the step needs is asked for, with the words of its driver.
  await page.locator('.arg-known', { hasText: 'settings' }).waitFor();
  await focus(page, 'Argument settings of step 1');
  await page.keyboard.type('[{"name": "a", "value": "b"}]');
  await focus(page, 'Step 1: priority');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('60');
  await page.keyboard.press('Control+Enter');
  await page.locator('dialog[open] .diff-add', { hasText: 'CUSTOM_BIOS' }).waitFor();
  assert.match(await page.locator('dialog[open] .command-text').first().innerText(), /^corten deploy template create CUSTOM_BIOS --steps /);
  assert.deepEqual(await audit(page), []);
  await page.keyboard.press('Enter');
  await page.locator('.panel-title', { hasText: 'CUSTOM_BIOS' }).waitFor();
  const { json } = await ask(service.url, 'GET', '/v1/deploy_templates/CUSTOM_BIOS');
  assert.deepEqual(json.steps, [{ interface: 'bios', step: 'apply_configuration', args: { settings: [{ name: 'a', value: 'b' }] }, priority: 60 }]);
  clean(opened);
  await opened.close();
});

test('a refusal stands beside the field it speaks of, and what was typed stays', async () => {
  const opened = await open(chrome, service.url + '/ui/templates/new');
  const { page } = opened;
  await ask(service.url, 'POST', '/v1/deploy_templates', { name: 'CUSTOM_TAKEN', steps: [{ interface: 'bios', step: 'x', args: {}, priority: 1 }] });
  await page.locator('.line').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('CUSTOM_TAKEN');
  await page.getByLabel('Step 1', { exact: true }).fill('bios.factory_reset');
  await page.getByRole('button', { name: 'Review and create' }).click();
  await page.locator('dialog[open]').getByRole('button', { name: 'Create' }).click();
  const field = page.locator('.field', { hasText: 'Name' });
  await field.locator('.wrong', { hasText: 'CUSTOM_TAKEN already exists' }).waitFor();
  assert.equal(await page.getByLabel('Step 1', { exact: true }).inputValue(), 'bios.factory_reset');
  await page.getByLabel('Name', { exact: true }).fill('lower');
  await page.getByRole('button', { name: 'Review and create' }).click();
  await page.locator('dialog[open]').getByRole('button', { name: 'Create' }).click();
  await field.locator('.wrong', { hasText: "'lower' is not valid" }).waitFor();
  // What can be told before is told before.
  await page.getByLabel('Step 1: priority', { exact: true }).fill('-1');
  await page.locator('.line .wrong', { hasText: 'priority: This is 0 at least.' }).waitFor();
  await page.getByLabel('Step 1', { exact: true }).fill('nowhere.x');
  await page.locator('.line .wrong', { hasText: 'is not one of' }).waitFor();
  await page.getByRole('button', { name: 'Review and create' }).click();
  assert.equal(await page.locator('dialog[open]').count(), 0);
  assert.deepEqual(await audit(page), []);
  clean(opened);
  await opened.close();
});

test('a runbook with traits is written, its steps are moved by keyboard, and it is deleted', async () => {
  const made = await ask(service.url, 'POST', '/v1/runbooks', { name: 'burn-in', steps: ['burnin_cpu', 'burnin_memory'].map((step, index) => ({ interface: 'deploy', step, args: {}, order: index + 1 })) });
  const opened = await open(chrome, service.url + `/ui/runbooks/${made.json.uuid}`);
  const { page } = opened;
  await page.locator('.line').nth(1).waitFor();
  await page.getByLabel('Traits', { exact: true }).fill('CUSTOM_BURN HW_CPU_X86_VMX');
  await focus(page, 'Step 2');
  await page.keyboard.press('Alt+ArrowUp');
  await page.waitForFunction(() => document.activeElement?.value === 'deploy.burnin_memory');
  await page.keyboard.press('Control+Enter');
  await page.locator('dialog[open] .diff-add', { hasText: 'CUSTOM_BURN' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.chip', { hasText: 'CUSTOM_BURN' }).waitFor();
  const { json } = await ask(service.url, 'GET', '/v1/runbooks/burn-in');
  assert.deepEqual(json.traits.sort(), ['CUSTOM_BURN', 'HW_CPU_X86_VMX']);
  assert.deepEqual(json.steps.map((step) => [step.step, step.order]), [['burnin_memory', 1], ['burnin_cpu', 2]]);
  await page.getByRole('button', { name: 'Delete burn-in' }).click();
  await page.locator('dialog[open] .input').waitFor();
  await page.keyboard.type('burn-in');
  await page.keyboard.press('Enter');
  await page.locator('.empty').waitFor();
  assert.equal((await ask(service.url, 'GET', '/v1/runbooks/burn-in')).status, 404);
  clean(opened);
  await opened.close();
});

test('a rule is tried on a stored inventory before it is stored', async () => {
  const bmc = { redfish_address: sim.machines[0].redfish_address, redfish_username: 'admin', redfish_password: 'password' };
  const uuid = await enrol(service.url, 'to-inspect', { driver: 'redfish', driver_info: bmc });
  await ask(service.url, 'PUT', '/v1/nodes/to-inspect/states/provision', { target: 'manage' });
  await until(service.url, 'to-inspect', 'manageable');
  const asked = await ask(service.url, 'PUT', '/v1/nodes/to-inspect/states/provision', { target: 'inspect' });
  assert.equal(asked.status, 202, asked.text);
  await until(service.url, 'to-inspect', 'manageable');
  const { json: found, status } = await ask(service.url, 'GET', `/v1/nodes/${uuid}/inventory`);
  assert.equal(status, 200, JSON.stringify(found));
  const before = (await ask(service.url, 'GET', `/v1/nodes/${uuid}`)).json;

  const opened = await open(chrome, service.url + '/ui/rules/new');
  const { page } = opened;
  await page.locator('.trial-panel').waitFor();
  await page.getByLabel('Description', { exact: true }).fill('gpu machines');
  await page.getByLabel('Machine', { exact: true }).fill('to-inspect');
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByLabel('Condition 1', { exact: true }).fill('is-tr');
  await page.locator('.offers:visible .offer', { hasText: 'is-true' }).click();
  await page.getByLabel('Argument value of condition 1', { exact: true }).fill('yes');
  await page.getByLabel('Action 1', { exact: true }).fill('set-attribute');
  // Leaving the field asks for what the action needs.
  await page.keyboard.press('Tab');
  await page.getByLabel('Argument path of action 1', { exact: true }).fill('resource_class');
  await page.getByLabel('Argument value of action 1', { exact: true }).fill('<b onclick=hostile()>gpu</b>');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  const outcome = page.locator('.outcome');
  await outcome.locator('.good', { hasText: 'applies' }).waitFor();
  await outcome.locator('tr', { hasText: 'resource_class' }).locator('code', { hasText: '<b onclick=hostile()>gpu</b>' }).waitFor();
  assert.deepEqual(await audit(page), []);
  // The opposite does not hold, and then nothing would be changed.
  await page.getByLabel('Condition 1: the opposite').check();
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await outcome.locator('.warned', { hasText: 'does not hold' }).waitFor();
  await outcome.getByText('Nothing.', { exact: true }).waitFor();
  const untouched = (await ask(service.url, 'GET', `/v1/nodes/${uuid}`)).json;
  assert.equal(untouched.updated_at, before.updated_at);
  assert.equal((await ask(service.url, 'GET', '/v1/inspection_rules')).json.inspection_rules.length, 0);

  await page.getByRole('button', { name: 'Review and create' }).click();
  await page.locator('dialog[open]').getByRole('button', { name: 'Create' }).click();
  await page.locator('.panel-title', { hasText: 'gpu machines' }).waitFor();
  const rules = (await ask(service.url, 'GET', '/v1/inspection_rules?detail=True')).json.inspection_rules;
  assert.equal(rules[0].conditions[0].op, '!is-true');
  clean(opened);
  await opened.close();
});
