// Many machines from a pasted table: checked while it is typed, enrolled eight at a time; rows that
// failed stay for correction. Passwords stay in memory.

import { useEffect, useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { provision } from '../acts.ts';
import type { Node } from '../api/shapes.ts';
import { plural } from '../format.ts';
import { Button, Field, Panel } from '../parts/base.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import { say } from '../parts/notices.tsx';
import { href } from '../router.ts';
import { COLUMNS, type Machine, check, macs, nodeBody, read } from '../table.ts';
import { takenNames } from './enrol.tsx';

const AT_ONCE = 8;
const SHOWN = 200;

interface RowState {
  machine: Machine;
  fate: 'new' | 'asked' | 'done' | 'failed';
  words: string | null;
}

export function Many({ drivers, why }: { drivers: string[]; why: string | null }) {
  const [text, setText] = useState('');
  const [rows, setRows] = useState<RowState[]>([]);
  const [unknown, setUnknown] = useState<string[]>([]);
  const [error, setError] = useState<string | null>(null);
  const [taken, setTaken] = useState<Set<string>>(new Set());
  const [verify, setVerify] = useState(true);
  const [busy, setBusy] = useState(false);

  const take = (next: string) => {
    setText(next);
    const found = read(next);
    setError(found.error);
    setUnknown(found.unknown);
    setRows(found.machines.map((machine) => ({ machine, fate: 'new', words: null })));
  };
  const names = rows.filter((row) => row.fate !== 'done').map((row) => row.machine.name).filter((name) => name !== '');
  const asked = names.join(' ');
  useEffect(() => {
    if (asked === '') return undefined;
    const timer = window.setTimeout(() => takenNames(names).then(setTaken, () => undefined), 400);
    return () => window.clearTimeout(timer);
  }, [asked]);

  const open = rows.filter((row) => row.fate !== 'done');
  const wrong = check(open.map((row) => row.machine), drivers, taken);
  const wrongCount = wrong.filter((one) => Object.keys(one).length > 0).length;
  const done = rows.length - open.length;

  const edit = (row: RowState, key: keyof Omit<Machine, 'extra'>, value: string) => {
    setRows(rows.map((one) => (one === row ? { ...one, machine: { ...one.machine, [key]: value } } : one)));
  };

  const enrol = async () => {
    setBusy(true);
    const queue = [...open];
    const state = new Map<RowState, RowState>();
    const show = () => setRows(rows.map((row) => state.get(row) ?? row));
    const worker = async () => {
      for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
        state.set(row, { ...row, fate: 'asked', words: null });
        show();
        state.set(row, await one(row, verify));
        show();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const failed = [...state.values()].filter((row) => row.fate === 'failed').length;
    say(failed === 0 ? `${plural(state.size, 'machine')} enrolled.` : `${plural(failed, 'machine')} could not be enrolled.`);
    setBusy(false);
  };

  const refused = why ?? (open.length === 0 ? 'there is nothing to enrol' : wrongCount > 0 ? `${plural(wrongCount, 'row')} to be corrected` : null);
  return (
    <>
      <Panel title="Paste a table" level={3}>
        <Field label="CSV with a header, or JSON" error={error} hint={unknown.length > 0 ? `Left out: ${unknown.join(', ')}.` : `Columns: ${COLUMNS.join(', ')}, extra.…`}>
          {(id, described) => (
            <textarea
              id={id}
              class="area"
              aria-describedby={described}
              spellcheck={false}
              autofocus
              placeholder={'name,driver,address,username,password,mac,class\nweb-01,redfish,10.0.0.11,admin,…,52:54:00:12:34:56,web'}
              value={text}
              onInput={(event) => take(event.currentTarget.value)}
            />
          )}
        </Field>
      </Panel>
      {rows.length > 0 && (
        <Panel
          level={3}
          title={plural(rows.length, 'machine')}
          actions={
            <>
              <span role="status" class={wrongCount > 0 ? 'wrong' : 'faint'}>
                {done > 0 && `${done} enrolled. `}
                {wrongCount > 0 ? `${plural(wrongCount, 'row')} to be corrected.` : open.length > 0 ? 'All rows are well formed.' : ''}
              </span>
              <label class="check-line">
                <input type="checkbox" checked={verify} onChange={(event) => setVerify(event.currentTarget.checked)} /> verify each
              </label>
              <Button kind="main" why={refused} busy={busy} onClick={() => void enrol()}>
                Enrol {open.length > 0 ? open.length : ''}
              </Button>
            </>
          }
        >
          <div class="scroll-x scroll-y" tabIndex={0} role="region" aria-label="Machines to enrol">
            <table class="table csv-table">
              <thead>
                <tr>
                  <th scope="col" />
                  {COLUMNS.map((column) => (
                    <th scope="col" key={column}>
                      {column}
                    </th>
                  ))}
                  <th scope="col">what is wrong</th>
                </tr>
              </thead>
              <tbody>
                {rows.slice(0, SHOWN).map((row, index) => {
                  const faults = row.fate === 'done' ? {} : (wrong[open.indexOf(row)] ?? {});
                  return (
                    <tr key={index}>
                      <td>
                        <Mark look={row.fate === 'done' ? 'in_use' : row.fate === 'failed' ? 'failed' : row.fate === 'asked' ? 'working' : 'ready'} />
                      </td>
                      {COLUMNS.map((column) => (
                        <td key={column} class={faults[column] === undefined ? '' : 'cell-wrong'}>
                          {row.fate === 'done' && column === 'name' ? (
                            <a href={href(['nodes', row.machine.name])}>{row.machine.name}</a>
                          ) : (
                            <input
                              aria-label={`${column} of row ${index + 1}`}
                              type={(column === 'password' ? 'password' : 'text') as 'text'}
                              autocomplete="off"
                              disabled={row.fate === 'done' || busy}
                              value={row.machine[column]}
                              onInput={(event) => edit(row, column, event.currentTarget.value)}
                            />
                          )}
                        </td>
                      ))}
                      <td class="wrong">
                        {Object.entries(faults).map(([column, words]) => `${column}: ${words}`).join('; ')}
                        {row.words !== null && (
                          <>
                            <Icon name="warn" /> {row.words}
                          </>
                        )}
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
            {rows.length > SHOWN && <p class="faint">{rows.length - SHOWN} more rows are checked and enrolled, but not drawn.</p>}
          </div>
        </Panel>
      )}
    </>
  );
}

async function one(row: RowState, verify: boolean): Promise<RowState> {
  const words = (error: unknown) => (error instanceof Error ? error.message : String(error));
  let node: Node | null;
  try {
    node = await send<Node>('POST', '/v1/nodes', nodeBody(row.machine));
  } catch (error) {
    return { ...row, fate: 'failed', words: words(error) };
  }
  if (node === null) return { ...row, fate: 'failed', words: 'the service gave no answer' };
  try {
    for (const address of macs(row.machine.mac)) await send('POST', '/v1/ports', { node_uuid: node.uuid, address });
  } catch (error) {
    // Half a machine would be in the way of the next try.
    await send('DELETE', `/v1/nodes/${part(node.uuid)}`).catch(() => undefined);
    return { ...row, fate: 'failed', words: words(error) };
  }
  if (verify) {
    try {
      await provision(node.uuid, { target: 'manage' });
    } catch (error) {
      return { ...row, fate: 'done', words: words(error) };
    }
  }
  return { ...row, fate: 'done', words: null };
}
