// How the service drives a machine: driver, interfaces with the verdict of validation, and edits as a
// JSON patch that is shown before it is sent.

import { useState } from 'preact/hooks';
import { part } from '../api/http.ts';
import { type Change, patch } from '../acts.ts';
import { useDoc } from '../doc.ts';
import { Button, Empty, Field, Loaded, Panel } from '../parts/base.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import { complain, say } from '../parts/notices.tsx';
import type { NodeTabProps } from '../screens/node.tsx';
import { RULES, mayNot } from '../verbs.ts';

type Verdicts = Record<string, { result: boolean | null; reason?: string }>;
interface BiosSetting {
  name: string;
  value: string | null;
  read_only?: boolean | null;
  attribute_type?: string | null;
  allowable_values?: string[] | null;
  lower_bound?: number | null;
  upper_bound?: number | null;
}

const KINDS = ['power', 'management', 'boot', 'deploy', 'network', 'storage', 'inspect', 'console', 'raid', 'bios', 'firmware', 'rescue', 'vendor'];
const EDITABLE = ['driver_info', 'instance_info', 'properties', 'extra'] as const;
type Part = (typeof EDITABLE)[number];

export function SettingsTab({ node, me, reload }: NodeTabProps) {
  const verdicts = useDoc<Verdicts>(`/v1/nodes/${part(node.uuid)}/validate`);
  const bios = useDoc<{ bios: BiosSetting[] }>(`/v1/nodes/${part(node.uuid)}/bios?detail=True`);
  const [edited, edit] = useState<Part | null>(null);
  return (
    <div class="stack">
      <Panel
        title={`Interfaces of ${node.driver}`}
        level={3}
        actions={
          <Button small onClick={verdicts.reload}>
            Validate again
          </Button>
        }
      >
        <Loaded doc={verdicts} lines={8}>
          {(data) => (
            <div class="scroll-x">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">interface</th>
                    <th scope="col">implementation</th>
                    <th scope="col">verdict</th>
                  </tr>
                </thead>
                <tbody>
                  {KINDS.map((kind) => (
                    <tr key={kind}>
                      <th scope="row">{kind}</th>
                      <td>{String(node[`${kind}_interface`] ?? '')}</td>
                      <td>
                        <Verdict verdict={data[kind]} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Loaded>
      </Panel>
      <div class="cards">
        {EDITABLE.map((name) => (
          <Panel
            key={name}
            title={name}
            level={3}
            actions={
              <Button small kind="quiet" label={`Edit ${name}`} why={mayNot(me, RULES.update)} onClick={() => edit(name)}>
                Edit
              </Button>
            }
          >
            <Values values={node[name]} />
          </Panel>
        ))}
      </div>
      <Panel title="BIOS settings" level={3}>
        <Loaded doc={bios}>
          {(data) =>
            data.bios.length === 0 ? (
              <Empty title="No BIOS settings are known">The service reads them when the machine is verified, cleaned or deployed, if its driver can.</Empty>
            ) : (
              <div class="scroll-x scroll-y">
                <table class="table">
                  <thead>
                    <tr>
                      <th scope="col">setting</th>
                      <th scope="col">value</th>
                      <th scope="col">allowed</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.bios.map((one) => (
                      <tr key={one.name}>
                        <th scope="row">{one.name}</th>
                        <td>
                          {one.value} {one.read_only === true && <span class="chip">read only</span>}
                        </td>
                        <td class="faint">{one.allowable_values?.join(', ') ?? (one.lower_bound == null ? '' : `${one.lower_bound} to ${one.upper_bound ?? ''}`)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </Panel>
      {edited !== null && (
        <EditDialog
          name={edited}
          node={node}
          onClose={() => edit(null)}
          onDone={() => {
            edit(null);
            reload();
            verdicts.reload();
          }}
        />
      )}
    </div>
  );
}

function Verdict({ verdict }: { verdict: { result: boolean | null; reason?: string } | undefined }) {
  if (verdict === undefined) return <span class="faint">not validated</span>;
  if (verdict.result === true)
    return (
      <span class="good">
        <Icon name="check" /> would work
      </span>
    );
  if (verdict.result === null) return <span class="faint">{verdict.reason ?? 'not supported'}</span>;
  return (
    <span class="wrong">
      <Mark look="failed" /> {verdict.reason ?? 'would not work'}
    </span>
  );
}

function Values({ values }: { values: Record<string, unknown> }) {
  const rows = Object.entries(values);
  if (rows.length === 0) return <p class="faint">Empty.</p>;
  return (
    <dl class="values">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What has to be changed to get from one object to the other; masked secrets stay as they are. */
export function changes(name: string, before: Record<string, unknown>, after: Record<string, unknown>): Change[] {
  const key = (one: string) => `/${name}/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const found: Change[] = [];
  for (const [one, value] of Object.entries(after)) {
    if (!(one in before)) found.push({ op: 'add', path: key(one), value });
    else if (JSON.stringify(before[one]) !== JSON.stringify(value)) found.push({ op: 'replace', path: key(one), value });
  }
  for (const one of Object.keys(before)) if (!(one in after)) found.push({ op: 'remove', path: key(one) });
  return found;
}

function EditDialog({ name, node, onClose, onDone }: { name: Part; node: NodeTabProps['node']; onClose: () => void; onDone: () => void }) {
  const before = node[name];
  const [text, setText] = useState(JSON.stringify(before, null, 2));
  let after: Record<string, unknown> | null = null;
  let wrong: string | null = null;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) after = parsed as Record<string, unknown>;
    else wrong = 'This has to be a JSON object.';
  } catch (error) {
    wrong = error instanceof Error ? error.message : String(error);
  }
  const diff = after === null ? [] : changes(name, before, after);
  const submit = async () => {
    try {
      await patch(node.uuid, diff);
      say(`${name} is changed.`);
      onDone();
    } catch (error) {
      complain('The change was refused', error);
    }
  };
  return (
    <Dialog
      wide
      title={`${name} of ${node.name ?? node.uuid}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" why={wrong !== null ? 'it is not JSON' : diff.length === 0 ? 'nothing is changed' : null} onClick={() => void submit()}>
            Send {diff.length > 0 ? `${diff.length} changes` : ''}
          </Button>
        </>
      }
    >
      <Field label="JSON" error={wrong} hint="Secrets are masked as ******; leave them and they stay as they are.">
        {(id) => <textarea id={id} class="area area-tall" autofocus spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />}
      </Field>
      {diff.length > 0 && (
        <ul class="diff" aria-label="What will be sent">
          {diff.map((change) => (
            <li key={change.path} class={`diff-${change.op}`}>
              <code>
                {change.op === 'remove' ? '−' : '+'} {change.path} {change.value === undefined ? '' : JSON.stringify(change.value)}
              </code>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
