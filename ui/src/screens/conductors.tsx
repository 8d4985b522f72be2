// How the service itself fares: who is alive, who looks after what, what is late, and the database.

import { useDoc } from '../doc.ts';
import { age, bytes, duration, number } from '../format.ts';
import { Button, Facts, Loaded, Panel, Words } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import { href } from '../router.ts';
import { curl } from '../verbs.ts';
import { useState } from 'preact/hooks';
import { value } from '../query.ts';

interface Pass {
  name: string;
  interval_s: number;
  lag_s: number;
  is_running: boolean;
  rounds: number;
  last_began: string | null;
  last_duration_s: number;
  last_visited: number;
  last_failed: number;
}

interface Conductor {
  host: string;
  group: string;
  drivers: string[];
  state: string;
  last_seen_s: number;
  nodes: number;
  leases: number;
  version: string | null;
  uptime_s: number | null;
  may_act: boolean | null;
  workers_busy: number | null;
  workers: number | null;
  passes: Pass[] | null;
  outages: unknown[] | null;
  error: string | null;
}

export interface Status {
  verdict: string;
  problems: { severity: string; code: string; text: string; advice: string }[];
  at: string;
  process: { host: string; role: string; version: string };
  conductors: Conductor[];
  ring: { group: string; driver: string; nodes: number; shares: { host: string; share: number }[] }[];
  leases: { count: number; orphaned: number; quietest: { name: string | null; node: string; conductor: string; provision_state: string; quiet_s: number } | null };
  database: Record<string, unknown> & { engine: string; location: string; error: string | null; latency_s: number | null; size_bytes: number | null };
  webhooks: { count: number; disabled: number; failing: number; dead_letters: number };
}

export function Conductors() {
  const doc = useDoc<Status>('/corten/v1/status', { every: 5_000 });
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Conductors</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: 'corten status', curl: curl('GET', '/corten/v1/status') }} />
      </div>
      <Loaded doc={doc} lines={8}>
        {(status) => (
          <>
            <Verdict status={status} />
            <div class="cards">
              {status.conductors.map((one) => (
                <ConductorCard key={one.host} one={one} />
              ))}
            </div>
            <Ring status={status} />
            <div class="cards">
              <Panel title="Leases" level={3}>
                <div class="figures">
                  <Figure value={number(status.leases.count)} label="held" />
                  <Figure value={number(status.leases.orphaned)} label="without an owner" />
                </div>
                {status.leases.quietest !== null && (
                  <p class="faint">
                    The quietest is <a href={href(['nodes', status.leases.quietest.name ?? status.leases.quietest.node])}>{status.leases.quietest.name ?? status.leases.quietest.node}</a>, {duration(status.leases.quietest.quiet_s)} without a word.
                  </p>
                )}
              </Panel>
              <Panel title="Database" level={3}>
                <Facts
                  rows={[
                    ['Engine', status.database.engine],
                    ['Answers within', status.database.latency_s === null ? null : `${(status.database.latency_s * 1_000).toFixed(1)} ms`],
                    ['Size', status.database.size_bytes === null ? null : bytes(status.database.size_bytes)],
                    ['Place', <code>{status.database.location}</code>],
                    ['Error', status.database.error],
                  ]}
                />
              </Panel>
              <Panel title="Webhooks" level={3}>
                <div class="figures">
                  <Figure value={number(status.webhooks.count)} label="in all" />
                  <Figure value={number(status.webhooks.failing)} label="failing" />
                  <Figure value={number(status.webhooks.dead_letters)} label="dead letters" />
                </div>
              </Panel>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Figure({ value: figure, label }: { value: string; label: string }) {
  return (
    <div class="figure">
      <strong>{figure}</strong>
      <span>{label}</span>
    </div>
  );
}

function Verdict({ status }: { status: Status }) {
  if (status.problems.length === 0) {
    return (
      <div class="all-well">
        <Icon name="check" />
        <div>
          <p class="all-well-title">The service is well</p>
          <p class="faint">
            {status.process.host} speaks, {status.process.role}, version {status.process.version}.
          </p>
        </div>
      </div>
    );
  }
  return (
    <Panel title="Problems" class="problems">
      <ul class="causes">
        {status.problems.map((problem) => (
          <li class="cause" key={problem.code}>
            <span class={`cause-count${problem.severity === 'error' ? '' : ' cause-warn'}`}>
              <Icon name="warn" />
            </span>
            <div class="cause-words">
              <p class="cause-sentence">{problem.text}</p>
              <p class="cause-advice"><Words text={problem.advice} /></p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ConductorCard({ one }: { one: Conductor }) {
  const [open, setOpen] = useState(false);
  const alive = one.state === 'alive';
  const late = (one.passes ?? []).filter((pass) => pass.lag_s > Math.max(5, pass.interval_s / 2));
  return (
    <Panel
      level={3}
      title={
        <>
          <Mark look={alive ? 'in_use' : 'failed'} /> {one.host}
        </>
      }
      actions={
        <a class="button button-quiet button-small" href={href(['nodes'], { q: `conductor:${value(one.host)}` })}>
          Its nodes
        </a>
      }
    >
      <div class="figures">
        <Figure value={number(one.nodes)} label="nodes" />
        <Figure value={one.workers === null ? '–' : `${one.workers_busy ?? 0} of ${one.workers}`} label="workers busy" />
        <Figure value={number(one.leases)} label="leases" />
        <Figure value={one.uptime_s === null ? '–' : duration(one.uptime_s)} label="up" />
      </div>
      <Facts
        rows={[
          ['State', alive ? (one.may_act === false ? 'alive, but may not act' : 'alive') : `${one.state}, silent for ${duration(one.last_seen_s)}`],
          ['Group', one.group],
          ['Version', one.version],
          ['Drivers', one.drivers.join(', ')],
          ['Error', one.error === null ? null : <span class="wrong">{one.error}</span>],
        ]}
      />
      {late.length > 0 && (
        <p class="wrong">
          <Icon name="warn" /> late: {late.map((pass) => `${pass.name} by ${duration(pass.lag_s)}`).join(', ')}
        </p>
      )}
      {one.passes !== null && (
        <Button small kind="quiet" expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide passes' : `${one.passes.length} periodic passes`}
        </Button>
      )}
      {open && one.passes !== null && (
        <div class="scroll-x">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">pass</th>
                <th scope="col" class="num">every</th>
                <th scope="col" class="num">late by</th>
                <th scope="col" class="num">took</th>
                <th scope="col" class="num">visited</th>
                <th scope="col" class="num">failed</th>
                <th scope="col">last</th>
              </tr>
            </thead>
            <tbody>
              {one.passes.map((pass) => (
                <tr key={pass.name}>
                  <th scope="row">{pass.name.replaceAll('_', ' ')}</th>
                  <td class="num">{duration(pass.interval_s)}</td>
                  <td class="num">{pass.lag_s < 1 ? '' : duration(pass.lag_s)}</td>
                  <td class="num">{pass.rounds === 0 ? '' : `${pass.last_duration_s.toFixed(2)} s`}</td>
                  <td class="num">{pass.rounds === 0 ? '' : number(pass.last_visited)}</td>
                  <td class={`num${pass.last_failed > 0 ? ' wrong' : ''}`}>{pass.last_failed === 0 ? '' : number(pass.last_failed)}</td>
                  <td>{pass.is_running ? 'now' : pass.last_began === null ? 'not yet' : `${age(pass.last_began)} ago`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Ring({ status }: { status: Status }) {
  if (status.ring.length === 0) return null;
  return (
    <Panel title="Who looks after what" level={3}>
      <div class="scroll-x">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">driver</th>
              <th scope="col">group</th>
              <th scope="col" class="num">nodes</th>
              <th scope="col">shares</th>
            </tr>
          </thead>
          <tbody>
            {status.ring.map((row) => (
              <tr key={row.group + row.driver}>
                <th scope="row">{row.driver}</th>
                <td>{row.group === '' ? <span class="faint">default</span> : row.group}</td>
                <td class="num">{number(row.nodes)}</td>
                <td>{row.shares.map((share) => `${share.host} ${Math.round(share.share * 100)} %`).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
