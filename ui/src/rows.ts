// The rows of the node list: pages around what is in sight, brought up to date by events, and read
// again where an event does not say enough.

import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type ApiError, get, part, signInCount } from './api/http.ts';
import type { LogEvent, Page, Row } from './api/shapes.ts';
import { STATES } from './api/states.ts';
import { asError } from './doc.ts';
import { anew, isCurrentTo, onEvents } from './live.ts';
import { PAGE, type Sight, pagesOf } from './parts/list.ts';

const AGAIN_MS = 500;

export interface Rows {
  total: number | undefined;
  error: ApiError | undefined;
  at: (index: number) => Row | undefined;
  /** Tells which rows are in sight, so that they are read. */
  see: (sight: Sight) => void;
  loaded: () => Row[];
  version: number;
}

/** What an event says about a row; null if the row has to be read again. */
export function patched(row: Row, event: LogEvent): Row | null {
  const text = (name: string) => {
    const value = event.data[name];
    return typeof value === 'string' ? value : null;
  };
  if (event.kind === 'provision') {
    const to = text('to');
    if (to === null || STATES[to] === undefined) return null;
    const look = STATES[to].look;
    return {
      ...row,
      provision_state: to,
      look,
      target_provision_state: text('target'),
      provision_updated_at: event.at,
      cause: look === 'failed' ? row.cause : null,
    };
  }
  if (event.kind === 'power') {
    const to = text('to');
    return to === null ? null : { ...row, power_state: to };
  }
  return null;
}

class Store {
  readonly version = signal(0);
  total: number | undefined;
  error: ApiError | undefined;
  private pages = new Map<number, Row[]>();
  private cursors = new Map<number, number>();
  private asked = new Map<number, AbortController>();
  private sight: Sight = { first: 0, end: PAGE };
  private timer: number | undefined;
  private seeTimer: number | undefined;
  private last = 0;

  /** What was shown before stays in sight until the first answer is there. */
  constructor(
    private readonly query: string,
    private before: Store | undefined,
  ) {
    if (before?.total === undefined) this.before = before?.before;
    this.total = this.before?.total;
    this.read(0);
  }

  at(index: number): Row | undefined {
    if (this.before !== undefined) return this.before.at(index);
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  loaded(): Row[] {
    return [...this.pages.values()].flat();
  }

  see(sight: Sight): void {
    this.sight = sight;
    window.clearTimeout(this.seeTimer);
    const missing = pagesOf(sight).filter((page) => !this.pages.has(page) && !this.asked.has(page));
    if (missing.length === 0) return;
    // A scroll bar that is dragged passes many pages; only where it rests is read.
    this.seeTimer = window.setTimeout(() => {
      for (const [page, abort] of this.asked) {
        if (!pagesOf(this.sight).includes(page)) abort.abort();
      }
      for (const page of pagesOf(this.sight)) if (!this.pages.has(page) && !this.asked.has(page)) this.read(page);
    }, 50);
  }

  private read(page: number): void {
    const abort = new AbortController();
    this.asked.get(page)?.abort();
    this.asked.set(page, abort);
    get<Page>(`/corten/v1/nodes?${this.query}&limit=${PAGE}&offset=${page * PAGE}`, abort.signal).then(
      (answer) => {
        if (this.asked.get(page) === abort) this.asked.delete(page);
        this.pages.set(page, answer.nodes);
        this.cursors.set(page, answer.cursor);
        this.total = answer.total;
        this.before = undefined;
        this.error = undefined;
        isCurrentTo(answer.cursor);
        this.version.value += 1;
      },
      (error: unknown) => {
        if (this.asked.get(page) === abort) this.asked.delete(page);
        if (abort.signal.aborted) return;
        this.error = asError(error);
        // What was read stays in sight when the service does not answer for a while.
        if (this.pages.size === 0) this.total = undefined;
        this.before = undefined;
        this.version.value += 1;
      },
    );
  }

  take(events: LogEvent[]): void {
    let changed = false;
    const byNode = new Map<string, LogEvent[]>();
    for (const event of events) {
      const known = byNode.get(event.node);
      if (known === undefined) byNode.set(event.node, [event]);
      else known.push(event);
    }
    for (const [page, rows] of this.pages) {
      const cursor = this.cursors.get(page) ?? 0;
      for (const [index, row] of rows.entries()) {
        for (const event of byNode.get(row.uuid) ?? []) {
          if (event.cursor <= cursor) continue;
          const next = patched(rows[index] ?? row, event);
          if (next === null) continue;
          rows[index] = next;
          changed = true;
        }
      }
    }
    if (changed) this.version.value += 1;
    // Membership, order and causes are the service's to say.
    if (this.timer === undefined) {
      const wait = Math.max(0, this.last + AGAIN_MS - Date.now());
      this.timer = window.setTimeout(() => {
        this.timer = undefined;
        this.last = Date.now();
        this.refresh();
      }, wait);
    }
  }

  /** Reads again what is in sight, and forgets the rest. */
  refresh(): void {
    const wanted = new Set(pagesOf(this.sight));
    for (const page of [...this.pages.keys()]) {
      if (!wanted.has(page)) this.pages.delete(page);
    }
    if (wanted.size === 0) wanted.add(0);
    for (const page of wanted) this.read(page);
  }

  stop(): void {
    window.clearTimeout(this.timer);
    window.clearTimeout(this.seeTimer);
    for (const abort of this.asked.values()) abort.abort();
  }
}

const FIELDS =
  'uuid,name,look,provision_state,target_provision_state,provision_updated_at,power_state,target_power_state,maintenance,fault,retired,protected,driver,resource_class,conductor,conductor_group,chassis_uuid,shard,owner,lessee,instance_uuid,reservation,cause';

export function useRows(q: string, sort: string): Rows {
  const generation = anew.value + signInCount.value;
  const last = useRef<Store | undefined>(undefined);
  const store = useMemo(() => {
    last.current = new Store(`q=${part(q)}&sort=${part(sort)}&fields=${FIELDS}`, last.current);
    return last.current;
  }, [q, sort]);
  useEffect(() => {
    const stop = onEvents((events) => store.take(events));
    return () => {
      stop();
      store.stop();
    };
  }, [store]);
  useEffect(() => {
    if (generation > 0) store.refresh();
  }, [generation]);
  return {
    version: store.version.value,
    total: store.total,
    error: store.error,
    at: (index) => store.at(index),
    see: (sight) => store.see(sight),
    loaded: () => store.loaded(),
  };
}
