// The flight recorder: what was said between the service and the BMC, failures first, and sensors.

import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { get, part } from '../api/http.ts';
import { useDoc } from '../doc.ts';
import { Button, Clock, Empty, Failed, Loaded, Panel } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Mark } from '../parts/marks.tsx';
import type { NodeTabProps } from '../screens/node.tsx';
import { save } from '../screens/csv.ts';
import { asError } from '../doc.ts';
import { curl, quoted } from '../verbs.ts';
import type { ApiError } from '../api/http.ts';

interface Exchange {
  first: string;
  last: string;
  count: number;
  took_ms: number;
  peer: string;
  operation?: string;
  question: unknown;
  answer?: unknown;
  failure?: string;
  summary?: string;
}

interface Recording {
  recording: Record<string, unknown>;
  exchanges: Exchange[];
}

export function BmcTab({ node }: NodeTabProps) {
  const path = `/corten/v1/nodes/${part(node.uuid)}/recorder`;
  const doc = useDoc<Recording>(path, { every: 5_000 });
  const [filter, setFilter] = useState('');
  const [bad, setBad] = useState(false);
  const name = node.name ?? node.uuid;
  return (
    <div class="stack">
      <Sensors uuid={node.uuid} />
      <Panel
        title="Flight recorder"
        actions={
          <>
            <label class="check-line">
              <input type="checkbox" checked={bad} onChange={(event) => setBad(event.currentTarget.checked)} /> failures only
            </label>
            <input class="input filter" aria-label="Filter exchanges" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
            <Button
              small
              why={doc.data.value === undefined || doc.data.value.exchanges.length === 0 ? 'nothing was recorded' : null}
              onClick={() => {
                const data = doc.data.value;
                if (data === undefined) return;
                const lines = [data.recording, ...data.exchanges].map((line) => JSON.stringify(line) + '\n');
                save(`${name}.jsonl`, new Blob(lines, { type: 'application/jsonl' }));
              }}
            >
              Export
            </Button>
            <ShowCommand commands={{ corten: `corten node recorder show ${quoted(name)}`, curl: curl('GET', path) }} />
          </>
        }
      >
        <Loaded doc={doc} lines={6}>
          {(recording) => <Exchanges all={recording.exchanges} filter={filter} bad={bad} />}
        </Loaded>
      </Panel>
    </div>
  );
}

function isBad(exchange: Exchange): boolean {
  return exchange.failure !== undefined && exchange.failure !== null;
}

function Exchanges({ all, filter, bad }: { all: Exchange[]; filter: string; bad: boolean }) {
  const [open, setOpen] = useState<Exchange | null>(null);
  const wanted = filter.toLowerCase();
  const shown = all
    .filter((one) => (!bad || isBad(one)) && (wanted === '' || JSON.stringify(one).toLowerCase().includes(wanted)))
    .sort((a, b) => Number(isBad(b)) - Number(isBad(a)) || b.last.localeCompare(a.last))
    .slice(0, 300);
  if (all.length === 0) return <Empty title="Nothing was said to its BMC yet">Requests to the BMC and their answers appear here, without passwords.</Empty>;
  if (shown.length === 0) return <Empty title="No exchange matches" />;
  return (
    <div class="scroll-x">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">last</th>
            <th scope="col">what</th>
            <th scope="col">for</th>
            <th scope="col" class="num">took</th>
            <th scope="col" class="num">times</th>
            <th scope="col" />
          </tr>
        </thead>
        <tbody>
          {shown.map((one, index) => (
            <Fragment key={`${one.first}-${index}`}>
              <tr>
                <td>
                  <Clock at={one.last} />
                </td>
                <td class={isBad(one) ? 'wrong' : ''}>
                  {isBad(one) && <Mark look="failed" />} {one.summary ?? JSON.stringify(one.question)}
                  {isBad(one) && <> — {one.failure}</>}
                </td>
                <td>{one.operation ?? ''}</td>
                <td class="num">{one.took_ms} ms</td>
                <td class="num">{one.count}</td>
                <td>
                  <Button small kind="quiet" expanded={open === one} onClick={() => setOpen(open === one ? null : one)}>
                    {open === one ? 'Less' : 'All of it'}
                  </Button>
                </td>
              </tr>
              {open === one && (
                <tr>
                  <td colSpan={6}>
                    <pre class="json">{JSON.stringify({ question: one.question, answer: one.answer ?? null }, null, 2)}</pre>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Reading = Record<string, unknown>;

function Sensors({ uuid }: { uuid: string }) {
  const [state, setState] = useState<{ busy: boolean; error: ApiError | null; sensors: Record<string, Record<string, Reading>> | null }>({ busy: false, error: null, sensors: null });
  const read = async () => {
    setState({ ...state, busy: true, error: null });
    try {
      const answer = await get<{ sensors: Record<string, Record<string, Reading>> }>(`/corten/v1/nodes/${part(uuid)}/sensors`);
      setState({ busy: false, error: null, sensors: answer.sensors });
    } catch (error) {
      setState({ busy: false, error: asError(error), sensors: null });
    }
  };
  return (
    <Panel
      title="Sensors"
      actions={
        <Button small busy={state.busy} onClick={() => void read()}>
          Read now
        </Button>
      }
    >
      {state.error !== null && <Failed error={state.error} />}
      {state.error === null && state.sensors === null && <p class="faint">The BMC is asked when you press the button.</p>}
      {state.sensors !== null && (
        <div class="scroll-x">
          <table class="table">
            <tbody>
              {Object.entries(state.sensors).flatMap(([kind, all]) =>
                Object.entries(all).map(([name, reading]) => (
                  <tr key={kind + name}>
                    <td class="faint">{kind}</td>
                    <th scope="row">{name}</th>
                    <td>{summary(reading)}</td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function summary(reading: Reading): string {
  const value = reading['Sensor Reading'] ?? reading['reading'] ?? reading['reading_celsius'] ?? reading['reading_rpm'];
  const units = reading['Units'] ?? reading['reading_units'];
  if (value !== undefined && value !== null) return `${String(value)}${units === undefined ? '' : ` ${String(units)}`}`;
  return Object.entries(reading)
    .filter(([, one]) => typeof one !== 'object' && one !== null)
    .slice(0, 4)
    .map(([name, one]) => `${name}: ${String(one)}`)
    .join(', ');
}
