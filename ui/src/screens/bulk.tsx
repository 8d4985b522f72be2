// What to do with the selected nodes: the bar below the list, and the dialog that tries a verb without
// doing it and has the service run it as a batch.

import { useState } from 'preact/hooks';
import { send } from '../api/http.ts';
import { type Batch, type DryRun, MOST, MOST_BY_QUERY, body } from '../bulk.ts';
import { number, plural } from '../format.ts';
import { Button, Field } from '../parts/base.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { complain } from '../parts/notices.tsx';
import { go, href, query, setQuery } from '../router.ts';
import { clearSelection, everything, selection } from '../selection.ts';
import { type BulkVerb, VERBS, verbOf } from './bulk-verbs.ts';

export function BulkBar({ q, total, selectAll }: { q: string; total: number; selectAll: () => void }) {
  const all = everything.value;
  const count = all?.total ?? selection.value.size;
  const verb = verbOf(query.value.get('bulk') ?? '');
  const choose = (one: BulkVerb) => setQuery({ bulk: one.key });
  if (count === 0) return null;
  if (verb !== undefined) return <BulkDialog verb={verb} nodes={all?.q ?? selection.value} count={count} onClose={() => setQuery({ bulk: null })} />;
  const quick = VERBS.filter((one) => one.quick);
  const rest = VERBS.filter((one) => !one.quick);
  return (
    <div class="bulk-bar" role="region" aria-label="Selected nodes">
      <strong>
        {plural(count, 'node')} selected{all !== null && ': all that match'}
      </strong>
      {count < total && (
        <Button small kind="quiet" onClick={selectAll}>
          {q === '' ? `All ${number(total)}` : `All ${number(total)} that match`}
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
      <Button small kind="quiet" onClick={clearSelection}>
        Clear
      </Button>
    </div>
  );
}

function BulkDialog({ verb, nodes, count, onClose }: { verb: BulkVerb; nodes: Map<string, string> | string; count: number; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [typed, type] = useState('');
  const [inWaves, setInWaves] = useState(true);
  const [mayFail, setMayFail] = useState<number | null>(null);
  const [trial, setTrial] = useState<DryRun | null>(null);
  const [busy, setBusy] = useState<'trial' | 'start' | null>(null);
  const wish = () => body({ action: verb.action, arguments: verb.body(reason), nodes, inWaves, mayFail });

  const tryOut = async () => {
    setBusy('trial');
    try {
      setTrial((await send<DryRun>('POST', '/corten/v1/batches?dry_run=true', wish())) ?? null);
    } catch (error) {
      complain('The dry run was refused', error);
    }
    setBusy(null);
  };

  const start = async () => {
    setBusy('start');
    try {
      const batch = await send<Batch>('POST', '/corten/v1/batches', wish());
      clearSelection();
      if (batch !== null && batch !== undefined) go(href(['batches', batch.uuid]));
    } catch (error) {
      complain('The batch was refused', error);
      setBusy(null);
    }
  };

  const most = typeof nodes === 'string' ? MOST_BY_QUERY : MOST;
  const tooMany = count > most ? `at most ${number(most)} nodes at a time; filter further` : null;
  const fits = verb.destroys !== true || typed.trim() === String(count);
  const why = tooMany ?? (fits ? null : `type ${count} first`);
  return (
    <Dialog
      wide
      title={`${verb.label} ${plural(count, 'node')}`}
      onClose={onClose}
      foot={
        <>
          <Button autofocus busy={busy === 'trial'} why={tooMany} onClick={() => void tryOut()}>
            Dry run
          </Button>
          <span class="spring" />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={verb.destroys === true ? 'danger' : 'main'} busy={busy === 'start'} why={why} onClick={() => void start()}>
            {verb.label}
          </Button>
        </>
      }
    >
      <div class="form">
        <p>
          {typeof nodes === 'string' && nodes !== '' && (
            <>
              The nodes are those that match <code>{nodes}</code> when you start it.{' '}
            </>
          )}
          {verb.about} {count > 1 && inWaves ? `First one node, then a tenth, then the rest; the next wave begins when the last one ended well.` : ''} The service does it, also when this page is closed.
        </p>
        {verb.reason === true && (
          <Field label="Reason">{(id) => <input id={id} class="input" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />}</Field>
        )}
        {count > 1 && (
          <div class="row">
            <label class="check-line">
              <input type="checkbox" checked={inWaves} onChange={(event) => setInWaves(event.currentTarget.checked)} /> In waves: 1, 10 %, the rest
            </label>
            <label class="check-line">
              <input type="checkbox" checked={mayFail !== null} onChange={(event) => setMayFail(event.currentTarget.checked ? 0 : null)} /> Allow failures
            </label>
            {mayFail !== null && (
              <label class="inline-label">
                at most{' '}
                <input class="input input-number" type="number" min={0} max={count} value={mayFail} onInput={(event) => setMayFail(Math.max(0, Number(event.currentTarget.value)))} />
              </label>
            )}
          </div>
        )}
        {verb.destroys === true && (
          <Field label={`Type ${count} to go on`}>
            {(id) => <input id={id} class="input input-number" inputMode="numeric" autocomplete="off" value={typed} onInput={(event) => type(event.currentTarget.value)} />}
          </Field>
        )}
        {trial !== null && <TrialTable trial={trial} />}
      </div>
    </Dialog>
  );
}

function TrialTable({ trial }: { trial: DryRun }) {
  const sorted = [...trial.nodes].sort((a, b) => Number(a.is_accepted) - Number(b.is_accepted) || a.place - b.place);
  return (
    <div class="trial">
      <p role="status">
        <strong>{trial.accepted}</strong> would start, <strong>{trial.refused}</strong> would be refused{trial.left_out > 0 && `, ${trial.left_out} were not asked`}. Nothing was done.
      </p>
      <div class="scroll-y" tabIndex={0} role="region" aria-label="Result of the dry run">
        <table class="table">
          <tbody>
            {sorted.map((one) => (
              <tr key={one.node}>
                <th scope="row">{one.name ?? one.node}</th>
                <td class={one.is_accepted ? 'good' : 'wrong'}>{one.is_accepted ? 'would start' : 'refused'}</td>
                <td>{one.refusal?.text ?? one.states.join(' → ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
