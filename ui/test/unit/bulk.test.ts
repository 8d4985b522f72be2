// Batches: what the page asks for, and what it says of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Batch, body, isOver, summary, wishes } from '../../src/bulk.ts';
import { VERBS } from '../../src/screens/bulk-verbs.ts';

const nodes = new Map([['u10', 'n10'], ['u2', 'n2'], ['u1', 'n1']]);

test('a batch names its nodes in the order of their names, and the waves', () => {
  const asked = body({ action: 'provision', arguments: { target: 'manage' }, nodes, inWaves: true, mayFail: null });
  assert.deepEqual(asked, { action: 'provision', arguments: { target: 'manage' }, nodes: ['u1', 'u2', 'u10'], waves: [1, '10%', 'rest'] });
});

test('what is too much for a list is asked for by its query', () => {
  const asked = (q: string) => body({ action: 'power', arguments: {}, nodes: q, inWaves: true, mayFail: null });
  assert.deepEqual(asked('class:gpu'), { action: 'power', arguments: {}, query: 'class:gpu', waves: [1, '10%', 'rest'] });
  assert.equal(asked('')['query'], 'uuid:*');
});

test('without waves all nodes are one, and failures are allowed where that is said', () => {
  const asked = body({ action: 'power', arguments: { target: 'power on' }, nodes, inWaves: false, mayFail: 0 });
  assert.deepEqual(asked['waves'], ['rest']);
  assert.equal(asked['max_failures'], 0);
});

test('maintenance has a reason only where one was given', () => {
  const verb = VERBS.find((one) => one.key === 'maintenance');
  assert.deepEqual(verb?.body(''), { target: 'on' });
  assert.deepEqual(verb?.body('new disks'), { target: 'on', reason: 'new disks' });
});

test('what can be done with a batch depends on its state', () => {
  assert.deepEqual(wishes('running'), ['pause', 'abort']);
  assert.deepEqual(wishes('stopped'), ['resume', 'abort']);
  assert.deepEqual(wishes('aborting'), []);
  assert.equal(isOver('aborting'), false);
  assert.equal(isOver('aborted'), true);
});

test('a line tells how a batch fares', () => {
  const counts = { waiting: 5, asked: 1, running: 2, done: 3, failed: 1, skipped: 1 };
  assert.equal(summary({ counts } as Batch), '3 done, 3 under way, 1 failed, 6 not touched.');
});
