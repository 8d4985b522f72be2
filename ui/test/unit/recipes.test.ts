// Templates, runbooks and rules while they are edited.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, mistakes, place } from '../../src/recipes/checks.ts';
import { blank, changes, difference, line, parsed, read, typed, write } from '../../src/recipes/model.ts';

const OPERATORS = {
  conditions: [{ op: 'eq', required: ['values'], optional: ['force_strings'], about: '' }],
  actions: [
    { op: 'fail', required: ['msg'], optional: [], about: '' },
    { op: 'set-plugin-data', required: ['path', 'value'], optional: [], about: '' },
  ],
};

test('what is typed is JSON where it is JSON, and comes back as it was', () => {
  assert.equal(parsed('{inventory[cpu][count]}'), '{inventory[cpu][count]}');
  assert.deepEqual(parsed('["{inventory[cpu]}", 4]'), ['{inventory[cpu]}', 4]);
  assert.equal(parsed('5'), 5);
  assert.equal(parsed('5 disks'), '5 disks');
  for (const value of ['5', 5, 'true', true, null, 'plain', '"quoted"', '[', ['a', 1], { a: { b: '1' } }, '', ' x ']) {
    assert.deepEqual(parsed(typed(value)), value, JSON.stringify(value));
  }
});

test('a document that is read and written is the same', () => {
  const template = { name: 'CUSTOM_A', steps: [{ interface: 'bios', step: 'apply', args: { settings: [{ name: 'a', value: '1' }] }, priority: 90 }], extra: { a: 1 } };
  assert.deepEqual(write('templates', read('templates', template, undefined)), template);
  const rule = { description: null, priority: 5, sensitive: false, conditions: [{ op: '!eq', args: { values: ['{item}', 'x'] }, loop: ['a', 'b'], multiple: 'all' }], actions: [{ op: 'fail', args: { msg: 'no' } }] };
  assert.deepEqual(write('rules', read('rules', rule, OPERATORS)), rule);
});

test('arguments in a list get their names, and what the service adds is left out', () => {
  const rule = { actions: [{ op: 'fail', args: ['no'] }, { op: 'set-plugin-data', args: { path: 'a', value: 1, plugin_data: {} } }], conditions: [] };
  const draft = read('rules', rule, OPERATORS);
  assert.deepEqual(draft.actions[0]?.args, [{ name: 'msg', text: 'no' }]);
  assert.deepEqual(draft.actions[1]?.args.map((arg) => arg.name), ['path', 'value']);
});

test('steps of a runbook are edited in their order', () => {
  const steps = [{ interface: 'deploy', step: 'second', args: {}, order: 2 }, { interface: 'deploy', step: 'first', args: {}, order: 1 }];
  assert.deepEqual(read('runbooks', { name: 'r', steps }, undefined).steps.map((one) => one.what), ['deploy.first', 'deploy.second']);
});

test('a sensitive rule whose words are not shown keeps them', () => {
  const draft = read('rules', { sensitive: true, conditions: null, actions: null, priority: 1 }, OPERATORS);
  const before = write('rules', draft);
  assert.ok(!('actions' in before));
  assert.deepEqual(changes(before, write('rules', { ...draft, priority: '7' })), [{ op: 'replace', path: '/priority', value: 7 }]);
});

test('mistakes are found by the schema, at their place', () => {
  const schema = { type: 'object', required: ['name', 'steps'], additionalProperties: false, properties: { name: { type: 'string', minLength: 1, pattern: '^[A-Z]+$' }, steps: { type: 'array', minItems: 1, items: { type: 'object', properties: { interface: { enum: ['bios'] }, order: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string', pattern: '^[0-9]+$' }] } } } } } };
  assert.deepEqual(check({ name: 'A', steps: [{ interface: 'bios', order: 1 }] }, schema), []);
  const found = check({ name: 'a', steps: [{ interface: 'raid', order: -1 }], more: 1 }, schema);
  assert.deepEqual(found.map((one) => one.at), ['name', 'steps/0/interface', 'steps/0/order', 'more']);
  assert.equal(check({ name: '', steps: [] }, schema).every((one) => one.empty), true);
});

test('what an operator needs and what is there twice is told', () => {
  const rule = { ...blank('rules'), actions: [line('fail')] };
  assert.equal(mistakes('rules', rule, undefined, OPERATORS)[0]?.at, 'actions/0/args/msg');
  const runbook = { ...blank('runbooks'), name: 'r', steps: [line('a.b'), line('a.b')] };
  assert.equal(mistakes('runbooks', runbook, undefined, undefined)[0]?.at, 'steps/1');
});

test('the words of the service are put beside the field they speak of', () => {
  const template = { ...blank('templates'), name: 'CUSTOM_A', steps: [line('bios.x', { rank: '1' }), line('raid.y', { rank: '-1' })] };
  for (const [words, at] of [
    ['A deploy template with name CUSTOM_A already exists.', 'name'],
    ["Schema error for template: 'CUSTOM_A' is not valid under any of the given schemas.", 'name'],
    ['Duplicates: interface: bios, step: x.', 'steps/0'],
    ["Schema error for template: 'raid' is not one of ['bios']", 'steps/1'],
    ['Schema error for template: -1 is less than the minimum of 0', 'steps/1'],
    ['The database is away.', ''],
  ] as const) {
    assert.equal(place(words, 'templates', template), at, words);
  }
  const rule = { ...blank('rules'), conditions: [line('eq')], actions: [line('fail', { args: [{ name: 'msg', text: 'x' }] })] };
  assert.equal(place('Priority must be between 0 and 9999 for user-defined rules.', 'rules', rule), 'priority');
  assert.equal(place("Schema error: '!eq' is not one of ['lt']", 'rules', rule), 'conditions/0');
});

test('a difference names lines that come and go', () => {
  const lines = difference({ a: 1, b: 2 }, { a: 1, b: 3 });
  assert.deepEqual(lines.filter((one) => one.sign !== ' ').map((one) => one.sign + one.text.trim()), ['-"b": 2', '+"b": 3']);
  assert.ok(difference(null, { a: 1 }).every((one) => one.sign === '+'));
});
