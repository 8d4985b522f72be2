// Machines from a pasted table, and tables for spreadsheets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, nodeBody, read } from '../../src/table.ts';
import { csvCell } from '../../src/screens/csv.ts';

test('columns are recognised by name, whatever their order', () => {
  const { machines, unknown } = read('MAC;Hostname;bmc;user;pass;rack;extra.row\n52:54:00:00:00:01;web-1;10.0.0.1;admin;s;r1;7\n');
  assert.deepEqual(unknown, ['rack']);
  assert.equal(machines.length, 1);
  assert.equal(machines[0]?.name, 'web-1');
  assert.equal(machines[0]?.address, '10.0.0.1');
  assert.deepEqual(machines[0]?.extra, { row: '7' });
});

test('quotes may hold separators, line ends and quotes', () => {
  const { machines } = read('name,class\n"a","x,""y""\nz"\n');
  assert.equal(machines[0]?.class, 'x,"y"\nz');
});

test('JSON is taken as well', () => {
  const { machines } = read('[{"name": "a", "driver": "ipmi", "mac": ["52:54:00:00:00:01"], "extra": {"row": 7}}]');
  assert.equal(machines[0]?.mac, '52:54:00:00:00:01');
  assert.deepEqual(machines[0]?.extra, { row: '7' });
});

test('a text without column names says which there are', () => {
  assert.match(read('1,2\n3,4').error ?? '', /name the columns/);
});

test('duplicates, unknown drivers and broken addresses are found', () => {
  const { machines } = read('name,driver,address,mac\na,redfish,h,52:54:00:00:00:01\na,redfish,h,52:54:00:00:00:01\nb,magic,h,zz\nc,redfish,,\nd,redfish,h,');
  const wrong = check(machines, ['redfish'], new Set(['d']));
  assert.equal(wrong[0]?.name, 'twice in this list');
  assert.equal(wrong[1]?.mac, 'twice in this list');
  assert.match(wrong[2]?.driver ?? '', /redfish/);
  assert.match(wrong[2]?.mac ?? '', /zz/);
  assert.equal(wrong[3]?.address, 'missing');
  assert.equal(wrong[4]?.name, 'there is a node of this name');
});

test('the keys of driver_info are those of the driver', () => {
  const { machines } = read('name,driver,address,username,password\na,ipmi,h,u,p');
  assert.ok(machines[0]);
  assert.deepEqual(nodeBody(machines[0]), { driver: 'ipmi', name: 'a', driver_info: { ipmi_address: 'h', ipmi_username: 'u', ipmi_password: 'p' } });
});

test('no cell of a table is a formula', () => {
  for (const text of ['=1+1', '+1', '-1', '@x', '\t=1']) assert.match(csvCell(text), /^"?'/, text);
  assert.equal(csvCell('a,"b"'), '"a,""b"""');
  assert.equal(csvCell(null), '');
});
