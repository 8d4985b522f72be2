// What to do with the selected nodes: the bar below the list, and the dialog that tries a verb without
// doing it, runs it in waves, and shows what became of each node.

import { useRef, useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import type { Plan } from '../api/shapes.ts';
import { type BulkPlan, type Item, MOST, forget, keep, kept, plan as makePlan, run } from '../bulk.ts';
import { plural } from '../format.ts';
import { Button, Field } from '../parts/base.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { query, setQuery } from '../router.ts';
import { selection } from '../selection.ts';
import { type BulkVerb, VERBS, asks, ending, verbOf } from './bulk-verbs.ts';

export function BulkBar({ q, total, selectAll }: { q: string; total: number; selectAll: () => void }) {
  const count = selection.value.size;
  const [left, setLeft] = useState<BulkPlan | null>(kept);
  const verb = verbOf(query.value.get('bulk') ?? '');
  const choose = (one: BulkVerb) => setQuery({ bulk: one.key });
  const close = () => {
    setQuery({ bulk: null });
    setLeft(null);
  };
  const resumed = left !== null && left.state !== 'done' ? left : null;
  if (verb !== undefined && (count > 0 || resumed !== null)) {
    return <BulkDialog verb={verb} nodes={selection.value} resumed={resumed?.verb === verb.key ? resumed : null} onClose={close} />;
  }
  if (count === 0) {
    if (resumed === null) return null;
    return (
      <div class="bulk-bar" role="region" aria-label="Interrupted run">
        <strong>
          {verbOf(resumed.verb)?.label ?? resumed.verb} of {plural(resumed.items.length, 'node')} was interrupted.
        </strong>
        <Button small kind="main" onClick={() => setQuery({ bulk: resumed.verb })}>
          Take it up
        </Button>
        <Button
          small
          onClick={() => {
            forget();
            setLeft(null);
          }}
        >
          Forget it
        </Button>
      </div>
    );
  }
  const quick = VERBS.filter((one) => one.quick);
  const rest = VERBS.filter((one) => !one.quick);
  return (
    <div class="bulk-bar" role="region" aria-label="Selected nodes">
      <strong>{plural(count, 'node')} selected</strong>
      {count < total && (
        <Button small kind="quiet" onClick={selectAll}>
          {q === '' ? `All ${total}` : `All ${total} that match`}
        </Button>
      )}
      <span class="bulk-verbs">
        {quick.map((one) => (
          <Button key={one.key} small onClick={() => choose(one)}>
            {one.label}…
          </Button>
        ))}
        <Menu right label="More" choices={rest.map((one) => ({ label: `${one.label}…`, danger: one.destroys, onPick: () => choose(one) }))} />
      </span>
      <Button small kind="quiet" onClick={() => (selection.value = new Map())}>
        Clear
      </Button>
    </div>
  );
}

interface Trial {
  uuid: string;
  name: string;
  accepted: boolean;
  words: string;
}

function BulkDialog({ verb, nodes, resumed, onClose }: { verb: BulkVerb; nodes: Map<string, string>; resumed: BulkPlan | null; onClose: () => void }) {
  const count = resumed?.items.length ?? nodes.size;
  const [reason, setReason] = useState('');
  const [typed, type] = useState('');
  const [inWaves, setInWaves] = useState(true);
  const [failures, setFailures] = useState(1);
  const [trial, setTrial] = useState<Trial[] | null>(null);
  const [trying, setTrying] = useState(false);
  const [current, setCurrent] = useState<BulkPlan | null>(resumed);
  const wanted = useRef(true);
  const tooMany = count > MOST ? `at most ${MOST} nodes at a time` : null;

  const tryOut = async () => {
    setTrying(true);
    const found: Trial[] = [];
    const queue = [...nodes];
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [uuid, name] = next;
        try {
          const plan = await send<Plan>('POST', `/corten/v1/nodes/${part(uuid)}/plan`, verb.body(reason));
          const words = plan?.is_accepted === true ? plan.states.join(' → ') : (plan?.refusal?.text ?? 'refused');
          found.push({ uuid, name, accepted: plan?.is_accepted === true, words });
        } catch (error) {
          found.push({ uuid, name, accepted: false, words: error instanceof Error ? error.message : String(error) });
        }
        setTrial([...found]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    setTrial(found.sort((a, b) => Number(a.accepted) - Number(b.accepted) || a.name.localeCompare(b.name, 'en', { numeric: true })));
    setTrying(false);
  };

  const start = async () => {
    const plan = current ?? makePlan(verb.key, verb.body(reason), nodes, inWaves, failures);
    wanted.current = true;
    setCurrent({ ...plan });
    await run(plan, {
      ask: (item) => asks(verb, item, plan.body),
      ended: (item) => ending(verb, item),
      changed: (next) => {
        keep(next);
        setCurrent({ ...next });
      },
      wanted: () => wanted.current,
    });
  };

  const fits = verb.destroys !== true || typed.trim() === String(count);
  const why = tooMany ?? (fits ? null : `type ${count} first`);
  const running = current?.state === 'running';
  return (
    <Dialog
      wide
      title={`${verb.label} ${plural(count, 'node')}`}
      onClose={() => {
        wanted.current = false;
        onClose();
      }}
      foot={
        current === null ? (
          <>
            {verb.planned && (
              <Button autofocus busy={trying} onClick={() => void tryOut()}>
                Dry run
              </Button>
            )}
            <span class="spring" />
            <Button onClick={onClose}>Cancel</Button>
            <Button kind={verb.destroys === true ? 'danger' : 'main'} why={why} onClick={() => void start()}>
              {verb.label}
            </Button>
          </>
        ) : (
          <>
            <span class="spring" />
            {running && <Button onClick={() => (wanted.current = false)}>Start no more</Button>}
            {(current.state === 'paused' || (resumed !== null && current.state !== 'running' && current.state !== 'done' && current.state !== 'stopped')) && (
              <Button kind="main" onClick={() => void start()}>
                Go on
              </Button>
            )}
            <Button onClick={onClose}>Close</Button>
          </>
        )
      }
    >
      {current === null ? (
        <div class="form">
          <p>
            {verb.about} {count > 1 && inWaves ? `First one node, then a tenth, then the rest; the next wave begins when the last one ended well.` : ''}
          </p>
          {verb.reason === true && (
            <Field label="Reason">{(id) => <input id={id} class="input" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />}</Field>
          )}
          {count > 1 && (
            <div class="row">
              <label class="check-line">
                <input type="checkbox" checked={inWaves} onChange={(event) => setInWaves(event.currentTarget.checked)} /> In waves: 1, 10 %, the rest
              </label>
              <label class="inline-label">
                Stop after{' '}
                <input class="input input-number" type="number" min={1} max={MOST} value={failures} onInput={(event) => setFailures(Math.max(1, Number(event.currentTarget.value)))} /> failures
              </label>
            </div>
          )}
          {verb.destroys === true && (
            <Field label={`Type ${count} to go on`}>
              {(id) => <input id={id} class="input input-number" inputMode="numeric" autocomplete="off" value={typed} onInput={(event) => type(event.currentTarget.value)} />}
            </Field>
          )}
          {trial !== null && <TrialTable trial={trial} total={count} />}
        </div>
      ) : (
        <RunTable plan={current} />
      )}
    </Dialog>
  );
}

function TrialTable({ trial, total }: { trial: Trial[]; total: number }) {
  const accepted = trial.filter((one) => one.accepted).length;
  return (
    <div class="trial">
      <p role="status">
        <strong>{accepted}</strong> would start, <strong>{trial.length - accepted}</strong> would be refused{trial.length < total && `, ${total - trial.length} being asked`}. Nothing was done.
      </p>
      <div class="scroll-y" tabIndex={0} role="region" aria-label="Result of the dry run">
        <table class="table">
          <tbody>
            {trial.slice(0, 500).map((one) => (
              <tr key={one.uuid}>
                <th scope="row">{one.name}</th>
                <td class={one.accepted ? 'good' : 'wrong'}>{one.accepted ? 'would start' : 'refused'}</td>
                <td>{one.words}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const WORDS: Record<Item['fate'], string> = { queued: 'not yet', asked: 'under way', done: 'done', failed: 'failed', refused: 'refused', left: 'not touched' };

function RunTable({ plan }: { plan: BulkPlan }) {
  const of = (fate: Item['fate']) => plan.items.filter((item) => item.fate === fate).length;
  const states: Record<BulkPlan['state'], string> = {
    ready: 'Ready to go on.',
    running: 'Running.',
    paused: 'Paused; nothing more is started.',
    stopped: 'Stopped after a failure; no further node is touched.',
    done: 'All done.',
  };
  return (
    <div class="trial">
      <p role="status" class={plan.state === 'stopped' ? 'wrong' : ''}>
        <strong>{states[plan.state]}</strong> {of('done')} done, {of('asked')} under way, {of('failed') + of('refused')} failed, {of('queued') + of('left')} not touched.
      </p>
      <div class="scroll-y" tabIndex={0} role="region" aria-label="What became of each node">
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
            {plan.items.map((item) => (
              <tr key={item.uuid}>
                <th scope="row">{item.name}</th>
                <td>{item.wave + 1}</td>
                <td class={item.fate === 'done' ? 'good' : item.fate === 'failed' || item.fate === 'refused' ? 'wrong' : ''}>{WORDS[item.fate]}</td>
                <td>{item.reason ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
