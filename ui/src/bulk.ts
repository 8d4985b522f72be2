// One verb over many nodes, in waves: first one node, then a tenth, then the rest. The next wave
// begins when the last one ended well. What happens to each node is kept, so that a closed tab can be
// taken up again. Knows no screen and no network: both are handed in.

export type Fate = 'queued' | 'asked' | 'done' | 'failed' | 'refused' | 'left';

export interface Item {
  uuid: string;
  name: string;
  fate: Fate;
  wave: number;
  reason: string | null;
}

export interface BulkPlan {
  /** The word of the verb, such as `provide`. */
  verb: string;
  /** Body of the request. */
  body: Record<string, unknown>;
  items: Item[];
  /** So many failures end the run. */
  failures: number;
  state: 'ready' | 'running' | 'paused' | 'stopped' | 'done';
}

export const MOST = 500;
const AT_ONCE = 20;

/** Wave of each of `count` nodes: one, a tenth, the rest. */
export function waves(count: number): number[] {
  const second = 1 + Math.ceil(count / 10);
  return Array.from({ length: count }, (_, index) => (index === 0 ? 0 : index < second ? 1 : 2));
}

export function plan(verb: string, body: Record<string, unknown>, nodes: Map<string, string>, inWaves: boolean, failures: number): BulkPlan {
  const sorted = [...nodes].sort((a, b) => a[1].localeCompare(b[1], 'en', { numeric: true }));
  const waveOf = inWaves ? waves(sorted.length) : sorted.map(() => 0);
  const items = sorted.map(([uuid, name], index) => ({ uuid, name, fate: 'queued' as Fate, wave: waveOf[index] ?? 0, reason: null }));
  return { verb, body, items, failures: Math.max(1, failures), state: 'ready' };
}

export type Ending = { done: true } | { done: false; reason: string };

export interface Hands {
  /** Asks for the verb; throws if it is refused. */
  ask: (item: Item) => Promise<void>;
  /** Waits until the node came to rest. */
  ended: (item: Item) => Promise<Ending>;
  /** The plan changed. */
  changed: (plan: BulkPlan) => void;
  /** Whether to go on. */
  wanted: () => boolean;
}

function bad(run: BulkPlan): number {
  return run.items.filter((item) => item.fate === 'failed' || item.fate === 'refused').length;
}

/** Runs what is left of a plan. */
export async function run(plan: BulkPlan, hands: Hands): Promise<void> {
  plan.state = 'running';
  const last = Math.max(...plan.items.map((item) => item.wave));
  for (let wave = 0; wave <= last; wave += 1) {
    const mine = plan.items.filter((item) => item.wave === wave && (item.fate === 'queued' || item.fate === 'asked'));
    let next = 0;
    const worker = async () => {
      while (next < mine.length) {
        const item = mine[next];
        next += 1;
        if (item === undefined) return;
        if (!hands.wanted() || bad(plan) >= plan.failures) return;
        await one(plan, item, hands);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, mine.length) }, worker));
    if (bad(plan) >= plan.failures) {
      for (const item of plan.items) if (item.fate === 'queued') item.fate = 'left';
      plan.state = 'stopped';
      hands.changed(plan);
      return;
    }
    if (!hands.wanted()) {
      plan.state = 'paused';
      hands.changed(plan);
      return;
    }
  }
  plan.state = 'done';
  hands.changed(plan);
}

async function one(plan: BulkPlan, item: Item, hands: Hands): Promise<void> {
  const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));
  if (item.fate === 'queued') {
    try {
      item.fate = 'asked';
      hands.changed(plan);
      await hands.ask(item);
    } catch (error) {
      item.fate = 'refused';
      item.reason = reason(error);
      hands.changed(plan);
      return;
    }
  }
  try {
    const ending = await hands.ended(item);
    item.fate = ending.done ? 'done' : 'failed';
    item.reason = ending.done ? null : ending.reason;
  } catch (error) {
    item.fate = 'failed';
    item.reason = reason(error);
  }
  hands.changed(plan);
}

const PLACE = 'corten.bulk';

export function keep(plan: BulkPlan): void {
  if (plan.state === 'done' || plan.state === 'stopped') localStorage.removeItem(PLACE);
  else localStorage.setItem(PLACE, JSON.stringify(plan));
}

export function kept(): BulkPlan | null {
  try {
    const text = localStorage.getItem(PLACE);
    return text === null ? null : (JSON.parse(text) as BulkPlan);
  } catch {
    return null;
  }
}

export function forget(): void {
  localStorage.removeItem(PLACE);
}
