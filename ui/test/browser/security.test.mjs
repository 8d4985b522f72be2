// Hostile strings in every field that others can fill: none runs, none becomes a link or markup.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { HOSTILE, ask, browser, clean, demo, enrol, foreign, open, serve, until, visit } from './lab.mjs';

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

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
  for (const screen of screens) {
    await page.goto(service.url + screen);
    await page.locator('.panel, .grid-row, .empty, .console').first().waitFor();
    assert.deepEqual(await page.evaluate(foreign), [], screen);
  }
  for (let index = HOSTILE.length - 1; index >= 0; index -= 1) {
    await visit(page, `hostile-${index}`);
    await page.locator('.fact', { hasText: 'Description' }).waitFor();
    assert.deepEqual(await page.evaluate(foreign), [], HOSTILE[index]);
  }
  await page.locator('.fact', { hasText: 'Description' }).waitFor();
  assert.ok((await page.locator('.fact', { hasText: 'Description' }).innerText()).includes(HOSTILE[0]), 'it is shown as it is');
  clean(opened);
  await opened.close();
});

/** A BMC whose every word is hostile; what it is told to do it refuses, with one more. */
async function bmc(text) {
  const whole = { '@odata.type': '#X.v1_0_0.X', Id: '1', Name: text, Manufacturer: text, Model: text, SerialNumber: text, SKU: text, PartNumber: text, HostName: text, AssetTag: text, BiosVersion: text, UUID: '00000000-0000-0000-0000-000000000001' };
  const documents = {
    '/redfish/v1': { ...whole, '@odata.id': '/redfish/v1', RedfishVersion: '1.6.0', Vendor: text, Product: text, Systems: { '@odata.id': '/redfish/v1/Systems' }, Managers: { '@odata.id': '/redfish/v1/Managers' } },
    '/redfish/v1/Systems': { Members: [{ '@odata.id': '/redfish/v1/Systems/1' }], 'Members@odata.count': 1 },
    '/redfish/v1/Systems/1': { ...whole, '@odata.id': '/redfish/v1/Systems/1', PowerState: 'Off', Boot: {}, ProcessorSummary: { Count: 1, Model: text }, MemorySummary: { TotalSystemMemoryGiB: 4 }, Actions: { '#ComputerSystem.Reset': { target: '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset', 'ResetType@Redfish.AllowableValues': ['On', 'ForceOff'] } } },
  };
  const error = JSON.stringify({ error: { code: 'Base.1.0.GeneralError', message: text, '@Message.ExtendedInfo': [{ MessageId: text, Message: text, Resolution: text }] } });
  const server = createServer((request, response) => {
    const document = request.method === 'GET' ? documents[request.url.replace(/\/$/, '')] : undefined;
    response.writeHead(document === undefined ? 400 : 200, { 'Content-Type': 'application/json' });
    response.end(document === undefined ? error : JSON.stringify(document));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { address: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

test('what BMCs say stays text: errors, history, what was recorded', async () => {
  const opened = await open(chrome, service.url + '/ui/');
  const { page } = opened;
  // Errors of all kinds, by hardware that fails with these words.
  for (const [index, text] of HOSTILE.entries()) {
    await enrol(service.url, `fails-${index}`, { driver_info: { fake_fail: 'power.get', fake_error: text } });
    await ask(service.url, 'PUT', `/v1/nodes/fails-${index}/states/provision`, { target: 'manage' });
  }
  const failed = async (name) => {
    const node = await until(service.url, name, 'enroll');
    assert.notEqual(node.last_error, null);
    return node.last_error;
  };
  for (const [index, text] of HOSTILE.entries()) {
    assert.ok((await failed(`fails-${index}`)).includes(text), `it failed by ${text}`);
    await visit(page, `fails-${index}`, 'history');
    await page.locator('.matter').waitFor();
    await page.locator('.tab-panel .table').first().waitFor();
    assert.deepEqual(await page.evaluate(foreign), [], text);
    assert.ok((await page.locator('.matter').textContent()).includes(text), text);
  }
  for (const screen of ['/ui/', '/ui/nodes?q=name:fails-*', '/ui/events?kind=error']) {
    await page.goto(service.url + screen);
    await page.locator('.cause, .node-link, .event-row').first().waitFor();
    assert.deepEqual(await page.evaluate(foreign), [], screen);
  }
  for (const text of HOSTILE.slice(0, 5)) {
    const machine = await bmc(text);
    const name = `bmc-${machine.address.split(':').at(-1)}`;
    await enrol(service.url, name, { driver: 'redfish', driver_info: { redfish_address: machine.address, redfish_system_id: '/redfish/v1/Systems/1', redfish_username: 'u', redfish_password: 'p' } });
    await ask(service.url, 'PUT', `/v1/nodes/${name}/states/provision`, { target: 'manage' });
    await until(service.url, name, 'manageable');
    await ask(service.url, 'PUT', `/v1/nodes/${name}/states/power`, { target: 'power on' });
    for (let error = null; error === null; ) error = (await ask(service.url, 'GET', `/v1/nodes/${name}`)).json.last_error;
    for (const tab of ['bmc', 'history', 'hardware', 'timeline', 'json']) {
      await page.goto(`${service.url}/ui/nodes/${name}?tab=${tab}`);
      await page.locator('.matter').waitFor();
      await page.locator('.tab-panel .table, .tab-panel .panel, .tab-panel .flow, .tab-panel .failed, .tab-panel .json, .tab-panel .empty').first().waitFor();
      for (const more of (await page.locator('.tab-panel [aria-expanded="false"]').all()).slice(0, 4)) await more.click();
      assert.deepEqual(await page.evaluate(foreign), [], `${tab}: ${text}`);
    }
    await page.goto(`${service.url}/ui/nodes/${name}?tab=bmc`);
    await page.locator('.tab-panel', { hasText: '/redfish/v1/Systems/1' }).waitFor();
    machine.stop();
  }
  clean(opened);
  await opened.close();
});

/** A port of this machine that nothing uses. */
async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

test('what machines ask for while they boot stays text', { skip: process.env.CORTEN_URL !== undefined }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'corten-ui-boot-'));
  const [http, tftp] = [await freePort(), await freePort()];
  const booting = await serve(folder, 'api.port=0', `corten.http_listen=127.0.0.1:${http}`, `corten.tftp_listen=127.0.0.1:${tftp}`, `deploy.http_url=http://127.0.0.1:${http}`);
  try {
    const node = await enrol(booting.url, 'boots');
    const port = await ask(booting.url, 'POST', '/v1/ports', { node_uuid: node, address: '52:54:00:aa:bb:cc' });
    assert.equal(port.status, 201, port.text);
    // Who asks is known by the name of the first file, and then by the address.
    const wanted = (path) => fetch(`http://127.0.0.1:${http}/${path}`).then((response) => response.arrayBuffer());
    await wanted('pxelinux.cfg/52-54-00-aa-bb-cc');
    for (const text of HOSTILE) await wanted(encodeURIComponent(text));
    for (const text of HOSTILE) {
      // A request to read a file (RFC 1350); each machine has a port of its own.
      const socket = createSocket('udp4');
      const request = Buffer.concat([Buffer.from([0, 1]), Buffer.from(text), Buffer.from('\0octet\0')]);
      await new Promise((sent) => socket.send(request, tftp, '127.0.0.1', sent));
      socket.close();
    }
    let log = '';
    while (!log.includes('by TFTP')) log = (await ask(booting.url, 'GET', `/corten/v1/nodes/${node}/boot-log`)).text;
    assert.ok(log.includes('hostile()'), log);
    const opened = await open(chrome, `${booting.url}/ui/nodes/boots?tab=boot`);
    const { page } = opened;
    await page.locator('.tab-panel', { hasText: 'hostile()' }).waitFor();
    assert.deepEqual(await page.evaluate(foreign), []);
    await page.goto(`${booting.url}/ui/boot`);
    await page.locator('.stack .panel').first().waitFor();
    assert.deepEqual(await page.evaluate(foreign), []);
    clean(opened);
    await opened.close();
  } finally {
    await booting.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The cells of a file of comma separated values. */
function cells(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  return rows.slice(0, -1);
}

test('a downloaded file of a thousand rows is data: no cell is a formula, none spills into another', async () => {
  const formulas = HOSTILE.filter((text) => /^[=+\-@]/.test(text));
  assert.ok(formulas.length >= 2);
  const texts = [...formulas, ...HOSTILE, 'a,b', 'say "x"', '-1+1', '+1', '\t=1'];
  for (const [index, text] of texts.entries()) {
    const made = await ask(service.url, 'POST', '/v1/nodes', { driver: 'fake-hardware', name: `csv-${String(index).padStart(4, '0')}`, resource_class: text.slice(0, 80) });
    assert.equal(made.status, 201, made.text);
  }
  for (let at = texts.length; at < 1000; at += 50) {
    await Promise.all(Array.from({ length: Math.min(50, 1000 - at) }, (_, more) => enrol(service.url, `csv-${String(at + more).padStart(4, '0')}`)));
  }
  const opened = await open(chrome, `${service.url}/ui/nodes?q=name:csv-*`);
  const { page } = opened;
  await page.locator('.node-link', { hasText: 'csv-0000' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const [head, ...rows] = cells(readFileSync(await download.path(), 'utf8'));
  assert.equal(rows.length, 1000);
  const place = head.indexOf('resource_class');
  for (const row of rows) {
    assert.equal(row.length, head.length, row.join(' | '));
    for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
  }
  for (const [index, text] of texts.entries()) assert.equal(rows[index][place].replace(/^'(?=[=+\-@\t])/, ''), text.slice(0, 80));
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
