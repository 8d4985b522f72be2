// The map: run lengths, and where cells are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellAt, layout, places, runs, step } from '../../src/runs.ts';
import type { Look } from '../../src/api/states.ts';

const LETTERS: Record<string, Look> = { r: 'ready', u: 'in_use', w: 'working', q: 'waiting', h: 'held', f: 'failed' };
const group = (cells: string, total: number, name = 'a') => ({ name, q: `class:${name}`, total, cells });

test('run lengths are taken apart, with maintenance in capitals', () => {
  assert.deepEqual(runs('u120f1U40', LETTERS), [
    { look: 'in_use', aside: false, count: 120, start: 0 },
    { look: 'failed', aside: false, count: 1, start: 120 },
    { look: 'in_use', aside: true, count: 40, start: 121 },
  ]);
});

test('letters of a later version are left out rather than shown wrongly', () => {
  assert.deepEqual(runs('z3u1', LETTERS), [{ look: 'in_use', aside: false, count: 1, start: 0 }]);
});

test('a hundred thousand cells fit, and every cell is found where it is drawn', () => {
  const plan = layout([group('u60000', 60_000), group('r39999f1', 40_000, 'b')], LETTERS, 1_300, 560);
  for (const cell of [{ block: 0, index: 0 }, { block: 0, index: 59_999 }, { block: 1, index: 31_234 }]) {
    const { x, y } = places(plan, cell);
    assert.deepEqual(cellAt(plan, x + 1, y + 1), cell);
  }
  assert.equal(plan.cell, 3);
  assert.equal(cellAt(plan, 5, 5), null, 'the label is no cell');
});

test('few machines get large cells', () => {
  assert.equal(layout([group('u20', 20)], LETTERS, 1_300, 560).cell, 26);
});

test('arrow keys reach every group and stop at the ends', () => {
  const plan = layout([group('u5', 5), group('r2', 2, 'b')], LETTERS, 1_300, 560);
  assert.deepEqual(step(plan, { block: 0, index: 4 }, 'ArrowRight'), { block: 1, index: 0 });
  assert.deepEqual(step(plan, { block: 0, index: 3 }, 'ArrowDown'), { block: 1, index: 1 });
  assert.deepEqual(step(plan, { block: 1, index: 0 }, 'ArrowLeft'), { block: 0, index: 4 });
  assert.deepEqual(step(plan, { block: 0, index: 0 }, 'ArrowLeft'), { block: 0, index: 0 });
  assert.deepEqual(step(plan, { block: 1, index: 1 }, 'ArrowRight'), { block: 1, index: 1 });
});
