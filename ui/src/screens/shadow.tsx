// The shadow of an Ironic: how many answers of both were compared, which differ, and what that costs Ironic.

import { useDoc } from '../doc.ts';
import { duration, number, plural } from '../format.ts';
import { Age, Button, Empty, Facts, Failed, Loaded, Panel } from '../parts/base.tsx';
import { me } from '../session.ts';
import { mayNot } from '../verbs.ts';

interface Difference {
  at: string;
  method: string;
  path: string;
  version: string | null;
  place: string;
  ironic: string | null;
  here: string | null;
}

interface Shadow {
  ironic: string;
  source: string;
  proxy: string | null;
  release: string;
  since: string;
  compared: number;
  newer: number;
  explained: number;
  differ: number;
  pending: number;
  not_compared: Record<string, number>;
  reasons: Record<string, number>;
  differences: Difference[];
  import: { imports: number; last_error: string | null; last_at: string | null; last_ms: number; nodes: number; findings: number };
  load: { statements: number; statements_ms: number; requests: number; requests_ms: number };
}

const PATH = '/corten/v1/shadow';

/** `18,204 answers compared, 0 differ` */
export function verdict(shadow: { compared: number; differ: number }): string {
  return `${plural(shadow.compared, 'answer')} compared, ${number(shadow.differ)} differ`;
}

export function ShadowScreen() {
  const refused = mayNot(me.value, 'corten:shadow:get');
  const doc = useDoc<{ shadow: Shadow | null }>(refused === null ? PATH : null, { every: 2_000, keep: true });
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Shadow</h1>
        <span class="spring" />
        <Button onClick={doc.reload} why={refused}>
          Read again
        </Button>
      </div>
      {refused !== null ? (
        <Empty title="The comparison is for administrators">
          <p>Not now: {refused}.</p>
        </Empty>
      ) : doc.error.value !== undefined && doc.data.value === undefined ? (
        <Failed error={doc.error.value} retry={doc.reload} />
      ) : (
        <Loaded doc={doc} lines={6}>
          {({ shadow }) =>
            shadow === null ? (
              <Empty title="This service is the shadow of no Ironic">
                <p>
                  <code>corten shadow</code> follows an Ironic that goes on, and compares answers with it.
                </p>
              </Empty>
            ) : (
              <Comparison shadow={shadow} />
            )
          }
        </Loaded>
      )}
    </div>
  );
}

function counts(of: Record<string, number>): string {
  return Object.entries(of)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(', ');
}

function Comparison({ shadow }: { shadow: Shadow }) {
  const { load } = shadow;
  const found = shadow.differences;
  const facts: [string, string][] = [
    ['Ironic', `${shadow.ironic} (${shadow.release})`],
    ['Its database', shadow.source],
    ['Proxy', shadow.proxy ?? 'none'],
    ['Differ on purpose', `${number(shadow.explained)}${shadow.explained > 0 ? `: ${counts(shadow.reasons)}` : ''}`],
    ['Newer than the copy', number(shadow.newer)],
    ['Looked at again', number(shadow.pending)],
    ['Not compared', counts(shadow.not_compared) || 'none'],
    ['The copy', `${plural(shadow.import.nodes, 'node')}, ${plural(shadow.import.imports, 'import')}, the last in ${duration(shadow.import.last_ms / 1000)}; ${plural(shadow.import.findings, 'finding')}`],
    ['What Ironic was asked', `${plural(load.statements, 'statement')} in ${duration(load.statements_ms / 1000)}, ${plural(load.requests, 'request')} in ${duration(load.requests_ms / 1000)}`],
  ];
  return (
    <>
      <Panel title={verdict(shadow)}>
        <p class="faint">
          Since <Age at={shadow.since} />.{shadow.import.last_error !== null && ` The last import failed: ${shadow.import.last_error}`}
        </p>
        <Facts rows={facts} />
      </Panel>
      {found.length > 0 && (
        <Panel title="The last differences">
          <table class="table">
            <thead>
              <tr>
                <th>When</th>
                <th>Request</th>
                <th>Place</th>
                <th>Ironic</th>
                <th>Here</th>
              </tr>
            </thead>
            <tbody>
              {found.map((one) => (
                <tr key={`${one.path} ${one.version} ${one.place}`}>
                  <td>
                    <Age at={one.at} />
                  </td>
                  <td>
                    <code>
                      {one.method} {one.path} {one.version}
                    </code>
                  </td>
                  <td>
                    <code>{one.place}</code>
                  </td>
                  <td>{one.ironic ?? 'nothing'}</td>
                  <td>{one.here ?? 'nothing'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
    </>
  );
}
