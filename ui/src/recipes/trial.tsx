// The trial of inspection rules on what the last inspection of a node found: which conditions hold and
// why, what would be changed. Nothing is written.

import { useEffect, useState } from 'preact/hooks';
import { type ApiError, get, part, send } from '../api/http.ts';
import type { Page } from '../api/shapes.ts';
import { asError } from '../doc.ts';
import { Button, Failed, Field } from '../parts/base.tsx';
import { Combo, type Offer } from '../parts/combo.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import { curl, mayNot, quoted } from '../verbs.ts';
import { me } from '../session.ts';

interface Change {
  subject: string;
  path: string;
  before: unknown;
  after: unknown;
}

interface Tried {
  uuid: string | null;
  description: string | null;
  priority: number;
  sensitive: boolean;
  applies: boolean;
  error: string | null;
  conditions: { op: string; holds: boolean | null; seen: Record<string, unknown>[]; error: string | null }[];
  actions: { op: string; done: boolean; effects: string[]; changes: Change[]; error: string | null }[];
}

interface Report {
  node: string;
  name: string | null;
  rules: Tried[];
  changes: Change[];
  error: string | null;
}

const PLACE = 'corten.trial.node';
const TRY = '/corten/v1/inspection_rules/try';

/** Where values of an inventory are found, as rules write it. */
export function places(value: unknown, from: string, found: Offer[] = []): Offer[] {
  if (found.length >= 400) return found;
  if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) places(one, `${from}[${name}]`, found);
  } else {
    const shown = String(value);
    found.push({ value: `{${from}}`, about: shown.length > 60 ? `${shown.slice(0, 60)}…` : shown });
  }
  return found;
}

/** The node that rules are tried on, and what its inventory offers. */
export function useTrialNode() {
  const [node, setNode] = useState(localStorage.getItem(PLACE) ?? '');
  const [found, setFound] = useState<Offer[]>([]);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    setFound([]);
    setWrong(null);
    if (node === '') return undefined;
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      get<{ inventory: unknown; plugin_data: unknown }>(`/v1/nodes/${part(node)}/inventory`, abort.signal).then(
        (data) => {
          localStorage.setItem(PLACE, node);
          setFound([...places(data.inventory, 'inventory'), ...places(data.plugin_data, 'plugin_data')]);
        },
        (error: unknown) => {
          if (!abort.signal.aborted) setWrong(asError(error).message);
        },
      );
    }, 300);
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [node]);
  return { node, setNode, found, wrong };
}

function useNodes(typed: string): Offer[] {
  const [nodes, setNodes] = useState<Offer[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      const q = typed === '' ? '' : `&q=${part(/[\s:"]/.test(typed) ? `"${typed.replaceAll('"', '')}"` : typed)}`;
      get<Page>(`/corten/v1/nodes?limit=20${q}`, abort.signal).then(
        (page) => setNodes(page.nodes.map((row) => ({ value: row.name ?? row.uuid, about: row.provision_state }))),
        () => undefined,
      );
    }, 150);
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [typed]);
  return nodes;
}

export function Trial({ rule, why, trial }: { rule: Record<string, unknown> | null; why: string | null; trial: ReturnType<typeof useTrialNode> }) {
  const { node, setNode, wrong } = trial;
  const [all, setAll] = useState(rule === null);
  const [report, setReport] = useState<Report | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const nodes = useNodes(node);
  const asked = { node, ...(all || rule === null ? {} : { rule }) };
  const off = mayNot(me.value, 'corten:inspection_rule:try') ?? (node === '' ? 'choose a machine first' : all ? null : why);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      setReport(await send<Report>('POST', TRY, asked));
    } catch (refused) {
      setReport(null);
      setError(asError(refused));
    }
    setBusy(false);
  };
  const command = `corten inspection rule try ${quoted(node === '' ? 'NODE' : node)}${all || rule === null ? '' : ` --rule ${quoted(JSON.stringify(rule))}`}`;
  return (
    <section class="panel trial-panel" aria-labelledby="trial-title">
      <header class="panel-head">
        <h2 id="trial-title" class="panel-title">
          Try it
        </h2>
        <div class="panel-actions">
          <ShowCommand commands={{ corten: command, curl: curl('POST', TRY, asked) }} />
        </div>
      </header>
      <div class="panel-body">
        <p class="faint">On what the last inspection of a machine found. Nothing is written and nobody is called; secrets are masked.</p>
        <form
          class="trial-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (off === null) void run();
          }}
        >
          <Field label="Machine" error={wrong}>
            {(id, described) => <Combo id={id} described={described} value={node} offers={nodes} onValue={(value) => setNode(value.trim())} placeholder="name or UUID" />}
          </Field>
          {rule !== null && (
            <label class="check-line">
              <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> the stored rules instead, all of them
            </label>
          )}
          <Button type="submit" kind="main" busy={busy} why={off}>
            Try
          </Button>
        </form>
        <div aria-live="polite">
          {error !== null && <Failed error={error} />}
          {report !== null && <Outcome report={report} />}
        </div>
      </div>
    </section>
  );
}

function Outcome({ report }: { report: Report }) {
  return (
    <div class="outcome">
      {report.rules.length === 0 && <p>There are no rules.</p>}
      {report.rules.map((rule, index) => (
        <RuleOutcome key={rule.uuid ?? index} rule={rule} />
      ))}
      {report.error !== null && (
        <p class="wrong" role="alert">
          <Mark look="failed" /> The inspection would fail: {report.error}
        </p>
      )}
      <h3>What would be changed</h3>
      {report.changes.length === 0 ? <p class="faint">Nothing.</p> : <Changes changes={report.changes} />}
    </div>
  );
}

function RuleOutcome({ rule }: { rule: Tried }) {
  return (
    <div class="tried">
      <p class={rule.applies ? 'good' : ''}>
        {rule.applies ? <Icon name="check" /> : <span aria-hidden="true">○</span>} <strong>{rule.description ?? (rule.uuid === null ? 'This rule' : `Rule ${rule.uuid.slice(0, 8)}`)}</strong> {rule.applies ? 'applies' : 'does not apply'}
        {rule.sensitive && <span class="chip">sensitive: its values are not shown</span>}
      </p>
      <ul class="tried-list">
        {rule.conditions.map((one, index) => (
          <li key={index}>
            <span class={one.holds === true ? 'good' : one.holds === null ? 'wrong' : 'warned'}>{one.holds === true ? '✓ holds' : one.holds === false ? '✗ does not hold' : '! cannot be judged'}</span> <code>{one.op}</code>{' '}
            {one.seen.map((seen, at) => (
              <code class="faint" key={at}>
                {Object.entries(seen).map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}
              </code>
            ))}
            {one.error !== null && <span class="wrong"> {one.error}</span>}
          </li>
        ))}
        {rule.actions.map((one, index) => (
          <li key={`a${index}`}>
            <span class={one.done ? 'good' : 'faint'}>{one.done ? '✓ would be done' : one.error === null ? '– not reached' : '! fails'}</span> <code>{one.op}</code>
            {one.effects.map((effect, at) => (
              <span key={at}> {effect}</span>
            ))}
            {one.error !== null && <span class="wrong"> {one.error}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Changes({ changes }: { changes: Change[] }) {
  return (
    <div class="scroll-x" role="region" aria-label="Changes" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">of</th>
            <th scope="col">what</th>
            <th scope="col">before</th>
            <th scope="col">after</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((one, index) => (
            <tr key={index}>
              <td>{one.subject}</td>
              <th scope="row">{one.path}</th>
              <td class="wrap">{one.before === null ? <span class="faint">nothing</span> : <code>{JSON.stringify(one.before)}</code>}</td>
              <td class="wrap">{one.after === null ? <span class="faint">removed</span> : <code>{JSON.stringify(one.after)}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
