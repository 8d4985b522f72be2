// The log of everything that happened: filters, any moment, pause and follow.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, part } from '../api/http.ts';
import type { LogEvent, Page } from '../api/shapes.ts';
import { asError } from '../doc.ts';
import { number, utc } from '../format.ts';
import { useKeys } from '../keys.ts';
import { cursor, onEvents } from '../live.ts';
import { Button, Empty, Failed, Skeleton } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Icon } from '../parts/marks.tsx';
import { href, query, setQuery } from '../router.ts';
import { curl, quoted } from '../verbs.ts';

const KEPT = 10_000;
/** So far before the newest event the list begins. */
const BACK = 300;
const SHOWN = 400;
const KINDS = ['created', 'provision', 'power', 'step', 'error', 'warning', 'maintenance', 'console', 'batch', 'updated', 'resumed', 'deleted'];

export function Events() {
  const kind = query.value.get('kind') ?? '';
  const node = query.value.get('node') ?? '';
  const project = query.value.get('project') ?? '';
  const after = query.value.get('after');
  const [events, setEvents] = useState<LogEvent[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [paused, pause] = useState(false);
  const held = useRef<LogEvent[]>([]);
  const [waiting, setWaiting] = useState(0);
  const [open, setOpen] = useState<number | null>(null);
  const filter = [['kind', kind], ['node', node], ['project', project]].map(([name, value]) => (value === '' ? '' : `&${name}=${part(value ?? '')}`)).join('');

  useEffect(() => {
    let gone = false;
    setEvents(null);
    setError(null);
    const read = async () => {
      try {
        const from = after === null ? await start() : Number(after);
        const page = await get<{ events: LogEvent[] }>(`/corten/v1/events?limit=1000&after=${from}${filter}`);
        if (!gone) setEvents(page.events.reverse());
      } catch (caught) {
        if (!gone) setError(asError(caught));
      }
    };
    void read();
    return () => {
      gone = true;
    };
  }, [filter, after]);

  useEffect(() => {
    if (after !== null) return undefined;
    const take = (fits: LogEvent[]) => {
      if (fits.length === 0) return;
      if (paused) {
        held.current = [...fits.reverse(), ...held.current].slice(0, KEPT);
        setWaiting(held.current.length);
      } else setEvents((before) => merged(before ?? [], fits));
    };
    // Events do not name the project of their node, so the service has to choose.
    if (project !== '') return poll(filter, take);
    return onEvents((batch) => take(batch.filter((event) => (kind === '' || event.kind === kind) && (node === '' || event.node === node || event.node_name === node))));
  }, [filter, after, paused]);

  const follow = () => {
    setEvents((before) => merged(before ?? [], held.current.reverse()));
    held.current = [];
    setWaiting(0);
    pause(false);
  };
  useKeys([{ keys: 'p', about: 'pause, and follow again', run: () => (paused ? follow() : pause(true)) }]);

  const gone = error !== null && error.status === 410 ? (error.body as { oldest?: number } | null) : null;
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Events</h1>
        <select class="select" aria-label="Kind" value={kind} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
          <option value="">all kinds</option>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <input class="input filter" aria-label="Node" placeholder="node" value={node} onChange={(event) => setQuery({ node: event.currentTarget.value.trim() })} />
        <input class="input filter" aria-label="Project" placeholder="project" value={project} onChange={(event) => setQuery({ project: event.currentTarget.value.trim() })} />
        <label class="inline-label">
          at{' '}
          <input
            class="input filter"
            type="datetime-local"
            onChange={(event) => {
              const at = event.currentTarget.value;
              if (at === '') setQuery({ after: null });
              else void cursorAt(new Date(at).getTime()).then((found) => setQuery({ after: String(found) }), (caught: unknown) => setError(asError(caught)));
            }}
          />
        </label>
        {after === null ? (
          <Button small pressed={paused} onClick={() => (paused ? follow() : pause(true))}>
            <Icon name={paused ? 'play' : 'pause'} /> {paused ? `Follow${waiting > 0 ? ` · ${number(waiting)} new` : ''}` : 'Pause'}
          </Button>
        ) : (
          <Button small kind="main" onClick={() => setQuery({ after: null })}>
            Follow the newest
          </Button>
        )}
        <span class="spring" />
        <ShowCommand commands={{ corten: `corten events${node === '' ? '' : ` --node ${quoted(node)}`}${kind === '' ? '' : ` --kind ${kind}`}`, curl: curl('GET', `/corten/v1/events?after=0${filter}`) }} />
      </div>
      {error !== null && (
        <div class="stack">
          <Failed error={error} />
          {gone?.oldest !== undefined && (
            <Button onClick={() => setQuery({ after: String((gone.oldest ?? 1) - 1) })}>Read from the oldest event that is kept</Button>
          )}
        </div>
      )}
      {error === null && events === null && <Skeleton lines={10} />}
      {events !== null && events.length === 0 && <Empty title="No event matches">Everything that happens to machines is written here.</Empty>}
      {events !== null && events.length > 0 && (
        <div class="panel event-list">
          {events.slice(0, SHOWN).map((event) => (
            <div class="event-row" key={event.cursor}>
              <time dateTime={event.at} title={utc(event.at)}>
                {new Date(event.at).toLocaleTimeString('en-GB')}
              </time>
              <a href={href(['nodes', event.node_name ?? event.node])}>{event.node_name ?? event.node.slice(0, 8)}</a>
              <span class={`kind-${event.kind}`}>{event.kind}</span>
              <span class="event-text">{event.text}</span>
              <Button small kind="quiet" label={`JSON of event ${event.cursor}`} expanded={open === event.cursor} onClick={() => setOpen(open === event.cursor ? null : event.cursor)}>
                JSON
              </Button>
              {open === event.cursor && <pre class="json event-json">{JSON.stringify(event, null, 2)}</pre>}
            </div>
          ))}
          {events.length > SHOWN && <p class="faint event-row">{number(events.length - SHOWN)} older ones are not drawn; filter to see them.</p>}
        </div>
      )}
    </div>
  );
}

/** Asks for what is new, and waits for it, until the answer is called. */
function poll(filter: string, take: (events: LogEvent[]) => void): () => void {
  const abort = new AbortController();
  const ask = async () => {
    let from = cursor.peek();
    while (!abort.signal.aborted) {
      const page = await get<{ events: LogEvent[]; next: number }>(`/corten/v1/events?wait=20&after=${from}${filter}`, abort.signal);
      from = page.next;
      take(page.events);
    }
  };
  ask().catch(() => undefined);
  return () => abort.abort();
}

function merged(before: LogEvent[], fresh: LogEvent[]): LogEvent[] {
  const newest = before[0]?.cursor ?? 0;
  const added = fresh.filter((event) => event.cursor > newest).sort((a, b) => b.cursor - a.cursor);
  return [...added, ...before].slice(0, KEPT);
}

/** The log's end, which everybody may know who reads it; the status of the service is for fewer. */
async function end(): Promise<number> {
  return (await get<Page>('/corten/v1/nodes?fields=uuid&limit=1')).cursor;
}

/** The cursor of the oldest event that is kept. */
async function oldest(): Promise<number> {
  try {
    await get('/corten/v1/events?limit=1&after=0');
    return 1;
  } catch (error) {
    if (error instanceof ApiError && error.status === 410) return (error.body as { oldest?: number } | null)?.oldest ?? 1;
    throw error;
  }
}

/** Where the list begins: not long ago, and not before what is kept. */
async function start(): Promise<number> {
  const [first, last] = await Promise.all([oldest(), end()]);
  return Math.max(first - 1, last - BACK);
}

/** The cursor before the first event at or after a moment, by halving. */
async function cursorAt(moment: number): Promise<number> {
  let [low, high] = await Promise.all([oldest(), end()]);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const page = await get<{ events: LogEvent[] }>(`/corten/v1/events?limit=1&after=${middle - 1}`);
    const event = page.events[0];
    if (event === undefined || Date.parse(event.at) >= moment) high = middle;
    else low = Math.max(event.cursor, middle) + 1;
  }
  return Math.max(0, low - 1);
}
