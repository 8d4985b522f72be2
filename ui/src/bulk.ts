// Batches: one verb over many nodes, in waves, run by the service. Here is what the page asks the
// service for, and what it reads; knows no screen and no network.

export type BatchState = 'running' | 'paused' | 'stopped' | 'aborting' | 'done' | 'aborted';
export type Fate = 'waiting' | 'asked' | 'running' | 'done' | 'failed' | 'skipped';

export interface Batch {
  uuid: string;
  description: string | null;
  query: string | null;
  action: string;
  target: string;
  state: BatchState;
  reason: string | null;
  node_count: number;
  counts: Record<Fate, number>;
  waves: number[];
  wave: number;
  at_once: number;
  max_failures: number | null;
  user: string | null;
  project: string | null;
  conductor: string | null;
  created_at: string;
  updated_at: string | null;
  ended_at: string | null;
}

export interface BatchNode {
  place: number;
  node: string;
  name: string | null;
  wave: number;
  state: Fate;
  reason: string | null;
  asked_at: string | null;
  ended_at: string | null;
}

export interface BatchNodes {
  nodes: BatchNode[];
  next: number | null;
}

export interface Trial {
  place: number;
  node: string;
  name: string | null;
  wave: number;
  is_accepted: boolean;
  refusal: { status: number; text: string } | null;
  states: string[];
}

export interface DryRun {
  node_count: number;
  waves: number[];
  accepted: number;
  refused: number;
  left_out: number;
  nodes: Trial[];
}

/** The longest list that the page sends; what is more is asked for by a query. */
export const MOST = 10_000;
/** No query may be empty; this one every node matches. */
const EVERY_NODE = 'uuid:*';
/** The most nodes that a batch can have. */
export const MOST_BY_QUERY = 100_000;

export interface Wish {
  action: string;
  arguments: Record<string, unknown>;
  /** Names by UUID, or the query that they match. */
  nodes: Map<string, string> | string;
  inWaves: boolean;
  /** So many nodes may fail; null stops between waves after the first. */
  mayFail: number | null;
}

/** Body of the request that makes a batch, or tries it out. */
export function body(wish: Wish): Record<string, unknown> {
  const { nodes } = wish;
  const sorted = typeof nodes === 'string' ? [] : [...nodes].sort((a, b) => a[1].localeCompare(b[1], 'en', { numeric: true }));
  return {
    action: wish.action,
    arguments: wish.arguments,
    ...(typeof nodes === 'string' ? { query: nodes === '' ? EVERY_NODE : nodes } : { nodes: sorted.map(([uuid]) => uuid) }),
    waves: wish.inWaves ? [1, '10%', 'rest'] : ['rest'],
    ...(wish.mayFail === null ? {} : { max_failures: wish.mayFail }),
  };
}

export function isOver(state: BatchState): boolean {
  return state === 'done' || state === 'aborted';
}

/** What can be done with a batch now. */
export function wishes(state: BatchState): ('pause' | 'resume' | 'abort')[] {
  if (state === 'running') return ['pause', 'abort'];
  if (state === 'paused' || state === 'stopped') return ['resume', 'abort'];
  return [];
}

export const STATE_WORDS: Record<BatchState, string> = {
  running: 'Running.',
  paused: 'Paused; no further node is touched.',
  stopped: 'Stopped after a failure; no further node is touched.',
  aborting: 'Aborted; nodes at work go on to their end.',
  done: 'All done.',
  aborted: 'Aborted.',
};

export const FATE_WORDS: Record<Fate, string> = {
  waiting: 'not yet',
  asked: 'being asked',
  running: 'under way',
  done: 'done',
  failed: 'failed',
  skipped: 'not touched',
};

/** How a batch fares, in one line. */
export function summary(batch: Batch): string {
  const { done, asked, running, failed, waiting, skipped } = batch.counts;
  return `${done} done, ${asked + running} under way, ${failed} failed, ${waiting + skipped} not touched.`;
}
