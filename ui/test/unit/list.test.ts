// Lists of which only a part exists, rows that events change, and the line of life.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesOf, reveal, sight } from '../../src/parts/list.ts';
import { patched } from '../../src/rows.ts';
import { stops } from '../../src/node/life.tsx';
import { STATES } from '../../src/api/states.ts';
import type { Row } from '../../src/api/shapes.ts';

test('only rows in sight are drawn, wherever the scroll bar is', () => {
  const seen = sight(28 * 50_000, 600, 28, 100_000);
  assert.ok(seen.first <= 50_000 && seen.end >= 50_021);
  assert.ok(seen.end - seen.first < 50);
  assert.deepEqual(pagesOf({ first: 95, end: 130 }), [0, 1]);
  assert.deepEqual(sight(0, 600, 28, 0), { first: 0, end: 0 });
});

test('a row out of sight is scrolled to, one in sight is not', () => {
  assert.equal(reveal(5, 0, 280, 28), null);
  assert.equal(reveal(20, 0, 280, 28), 21 * 28 - 280);
  assert.equal(reveal(2, 280, 280, 28), 56);
});

const row = { uuid: 'u', provision_state: 'available', look: 'ready', cause: { code: 'x', sentence: 'x' } } as Row;
const event = (kind: string, data: Record<string, unknown>) => ({ cursor: 2, at: '2026-01-01T00:00:00Z', node: 'u', node_name: null, kind, text: '', data });

test('a change of state is taken from its event', () => {
  const next = patched(row, event('provision', { from: 'available', to: 'deploying', target: 'active' }));
  assert.equal(next?.provision_state, 'deploying');
  assert.equal(next?.look, 'working');
  assert.equal(next?.target_provision_state, 'active');
  assert.equal(next?.cause, null);
});

test('what an event does not tell has to be read again', () => {
  assert.equal(patched(row, event('maintenance', {})), null);
  assert.equal(patched(row, event('provision', { to: 'a state of a later version' })), null);
});

test('every state stands once on the line of life', () => {
  for (const state of Object.keys(STATES)) {
    const here = stops(state, STATES[state]?.target ?? null).filter((stop) => stop.kind === 'here');
    assert.deepEqual(here.map((stop) => stop.state), [state]);
  }
});
