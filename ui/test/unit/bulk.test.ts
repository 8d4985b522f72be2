// Runs over many nodes: a failing canary touches one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ending, type Item, plan, run, waves } from '../../src/bulk.ts';

const nodes = (count: number) => new Map(Array.from({ length: count }, (_, index) => [`u${index}`, `n${String(index).padStart(3, '0')}`]));

function hands(asked: string[], end: (item: Item) => Ending, wanted = () => true) {
  return {
    ask: async (item: Item) => void asked.push(item.uuid),
    ended: async (item: Item) => end(item),
    changed: () => undefined,
    wanted,
  };
}

test('waves are one node, a tenth, and the rest', () => {
  const of = waves(200);
  assert.deepEqual([0, 1, 2].map((wave) => of.filter((one) => one === wave).length), [1, 20, 179]);
  assert.deepEqual(waves(1), [0]);
});

test('when the canary fails, no second node is touched', async () => {
  const asked: string[] = [];
  const bulk = plan('provide', { target: 'provide' }, nodes(200), true, 1);
  await run(bulk, hands(asked, () => ({ done: false, reason: 'it broke' })));
  assert.deepEqual(asked, ['u0']);
  assert.equal(bulk.state, 'stopped');
  assert.equal(bulk.items.filter((item) => item.fate === 'left').length, 199);
});

test('a refusal counts as a failure and says why', async () => {
  const bulk = plan('provide', {}, nodes(3), true, 1);
  await run(bulk, { ...hands([], () => ({ done: true })), ask: () => Promise.reject(new Error('locked')) });
  assert.deepEqual(bulk.items.map((item) => item.fate), ['refused', 'left', 'left']);
  assert.equal(bulk.items[0]?.reason, 'locked');
});

test('all nodes are asked once, and the run is done', async () => {
  const asked: string[] = [];
  const bulk = plan('manage', {}, nodes(50), true, 1);
  await run(bulk, hands(asked, () => ({ done: true })));
  assert.equal(new Set(asked).size, 50);
  assert.equal(asked.length, 50);
  assert.equal(bulk.state, 'done');
});

test('a run that was interrupted waits for what it had asked for, and asks nothing twice', async () => {
  const asked: string[] = [];
  const bulk = plan('manage', {}, nodes(3), true, 1);
  const [first] = bulk.items;
  assert.ok(first);
  first.fate = 'asked';
  await run(bulk, hands(asked, () => ({ done: true })));
  assert.deepEqual(asked, ['u1', 'u2']);
});

test('nothing more is started when that is not wanted', async () => {
  const asked: string[] = [];
  const bulk = plan('manage', {}, nodes(5), true, 1);
  await run(bulk, hands(asked, () => ({ done: true }), () => asked.length < 1));
  assert.equal(asked.length, 1);
  assert.equal(bulk.state, 'paused');
});
