// One stream of events for the whole page. Events are gathered for a moment and handed out together;
// a page that is not seen closes its stream and reads on from its cursor when it is shown again,
// because browsers share six connections among all tabs.

import { signal } from '@preact/signals';
import { ApiError, ask, isLost, signInCount } from './api/http.ts';
import type { LogEvent } from './api/shapes.ts';

const GATHER_MS = 100;
const FIRST_DOCUMENT_MS = 1_000;
const HIDDEN_MS = 15_000;
const SILENT_MS = 40_000;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 30_000;
/** So many events behind, reading everything anew is quicker. */
const TOO_MANY = 2_000;

export type Connection = 'connecting' | 'live' | 'lost' | 'paused';

export const connection = signal<Connection>('connecting');
connection.subscribe((now) => (isLost.value = now === 'lost'));
/** When the service was last heard of. */
export const lastWord = signal(Date.now());
/** Up to where the log was read. */
export const cursor = signal(0);
/** Rises when what is shown cannot be brought up to date by events. */
export const anew = signal(0);

type Listener = (events: LogEvent[]) => void;
const listeners = new Set<Listener>();

/** Hands all further events to `listener`; the answer ends that. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let gathered: LogEvent[] = [];
let timer: number | undefined;
let abort: AbortController | undefined;
let retryMs = FIRST_RETRY_MS;
let retryTimer: number | undefined;
let hiddenTimer: number | undefined;
let watchdog: number | undefined;
let running = false;
let caughtUp = 0;

function flush(): void {
  timer = undefined;
  const events = gathered;
  gathered = [];
  for (const listener of [...listeners]) listener(events);
}

function take(event: LogEvent): void {
  if (event.cursor <= cursor.value) return;
  cursor.value = event.cursor;
  gathered.push(event);
  timer ??= window.setTimeout(flush, GATHER_MS);
}

/** Begins to follow the log: from the first document that says how current it is, or from now. */
export function start(): void {
  if (running) return;
  running = true;
  document.addEventListener('visibilitychange', seen);
  if (document.hidden) connection.value = 'paused';
  else retryTimer = window.setTimeout(connect, FIRST_DOCUMENT_MS);
  let seenCount = signInCount.value;
  signInCount.subscribe((count) => {
    if (count > seenCount) retryNow();
    seenCount = count;
  });
}

/** A document was read that holds everything up to here. */
export function isCurrentTo(place: number): void {
  if (!running || abort !== undefined || cursor.value > 0 || connection.value !== 'connecting') return;
  cursor.value = place;
  window.clearTimeout(retryTimer);
  connect();
}

function seen(): void {
  window.clearTimeout(hiddenTimer);
  if (document.hidden) {
    hiddenTimer = window.setTimeout(() => {
      connection.value = 'paused';
      stop();
    }, HIDDEN_MS);
  } else if (connection.value === 'paused' || connection.value === 'lost') {
    retryNow();
  }
}

function stop(): void {
  window.clearTimeout(retryTimer);
  window.clearTimeout(watchdog);
  abort?.abort();
  abort = undefined;
}

export function retryNow(): void {
  stop();
  retryMs = FIRST_RETRY_MS;
  // Tabs that are opened in the background would use up the connections of the one that is seen.
  if (document.hidden) connection.value = 'paused';
  else connect();
}

function lost(): void {
  if (connection.value === 'paused') return;
  connection.value = 'lost';
  stop();
  retryTimer = window.setTimeout(connect, retryMs);
  retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
}

function heard(): void {
  lastWord.value = Date.now();
  window.clearTimeout(watchdog);
  watchdog = window.setTimeout(lost, SILENT_MS);
}

async function connect(): Promise<void> {
  const mine = new AbortController();
  abort = mine;
  if (connection.value !== 'lost') connection.value = 'connecting';
  const resumed = cursor.value > 0;
  const headers: Record<string, string> = { Accept: 'text/event-stream' };
  if (resumed) headers['Last-Event-ID'] = String(cursor.value);
  try {
    const response = await ask('/corten/v1/events', { headers, signal: mine.signal });
    const wasLost = connection.value === 'lost';
    connection.value = 'live';
    retryMs = FIRST_RETRY_MS;
    heard();
    // Documents that were read before the stream began may lack what happened in between.
    if (!resumed || wasLost) anew.value += 1;
    caughtUp = 0;
    await follow(response, mine, resumed);
    if (abort === mine) lost();
  } catch (error) {
    if (abort !== mine) return;
    if (error instanceof ApiError && error.status === 410) {
      cursor.value = 0;
      connect();
      return;
    }
    if (error instanceof ApiError && error.status === 401) {
      // The panel asks who is there; signing in connects again.
      connection.value = 'paused';
      stop();
      return;
    }
    lost();
  }
}

async function follow(response: Response, mine: AbortController, resumed: boolean): Promise<void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let data = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done || abort !== mine) return;
    heard();
    rest += decoder.decode(value, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line.startsWith('id:')) id = line.slice(3).trim();
      else if (line.startsWith('data:')) data += line.slice(5).trim();
      else if (line === '') {
        if (data !== '') {
          take(JSON.parse(data) as LogEvent);
          caughtUp += 1;
        } else if (id !== '' && Number(id) > cursor.value) cursor.value = Number(id);
        id = data = '';
      }
    }
    if (resumed && caughtUp > TOO_MANY) {
      gathered = [];
      cursor.value = 0;
      stop();
      connect();
      return;
    }
    if (resumed && caughtUp > 0) window.setTimeout(() => (caughtUp = 0), 1_000);
  }
}
