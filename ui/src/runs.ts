// The map's cells as run lengths, such as `u120f1U40`, and where each cell is drawn.

import type { Look } from './api/states.ts';
import type { MapGroup } from './api/shapes.ts';

export interface Run {
  look: Look;
  /** In maintenance. */
  aside: boolean;
  count: number;
  /** Index of its first cell in the group. */
  start: number;
}

/** Takes the letters and counts of a group apart. What is not understood is left out. */
export function runs(cells: string, letters: Record<string, Look>): Run[] {
  const found: Run[] = [];
  let start = 0;
  for (const match of cells.matchAll(/([a-zA-Z])(\d+)/g)) {
    const letter = match[1] ?? '';
    const look = letters[letter.toLowerCase()];
    const count = Number(match[2]);
    if (look === undefined || count <= 0) continue;
    found.push({ look, aside: letter !== letter.toLowerCase(), count, start });
    start += count;
  }
  return found;
}

export interface Block {
  group: MapGroup;
  runs: Run[];
  /** Where its first row of cells begins. */
  y: number;
  height: number;
}

export interface Layout {
  cell: number;
  gap: number;
  columns: number;
  left: number;
  width: number;
  height: number;
  blocks: Block[];
}

/** Sizes of cells, the largest first; with the smallest, cells touch. */
const SIZES: [cell: number, gap: number][] = [
  [26, 4],
  [20, 4],
  [14, 3],
  [12, 2],
  [10, 2],
  [8, 2],
  [7, 1],
  [6, 1],
  [5, 1],
  [4, 1],
  [4, 0],
  [3, 0],
];

const SPACE = 10;
const LABEL = 20;

/** Finds the largest cells with which all groups fit into `room` pixels of height. */
export function layout(groups: MapGroup[], letters: Record<string, Look>, width: number, room: number): Layout {
  const narrow = width < 640;
  const left = narrow ? 0 : 168;
  let best: Layout | undefined;
  for (const [cell, gap] of SIZES) {
    const pitch = cell + gap;
    const columns = Math.max(1, Math.floor((width - left) / pitch));
    let y = 0;
    const blocks: Block[] = [];
    for (const group of groups) {
      const rows = Math.max(1, Math.ceil(group.total / columns));
      const top = narrow ? y + LABEL : y;
      const height = Math.max(rows * pitch, narrow ? 0 : LABEL);
      blocks.push({ group, runs: [], y: top, height });
      y = top + height + SPACE;
    }
    best = { cell, gap, columns, left, width, height: Math.max(y, 1), blocks };
    // The largest cells are for fleets that one can count.
    if (y <= (cell > 14 ? room / 4 : room)) break;
  }
  const found = best as Layout;
  for (const block of found.blocks) block.runs = runs(block.group.cells, letters);
  return found;
}

export interface Cell {
  block: number;
  index: number;
}

/** The cell at a place of the picture. */
export function cellAt(plan: Layout, x: number, y: number): Cell | null {
  const pitch = plan.cell + plan.gap;
  const column = Math.floor((x - plan.left) / pitch);
  if (column < 0 || column >= plan.columns) return null;
  for (const [block, { y: top, height, group }] of plan.blocks.entries()) {
    if (y < top || y >= top + height) continue;
    const index = Math.floor((y - top) / pitch) * plan.columns + column;
    return index < group.total ? { block, index } : null;
  }
  return null;
}

/** Where the arrow keys lead. */
export function step(plan: Layout, from: Cell, key: string): Cell {
  const here = plan.blocks[from.block];
  if (here === undefined) return from;
  const { total } = here.group;
  let index = from.index;
  if (key === 'ArrowRight') index += 1;
  else if (key === 'ArrowLeft') index -= 1;
  else if (key === 'ArrowDown') index += plan.columns;
  else if (key === 'ArrowUp') index -= plan.columns;
  else if (key === 'Home') index = 0;
  else if (key === 'End') index = total - 1;
  if (index >= total) {
    const next = plan.blocks[from.block + 1];
    if (next === undefined) return { block: from.block, index: total - 1 };
    return { block: from.block + 1, index: key === 'ArrowDown' ? Math.min(from.index % plan.columns, next.group.total - 1) : 0 };
  }
  if (index < 0) {
    const before = plan.blocks[from.block - 1];
    if (before === undefined) return { block: 0, index: 0 };
    return { block: from.block - 1, index: before.group.total - 1 };
  }
  return { block: from.block, index };
}

export function lookAt(block: Block, index: number): Run | undefined {
  return block.runs.find((run) => index >= run.start && index < run.start + run.count);
}

export function places(plan: Layout, cell: Cell): { x: number; y: number } {
  const block = plan.blocks[cell.block];
  const pitch = plan.cell + plan.gap;
  return {
    x: plan.left + (cell.index % plan.columns) * pitch,
    y: (block?.y ?? 0) + Math.floor(cell.index / plan.columns) * pitch,
  };
}
