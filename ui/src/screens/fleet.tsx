// The fleet at a glance: what needs a person, what is under way, and every machine on a map.

import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, ask, part, signInCount } from '../api/http.ts';
import type { Cause, Failures, Fleet, FleetMap, LogEvent, Operation, Work } from '../api/shapes.ts';
import type { Look } from '../api/states.ts';
import { asError, useDoc } from '../doc.ts';
import { age, bytes, duration, number, percent, plural } from '../format.ts';
import { useKeys } from '../keys.ts';
import { anew, isCurrentTo, onEvents } from '../live.ts';
import { Age, Button, Clock, Empty, Failed, Loaded, Meter, Panel, Skeleton, Words } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Icon, LOOKS, Mark } from '../parts/marks.tsx';
import { href, query, setQuery } from '../router.ts';
import { me } from '../session.ts';
import { groupBy } from '../settings.ts';
import { curl } from '../verbs.ts';
import { both, FleetPicture, groupName } from './map.tsx';
import { QueryInput } from './query-input.tsx';
import type { Status } from './conductors.tsx';

const CHANGES = new Set(['created', 'deleted', 'provision', 'error', 'maintenance', 'updated', 'warning', 'resumed']);
const changes = (event: LogEvent) => CHANGES.has(event.kind);

/** So many causes are shown before one asks for the others. */
const FEW = 8;

export const GROUPS: [string, string][] = [
  ['resource_class', 'resource class'],
  ['driver', 'driver'],
  ['conductor', 'conductor'],
  ['conductor_group', 'conductor group'],
  ['chassis', 'chassis'],
  ['shard', 'shard'],
  ['owner', 'owner'],
  ['state', 'state'],
];

export function FleetScreen() {
  const q = query.value.get('q') ?? '';
  const by = query.value.get('by') ?? groupBy.value;
  const table = query.value.get('as') === 'table';
  const filter = q === '' ? '' : `&q=${part(q)}`;
  const fleet = useDoc<Fleet>(`/corten/v1/fleet?by=${part(by)}${filter}`, { on: changes, atMost: 1_000, keep: true });
  const failures = useDoc<Failures>(`/corten/v1/failures?${filter.slice(1)}`, { on: changes, atMost: 1_000, every: 30_000, keep: true });
  const work = useDoc<Work>('/corten/v1/work', { every: 2_000 });
  const status = useDoc<Status>('/corten/v1/status', { every: 10_000 });
  useKeys([
    { keys: 't', about: 'map as a table, and back', run: () => setQuery({ as: table ? null : 'table' }) },
    { keys: '/', about: 'filter', run: () => document.getElementById('query')?.focus() },
  ]);
  const counts = fleet.data.value;
  if (counts !== undefined && counts.total === 0 && q === '') return <NoMachines />;
  const names = me.value?.group_key ? [...GROUPS, [`extra.${me.value.group_key}`, me.value.group_key] as [string, string]] : GROUPS;
  return (
    <div class="fleet">
      <h1 class="hidden">Fleet</h1>
      <div class="fleet-top">
        <Panel
          class="needs"
          title={
            <>
              Needs a person
              {failures.data.value !== undefined && failures.data.value.total > 0 && <span class="count count-failed">{number(failures.data.value.total)}</span>}
            </>
          }
        >
          <Loaded doc={failures} lines={4}>
            {(data) => <Needs failures={data} status={status.data.value} filter={q} />}
          </Loaded>
        </Panel>
        <Panel
          class="under-way"
          title={
            <>
              Under way
              {work.data.value !== undefined && <span class="count">{number(work.data.value.total)}</span>}
            </>
          }
          actions={
            work.data.value !== undefined && work.data.value.total > 0 ? (
              <a class="button button-quiet button-small" href={href(['nodes'], { q: 'state:working,waiting', sort: 'provision_updated_at' })}>
                List
              </a>
            ) : undefined
          }
        >
          <Loaded doc={work} lines={4}>
            {(data) => <UnderWay work={data} />}
          </Loaded>
        </Panel>
      </div>
      <Panel
        class="map-panel"
        title={counts === undefined ? 'Machines' : plural(counts.total, 'machine')}
        actions={
          <>
            <label class="inline-label">
              By{' '}
              <select
                class="select"
                value={by}
                onChange={(event) => {
                  groupBy.value = event.currentTarget.value;
                  setQuery({ by: null });
                }}
              >
                {names.map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <Button small kind="quiet" pressed={table} onClick={() => setQuery({ as: table ? null : 'table' })}>
              Table
            </Button>
            <ShowCommand commands={{ corten: `corten fleet counts --by ${by}`, curl: curl('GET', `/corten/v1/fleet?by=${by}${filter}`) }} />
          </>
        }
      >
        <QueryInput q={q} onQuery={(next) => setQuery({ q: next })} error={fleet.error.value} />
        <Loaded doc={fleet} lines={2}>
          {(data) => (
            <>
              <Summary counts={data} q={q} />
              {table ? <GroupTable fleet={data} q={q} /> : <MapOf by={by} q={q} />}
              {data.left_out > 0 && <p class="faint">{plural(data.left_out, 'smaller group')} not shown.</p>}
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function NoMachines() {
  return (
    <Empty title="No machines yet">
      <p>Every machine of your racks will be here, with what it does and what it needs.</p>
      <p class="row">
        <a class="button button-main" href={href(['enrol'])}>
          Enrol machines
        </a>
        <span class="faint">
          or try a rack of fake ones: <code>corten demo</code>
        </span>
      </p>
    </Empty>
  );
}

function Needs({ failures, status, filter }: { failures: Failures; status: Status | undefined; filter: string }) {
  const [showsAll, showAll] = useState(false);
  // Failed nodes are listed by cause already.
  const problems = (status?.problems ?? []).filter((problem) => problem.code !== 'failed_nodes');
  if (failures.causes.length === 0 && problems.length === 0) {
    return (
      <div class="all-well">
        <Icon name="check" />
        <div>
          <p class="all-well-title">Nothing needs a person</p>
          <p class="faint">Failed, faulty and stuck machines appear here with their cause and what to do.</p>
        </div>
      </div>
    );
  }
  return (
    <ul class="causes">
      {problems.map((problem) => (
        <li class="cause" key={problem.code}>
          <span class="cause-count cause-warn">
            <Icon name="warn" />
          </span>
          <div class="cause-words">
            <p class="cause-sentence">{problem.text}</p>
            <p class="cause-advice"><Words text={problem.advice} /></p>
          </div>
          <a class="button button-small" href={href(['conductors'])}>
            Show
          </a>
        </li>
      ))}
      {failures.causes.slice(0, showsAll ? undefined : FEW).map((cause) => (
        <CauseRow key={cause.code} cause={cause} filter={filter} />
      ))}
      {failures.causes.length > FEW && (
        <li class="causes-more">
          <Button small kind="quiet" expanded={showsAll} onClick={() => showAll(!showsAll)}>
            {showsAll ? `The first ${FEW} only` : `Show ${plural(failures.causes.length - FEW, 'more cause')}`}
          </Button>
        </li>
      )}
    </ul>
  );
}

function CauseRow({ cause, filter }: { cause: Cause; filter: string }) {
  const single = cause.count === 1 ? cause.nodes[0] : undefined;
  const to = single === undefined ? href(['nodes'], { q: both(filter, cause.q) }) : href(['nodes', single.name ?? single.uuid]);
  return (
    <li class="cause">
      <span class="cause-count">
        <Mark look="failed" /> {number(cause.count)}
      </span>
      <div class="cause-words">
        <p class="cause-sentence">{cause.sentence ?? cause.example ?? 'You may not see the cause.'}</p>
        {cause.advice !== null && <p class="cause-advice"><Words text={cause.advice} /></p>}
        <p class="cause-nodes faint">
          {cause.since !== null && (
            <>
              since <Clock at={cause.since} />{' '}
            </>
          )}
          {cause.nodes.slice(0, 3).map((node) => (
            <a key={node.uuid} href={href(['nodes', node.name ?? node.uuid])}>
              {node.name ?? node.uuid.slice(0, 8)}
            </a>
          ))}
          {cause.count > 3 && <span>and {number(cause.count - 3)} more</span>}
        </p>
      </div>
      <a class="button button-small" href={to} aria-label={single === undefined ? `List ${cause.count} nodes: ${cause.sentence ?? ''}` : `Open ${single.name ?? single.uuid}`}>
        {single === undefined ? 'List' : 'Open'}
      </a>
    </li>
  );
}

function UnderWay({ work }: { work: Work }) {
  if (work.operations.length === 0) {
    return <Empty title="Nothing is under way">Deployments, cleaning and inspections appear here while they run.</Empty>;
  }
  return (
    <ul class="work">
      {work.operations.slice(0, 7).map((operation) => (
        <WorkRow key={operation.node} operation={operation} />
      ))}
      {work.total > 7 && <li class="faint">… {number(work.total - 7)} more</li>}
    </ul>
  );
}

export function WorkRow({ operation }: { operation: Operation }) {
  const name = operation.name ?? operation.node;
  const { progress, waiting } = operation;
  const share = progress !== null && progress.bytes !== null && progress.total !== null ? percent(progress.bytes, progress.total) : null;
  return (
    <li class="work-row">
      <a class="work-name" href={href(['nodes', name])}>
        <Mark look={operation.look} /> {name}
      </a>
      <span class="work-verb">{operation.verb ?? operation.provision_state}</span>
      <span class={`work-what${waiting?.is_stuck === true ? ' stuck' : ''}`}>
        {waiting !== null ? `waits ${age(waiting.since)} for ${waiting.for}` : (operation.phase ?? operation.step ?? operation.provision_state)}
        {operation.steps_total !== null && operation.steps_total > 1 && ` · step ${Math.min((operation.steps_done ?? 0) + 1, operation.steps_total)} of ${operation.steps_total}`}
        {progress?.rate !== null && progress?.rate !== undefined && ` · ${bytes(progress.rate)}/s`}
        {progress?.eta !== null && progress?.eta !== undefined && ` · ${duration(progress.eta)} left`}
      </span>
      <span class="work-age">
        <Age at={operation.started_at ?? operation.state_since} />
      </span>
      {share !== null && <Meter value={share} label={`${name}: ${Math.round(share)} %`} />}
    </li>
  );
}

function Summary({ counts, q }: { counts: Fleet; q: string }) {
  const present = LOOKS.filter(({ look }) => counts.looks[look] > 0);
  return (
    <div class="summary">
      <div class="summary-bar" aria-hidden="true">
        {present.map(({ look }) => (
          <span key={look} class={`fill-${look}`} style={{ flexGrow: counts.looks[look] }} />
        ))}
      </div>
      <ul class="summary-list">
        {LOOKS.map(({ look, word }) => (
          <li key={look}>
            <a class={`tally look-${look}${counts.looks[look] === 0 ? ' tally-none' : ''}`} href={href(['nodes'], { q: both(q, `state:${look}`) })}>
              <Mark look={look} /> <span class="tally-word">{word}</span> <strong>{number(counts.looks[look])}</strong>
            </a>
          </li>
        ))}
        {counts.maintenance > 0 && (
          <li>
            <a class="tally" href={href(['nodes'], { q: both(q, 'maint:yes') })}>
              <span class="chip chip-hatch">maintenance</span> <strong>{number(counts.maintenance)}</strong>
            </a>
          </li>
        )}
      </ul>
    </div>
  );
}

function GroupTable({ fleet, q }: { fleet: Fleet; q: string }) {
  return (
    <div class="scroll-x">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">group</th>
            <th scope="col" class="num">machines</th>
            {LOOKS.map(({ look, word }) => (
              <th scope="col" class="num" key={look}>
                {word}
              </th>
            ))}
            <th scope="col" class="num">maintenance</th>
          </tr>
        </thead>
        <tbody>
          {fleet.groups.map((group) => (
            <tr key={group.q}>
              <th scope="row">
                <a href={href(['nodes'], { q: both(q, group.q) })}>{groupName(group.name)}</a>
              </th>
              <td class="num">{number(group.total)}</td>
              {LOOKS.map(({ look }) => (
                <Tally key={look} look={look} count={group.looks[look]} to={both(q, group.q, `state:${look}`)} />
              ))}
              <td class="num">{group.maintenance === 0 ? <span class="faint">0</span> : number(group.maintenance)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Tally({ look, count, to }: { look: Look; count: number; to: string }) {
  return (
    <td class="num">
      {count === 0 ? (
        <span class="faint">0</span>
      ) : (
        <a class={`look-${look}`} href={href(['nodes'], { q: to })}>
          {number(count)}
        </a>
      )}
    </td>
  );
}

/** Read again at most every two seconds, and drawn only if it changed. */
function MapOf({ by, q }: { by: string; q: string }) {
  const map = useSignal<FleetMap | undefined>(undefined);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    let etag: string | null = null;
    let timer: number | undefined;
    let last = 0;
    let gone = false;
    const read = async () => {
      timer = undefined;
      last = Date.now();
      try {
        const response = await ask(`/corten/v1/fleet/map?by=${part(by)}&q=${part(q)}`, { headers: etag === null ? {} : { 'If-None-Match': etag } });
        if (gone || response.status === 304) return;
        etag = response.headers.get('etag');
        map.value = (await response.json()) as FleetMap;
        isCurrentTo(map.value.cursor);
        setError(null);
      } catch (caught) {
        if (!gone) setError(asError(caught));
      }
    };
    const stop = onEvents((events) => {
      if (timer !== undefined || !events.some(changes)) return;
      timer = window.setTimeout(() => void read(), Math.max(0, last + 2_000 - Date.now()));
    });
    void read();
    return () => {
      gone = true;
      stop();
      window.clearTimeout(timer);
    };
  }, [by, q, anew.value, signInCount.value]);
  if (error !== null && map.value === undefined) return <Failed error={error} />;
  if (map.value === undefined) return <Skeleton lines={5} />;
  if (map.value.total === 0) return <Empty title="No machine matches">Change the filter, or clear it.</Empty>;
  return <FleetPicture map={map.value} q={q} />;
}

