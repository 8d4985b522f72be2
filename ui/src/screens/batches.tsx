// Batches that the service runs: a list, and one with what became of each node. Everybody who may see
// them sees the same.

import { useEffect, useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { type Batch, type BatchNodes, FATE_WORDS, type Fate, STATE_WORDS, isOver, summary, wishes } from '../bulk.ts';
import { useDoc } from '../doc.ts';
import { number, percent, plural } from '../format.ts';
import { Age, Button, Empty, Facts, Loaded, Meter, Panel } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { complain } from '../parts/notices.tsx';
import { go, href, query, setQuery } from '../router.ts';
import { me } from '../session.ts';
import { curl, mayNotOwn } from '../verbs.ts';

const PATH = '/corten/v1/batches';
const LIMIT = 500;

export function Batches() {
  const doc = useDoc<{ batches: Batch[] }>(PATH, { on: (event) => event.kind === 'batch' });
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Batches</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: 'corten batch list', curl: curl('GET', PATH) }} />
      </div>
      <Loaded doc={doc} lines={5}>
        {(data) =>
          data.batches.length === 0 ? (
            <Empty title="No batches">
              <p>A batch does one thing with many nodes, in waves. Select nodes in the list of nodes to make one.</p>
              <code>corten batch create provision manage --where state:enroll</code>
            </Empty>
          ) : (
            <div class="scroll-x">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">what</th>
                    <th scope="col">state</th>
                    <th scope="col" class="num">nodes</th>
                    <th scope="col">nodes by outcome</th>
                    <th scope="col">by</th>
                    <th scope="col">since</th>
                  </tr>
                </thead>
                <tbody>
                  {data.batches.map((one) => (
                    <tr key={one.uuid}>
                      <th scope="row">
                        <a href={href(['batches', one.uuid])}>{title(one)}</a>
                      </th>
                      <td class={one.state === 'stopped' ? 'wrong' : ''}>{one.state}</td>
                      <td class="num">{number(one.node_count)}</td>
                      <td>{summary(one)}</td>
                      <td>{one.user ?? ''}</td>
                      <td>
                        <Age at={one.created_at} ago />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

function title(one: Batch): string {
  return one.description ?? `${one.action}: ${one.target}`;
}

export function BatchScreen({ uuid }: { uuid: string }) {
  const path = `${PATH}/${part(uuid)}`;
  const mine = (event: { kind: string; data?: unknown }) => event.kind === 'batch' && (event.data as { batch?: unknown } | null)?.batch === uuid;
  const doc = useDoc<Batch>(path, { on: mine, every: 5_000, keep: true });
  const known = doc.data.value;
  useEffect(() => {
    if (known !== undefined) document.title = `${title(known)} · Corten`;
  }, [known?.uuid]);
  return (
    <div class="stack">
      <div class="page-head">
        <h1>{known === undefined ? 'Batch' : title(known)}</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: `corten batch watch ${uuid}`, curl: curl('GET', path) }} />
      </div>
      <Loaded doc={doc} lines={6}>
        {(batch) => (
          <>
            <Status batch={batch} path={path} reload={doc.reload} />
            <Nodes batch={batch} path={path} isMine={mine} />
          </>
        )}
      </Loaded>
    </div>
  );
}

const LABELS = { pause: 'Pause', resume: 'Go on', abort: 'Abort' } as const;

function Status({ batch, path, reload }: { batch: Batch; path: string; reload: () => void }) {
  const [busy, setBusy] = useState(false);
  const ended = batch.counts.done + batch.counts.failed + batch.counts.skipped;
  const ask = async (what: () => Promise<unknown>, after: () => void) => {
    setBusy(true);
    try {
      await what();
      after();
    } catch (error) {
      complain('That was refused', error);
    }
    setBusy(false);
  };
  return (
    <Panel
      title={`${batch.action}: ${batch.target}`}
      actions={
        <>
          {wishes(batch.state).map((wish) => (
            <Button
              key={wish}
              small
              kind={wish === 'resume' ? 'main' : wish === 'abort' ? 'danger' : 'plain'}
              busy={busy}
              why={mayNotOwn(me.value, 'corten:batch:update')}
              onClick={() => void ask(() => send('POST', `${path}/${wish}`), reload)}
            >
              {LABELS[wish]}
            </Button>
          ))}
          {isOver(batch.state) && (
            <Button small kind="quiet" busy={busy} why={mayNotOwn(me.value, 'corten:batch:delete')} onClick={() => void ask(() => send('DELETE', path), () => go(href(['batches'])))}>
              Remove
            </Button>
          )}
        </>
      }
    >
      <div class="trial">
        <p role="status" class={batch.state === 'stopped' ? 'wrong' : ''}>
          <strong>{STATE_WORDS[batch.state]}</strong> {summary(batch)}
        </p>
        <Meter value={percent(ended, batch.node_count)} label="nodes that have ended" />
        <Facts
          rows={[
            ['Reason', batch.reason],
            ['Nodes', number(batch.node_count)],
            ['Wave', `${batch.wave} of ${batch.waves.length} (${batch.waves.join(', ')})`],
            ['At once', number(batch.at_once)],
            ['May fail', batch.max_failures === null ? 'none before the next wave' : plural(batch.max_failures, 'node')],
            ['Query', batch.query === null ? null : <code>{batch.query}</code>],
            ['Asked by', batch.user],
            ['Run by', batch.conductor],
            ['Since', <Age at={batch.created_at} ago />],
            ['Ended', batch.ended_at === null ? null : <Age at={batch.ended_at} ago />],
          ]}
        />
      </div>
    </Panel>
  );
}

const FATES: Fate[] = ['failed', 'running', 'asked', 'waiting', 'done', 'skipped'];

function Nodes({ batch, path, isMine }: { batch: Batch; path: string; isMine: (event: { kind: string; data?: unknown }) => boolean }) {
  const wanted = FATES.find((fate) => fate === query.value.get('state')) ?? null;
  const [after, setAfter] = useState(-1);
  const filter = wanted === null ? '' : `&state=${wanted}`;
  const doc = useDoc<BatchNodes>(`${path}/nodes?after=${after}&limit=${LIMIT}${filter}`, { on: isMine, atMost: 1_000, every: 5_000, keep: true });
  const choose = (fate: Fate | null) => {
    setAfter(-1);
    setQuery({ state: fate }, true);
  };
  return (
    <Panel
      title="Nodes"
      actions={
        <>
          <Button small kind="quiet" pressed={wanted === null} onClick={() => choose(null)}>
            All
          </Button>
          {FATES.filter((fate) => batch.counts[fate] > 0).map((fate) => (
            <Button key={fate} small kind="quiet" pressed={wanted === fate} onClick={() => choose(fate)}>
              {FATE_WORDS[fate]} {number(batch.counts[fate])}
            </Button>
          ))}
        </>
      }
    >
      <Loaded doc={doc}>
        {(data) => (
          <>
            <div class="scroll-x" tabIndex={0} role="region" aria-label="What became of each node">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">node</th>
                    <th scope="col">wave</th>
                    <th scope="col">state</th>
                    <th scope="col">reason</th>
                  </tr>
                </thead>
                <tbody>
                  {data.nodes.map((one) => (
                    <tr key={one.place}>
                      <th scope="row">
                        <a href={href(['nodes', one.node])}>{one.name ?? one.node}</a>
                      </th>
                      <td>{one.wave}</td>
                      <td class={one.state === 'done' ? 'good' : one.state === 'failed' ? 'wrong' : ''}>{FATE_WORDS[one.state]}</td>
                      <td class="wrap">{one.reason ?? ''}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <p class="row">
              {after >= 0 && (
                <Button small onClick={() => setAfter(-1)}>
                  First ones
                </Button>
              )}
              {data.next !== null && (
                <Button small onClick={() => setAfter(data.next ?? -1)}>
                  Next {LIMIT}
                </Button>
              )}
            </p>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
