// The editor of deploy templates, runbooks and inspection rules: a form, what is wrong with it, what
// will be sent, and the service's own words beside the field they speak of.

import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { asError, useDoc } from '../doc.ts';
import { useKeys } from '../keys.ts';
import { Button, Failed, Field, Skeleton } from '../parts/base.tsx';
import { CommandLine, type Commands, Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/marks.tsx';
import { complain, say } from '../parts/notices.tsx';
import { go, href, query } from '../router.ts';
import { me } from '../session.ts';
import { mayNotOwn } from '../verbs.ts';
import { type Mistake, type Schema, mistakes, of, place } from './checks.ts';
import { changeCommands, createCommands } from './commands.ts';
import { Lines, operatorArgs, stepArgs, stepOffers, who } from './lines.tsx';
import { type Draft, type Kind, NOUNS, type OfferedStep, type Operators, PATHS, blank, changes, difference, read, traits, write } from './model.ts';
import { Trial, useTrialNode } from './trial.tsx';

const RULES: Record<Kind, string> = { templates: 'baremetal:deploy_template', runbooks: 'baremetal:runbook', rules: 'baremetal:inspection_rule' };

export const mayChange = (kind: Kind, verb: 'create' | 'update' | 'delete') => mayNotOwn(me.value, `${RULES[kind]}:${verb}`);

const ATTRIBUTES = [
  'resource_class', 'name', 'description', 'owner', 'conductor_group', 'driver', 'shard', 'automated_clean', 'maintenance', 'properties/cpu_arch', 'properties/capabilities', 'properties/root_device',
  'properties/vendor', 'driver_info/deploy_kernel', 'driver_info/deploy_ramdisk', 'extra/rack', 'bios_interface', 'boot_interface', 'deploy_interface', 'management_interface', 'raid_interface',
].map((value) => ({ value }));
const LEVELS = ['debug', 'info', 'warning', 'error', 'critical'].map((value) => ({ value }));
const YES = ['true', 'false'].map((value) => ({ value }));

interface OpenApi {
  paths: Record<string, { post?: { requestBody?: { content: Record<string, { schema: Schema }> } } }>;
}

/** The document that is edited, or copied; then the form. */
export function Editor({ kind, id }: { kind: Kind; id: string }) {
  const creates = id === 'new';
  const from = creates ? query.value.get('from') : id;
  const doc = useDoc<Record<string, unknown>>(from === null ? null : `${PATHS[kind]}/${part(from)}`);
  const known = useDoc<{ steps: OfferedStep[] }>(kind === 'rules' ? null : '/corten/v1/steps');
  const operators = useDoc<Operators>(kind === 'rules' ? '/corten/v1/inspection_rules/operators' : null);
  const open = useDoc<OpenApi>('/corten/v1/openapi.json');
  const title = creates ? `New ${NOUNS[kind]}` : `Edit ${NOUNS[kind]}`;
  // Without the lists one can still write; they only help. But a rule is read by its operators.
  const ready = (from === null || doc.data.value !== undefined) && (kind !== 'rules' || !operators.loading.value);
  const schema = open.data.value?.paths[PATHS[kind]]?.post?.requestBody?.content['application/json']?.schema;
  useEffect(() => {
    document.title = `${title} · Corten`;
  }, [title]);
  return (
    <div class="stack editor">
      <p>
        <a href={href([kind])}>‹ All {NOUNS[kind]}s</a>
      </p>
      <h1>{title}</h1>
      {doc.error.value !== undefined && doc.data.value === undefined ? (
        <Failed error={doc.error.value} retry={doc.reload} />
      ) : !ready ? (
        <Skeleton lines={8} />
      ) : (
        <Form
          key={id}
          kind={kind}
          uuid={creates ? null : String(doc.data.value?.['uuid'] ?? id)}
          stored={creates ? null : (doc.data.value ?? null)}
          first={doc.data.value === undefined ? blank(kind) : { ...read(kind, doc.data.value, operators.data.value), ...(creates ? { name: '' } : {}) }}
          schema={schema}
          steps={known.data.value?.steps ?? []}
          operators={operators.data.value}
        />
      )}
    </div>
  );
}

interface FormProps {
  kind: Kind;
  uuid: string | null;
  stored: Record<string, unknown> | null;
  first: Draft;
  schema: Schema | undefined;
  steps: OfferedStep[];
  operators: Operators | undefined;
}

/** Which steps make sense here. */
const USES: Record<Kind, string[]> = { templates: ['deploy'], runbooks: ['clean', 'service'], rules: [] };

function Form({ kind, uuid, first, schema, steps, operators }: FormProps) {
  // What is edited is what was read when the form opened, not what is read anew behind it.
  const [before] = useState({ body: uuid === null ? null : write(kind, first), traits: traits(first) });
  const [draft, setDraft] = useState(first);
  const [tried, setTried] = useState(false);
  const [refusal, setRefusal] = useState<Mistake | null>(null);
  const [reviewed, review] = useState(false);
  const [busy, setBusy] = useState(false);
  const trial = useTrialNode();
  // `autofocus` counts once in a document, and this is not its first screen.
  useLayoutEffect(() => document.querySelector<HTMLElement>('.editor form .input')?.focus(), []);
  const edit = (change: Partial<Draft>) => {
    setRefusal(null);
    setDraft({ ...draft, ...change });
  };

  const body = write(kind, draft);
  const wanted = traits(draft);
  const patch = before.body === null ? [] : changes(before.body, body);
  const sameTraits = JSON.stringify(wanted) === JSON.stringify(before.traits);
  const found = mistakes(kind, draft, schema, operators);
  // What is empty is no mistake before it is to be sent.
  const wrong = [...found.filter((one) => tried || one.empty !== true), ...(refusal === null ? [] : [refusal])];
  const nothing = before.body !== null && patch.length === 0 && sameTraits;
  const why = mayChange(kind, uuid === null ? 'create' : 'update') ?? (nothing ? 'nothing is changed' : null);

  const ask = () => {
    setTried(true);
    if (why !== null) say(`Not now: ${why}.`);
    else if (found.length === 0) review(true);
    else {
      say(`${found.length === 1 ? 'One thing is' : `${found.length} things are`} to be put right first.`);
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.editor [aria-invalid="true"], .editor .field-wrong .input, .editor .line-wrong .input')?.focus());
    }
  };
  useKeys([{ keys: 'Ctrl Enter', about: 'review what will be sent', run: ask }]);

  const submit = async () => {
    setBusy(true);
    try {
      const named = uuid ?? String((await send<{ uuid: string }>('POST', PATHS[kind], body))?.uuid);
      if (uuid !== null && patch.length > 0) await send('PATCH', `${PATHS[kind]}/${part(uuid)}`, patch);
      if (kind === 'runbooks' && !sameTraits) {
        try {
          await send('PUT', `${PATHS.runbooks}/${part(named)}/traits`, { traits: wanted });
        } catch (error) {
          // The runbook is stored by now: what is left to mend is edited there.
          complain('The runbook is stored, but its traits were refused', error);
          go(href([kind, named]));
          return;
        }
      }
      say(`The ${NOUNS[kind]} is stored.`);
      go(href([kind]));
    } catch (error) {
      const refused = asError(error);
      review(false);
      setRefusal({ at: place(refused.message, kind, draft), text: `${refused.message}${refused.requestId === null ? '' : ` (request ${refused.requestId})`}` });
      say('The service refused it.');
    } finally {
      setBusy(false);
    }
  };
  const commands: Commands = uuid === null ? createCommands(kind, body, wanted) : changeCommands(kind, uuid, patch);
  const whole = of(wrong, '');
  const all = useMemo(() => steps.filter((step) => USES[kind].includes(step.kind)), [steps, kind]);

  const form = (
    <form
      class="stack"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        ask();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      {whole !== null && (
        <p class="wrong editor-refusal" role="alert">
          <Icon name="warn" /> {whole}
        </p>
      )}
      {kind === 'rules' ? <RuleFields draft={draft} wrong={wrong} edit={edit} operators={operators} offers={trial.found} locked={first.sensitive && uuid !== null} /> : <RecipeFields kind={kind} draft={draft} wrong={wrong} edit={edit} steps={all} />}
      <div class="editor-foot">
        <Button onClick={() => go(href([kind]))}>Cancel</Button>
        <span class="spring" />
        <span class="faint editor-keys">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
        <Button kind="main" type="submit" why={why}>
          Review and {uuid === null ? 'create' : 'save'}
        </Button>
      </div>
      {reviewed && (
        <Review title={uuid === null ? `Create this ${NOUNS[kind]}?` : `Change this ${NOUNS[kind]}?`} before={shown(before.body, before.traits, kind)} after={shown(body, wanted, kind)} commands={commands} busy={busy} action={uuid === null ? 'Create' : 'Save'} onClose={() => review(false)} onYes={() => void submit()} />
      )}
    </form>
  );
  return (
    <>
      {form}
      {kind === 'rules' && !draft.hidden && <Trial rule={body} why={found.length === 0 ? null : 'the rule is not complete'} trial={trial} />}
    </>
  );
}

function shown(body: Record<string, unknown> | null, named: string[], kind: Kind): Record<string, unknown> | null {
  if (body === null || kind !== 'runbooks') return body;
  return { ...body, traits: named };
}

function Review(props: { title: string; before: unknown; after: unknown; commands: Commands; busy: boolean; action: string; onClose: () => void; onYes: () => void }) {
  return (
    <Dialog
      wide
      title={props.title}
      onClose={props.onClose}
      foot={
        <>
          <Button onClick={props.onClose}>Back</Button>
          <Button kind="main" autofocus busy={props.busy} onClick={props.onYes}>
            {props.action}
          </Button>
        </>
      }
    >
      <pre class="diff-lines" aria-label="What will be sent" tabIndex={0}>
        {difference(props.before, props.after).map((one, index) => (
          <span key={index} class={one.sign === '+' ? 'diff-add' : one.sign === '-' ? 'diff-remove' : ''}>
            {one.sign} {one.text}
            {'\n'}
          </span>
        ))}
      </pre>
      <CommandLine label="corten" text={props.commands.corten} />
      <CommandLine label="curl" text={props.commands.curl} />
    </Dialog>
  );
}

interface FieldsProps {
  draft: Draft;
  wrong: Mistake[];
  edit: (change: Partial<Draft>) => void;
}

function RecipeFields({ kind, draft, wrong, edit, steps }: FieldsProps & { kind: Kind; steps: OfferedStep[] }) {
  const rank = kind === 'templates' ? 'priority' : 'order';
  // A wrong priority or order belongs to its step.
  const lines = wrong.map((one) => ({ ...one, at: one.at.replace(/^(steps\/\d+)\/(priority|order)$/, '$1'), text: one.at.endsWith(`/${rank}`) ? `${rank}: ${one.text}` : one.text }));
  const about = (name: string) => {
    const all = steps.filter((step) => `${step.interface}.${step.step}` === name);
    return all.length === 0 ? null : `${who(all)}; drivers: ${[...new Set(all.flatMap((step) => step.drivers))].join(', ')}`;
  };
  return (
    <>
      <section class="panel panel-body form">
        <Field label="Name" error={of(wrong, 'name')} hint={kind === 'templates' ? 'The trait that asks for it, such as CUSTOM_RAID1: it is used for instances that have this trait.' : 'By which it is asked for, such as burn-in. Nodes are found by its traits.'}>
          {(id, described) => <input id={id} class="input" aria-describedby={described} aria-invalid={of(wrong, 'name') !== null} autocomplete="off" spellcheck={false} value={draft.name} onInput={(event) => edit({ name: event.currentTarget.value })} />}
        </Field>
        {kind === 'runbooks' && (
          <>
            <Field label="Description" error={of(wrong, 'description')} hint="What it is for. Optional.">
              {(id, described) => <input id={id} class="input" aria-describedby={described} value={draft.description} onInput={(event) => edit({ description: event.currentTarget.value })} />}
            </Field>
            <Field label="Traits" error={of(wrong, 'traits')} hint="It may be used on nodes that have one of them. Separated by spaces.">
              {(id, described) => <input id={id} class="input" aria-describedby={described} aria-invalid={of(wrong, 'traits') !== null} autocomplete="off" spellcheck={false} value={draft.traits} onInput={(event) => edit({ traits: event.currentTarget.value })} />}
            </Field>
            <Field label="Owner" error={of(wrong, 'owner')} hint="The project it belongs to; empty for all who may use it.">
              {(id, described) => <input id={id} class="input" aria-describedby={described} autocomplete="off" spellcheck={false} value={draft.owner} onInput={(event) => edit({ owner: event.currentTarget.value })} />}
            </Field>
            <label class="check-line">
              <input type="checkbox" checked={draft.public} onChange={(event) => edit({ public: event.currentTarget.checked })} /> Public: other projects may use it
            </label>
            <label class="check-line">
              <input type="checkbox" checked={draft.disableRamdisk} onChange={(event) => edit({ disableRamdisk: event.currentTarget.checked })} /> Without a ramdisk: only steps that need no agent
            </label>
          </>
        )}
      </section>
      <section class="panel panel-body">
        <Lines
          part="steps"
          title="Steps"
          one="step"
          hint={kind === 'templates' ? 'Added to deployments by their priority: the highest runs first. Priority 0 takes the step of this name out.' : 'Run in this order.'}
          none="There are no steps."
          lines={draft.steps}
          wrong={lines}
          offers={stepOffers(steps)}
          argsOf={(what) => stepArgs(steps, what)}
          values={() => []}
          aboutOf={about}
          rank={kind === 'templates' ? { label: 'Priority', hint: '' } : { label: 'Order', hint: '' }}
          onLines={(lines) => edit({ steps: lines })}
        />
      </section>
      <section class="panel panel-body form">
        <Field label="Extra" error={of(wrong, 'extra')} hint="Notes of yours, as a JSON object.">
          {(id, described) => <input id={id} class="input input-code" aria-describedby={described} spellcheck={false} value={draft.extra} onInput={(event) => edit({ extra: event.currentTarget.value })} />}
        </Field>
      </section>
    </>
  );
}

function RuleFields({ draft, wrong, edit, operators, offers, locked }: FieldsProps & { operators: Operators | undefined; offers: { value: string; about?: string | undefined }[]; locked: boolean }) {
  const known = { conditions: operators?.conditions ?? [], actions: operators?.actions ?? [] };
  const values = (arg: string) => (arg === 'path' ? ATTRIBUTES : arg === 'level' ? LEVELS : arg === 'unique' || arg === 'force_strings' ? YES : ['value', 'address', 'msg', 'url', 'name'].includes(arg) ? offers : []);
  const list = (part: 'conditions' | 'actions') => ({
    part,
    lines: draft[part],
    wrong,
    offers: known[part].map((row) => ({ value: row.op, about: row.about })),
    argsOf: (what: string) => operatorArgs(known[part], what),
    values: (_: string, arg: string) => values(arg),
    aboutOf: (what: string) => known[part].find((row) => row.op === what)?.about ?? null,
    loops: true,
    onLines: (lines: Draft['actions']) => edit({ [part]: lines }),
  });
  return (
    <>
      <section class="panel panel-body form">
        <Field label="Description" error={of(wrong, 'description')} hint="What it is for.">
          {(id, described) => <input id={id} class="input" aria-describedby={described} value={draft.description} onInput={(event) => edit({ description: event.currentTarget.value })} />}
        </Field>
        <Field label="Priority" error={of(wrong, 'priority')} hint="0 to 9999; the highest runs first.">
          {(id, described) => <input id={id} class="input input-number" aria-describedby={described} aria-invalid={of(wrong, 'priority') !== null} inputMode="numeric" value={draft.priority} onInput={(event) => edit({ priority: event.currentTarget.value.trim() })} />}
        </Field>
        <label class="check-line">
          <input type="checkbox" checked={draft.sensitive} disabled={locked} onChange={(event) => edit({ sensitive: event.currentTarget.checked })} /> Sensitive: what it says is never shown again, and that cannot be undone
        </label>
      </section>
      {draft.hidden ? (
        <section class="panel panel-body">
          <p>The service does not show what a sensitive rule says. It stays as it is, unless you write it anew.</p>
          <Button small onClick={() => edit({ ...blank('rules'), description: draft.description, priority: draft.priority, sensitive: true, hidden: false })}>
            Write it anew
          </Button>
        </section>
      ) : (
        <>
          <section class="panel panel-body">
            <Lines {...list('conditions')} title="If all of these hold" one="condition" hint="Without a condition it always applies." none="Always." inverts />
          </section>
          <section class="panel panel-body">
            <Lines {...list('actions')} title="Then do this" one="action" hint="One after the other. The first that fails ends the inspection." none="Nothing." />
          </section>
        </>
      )}
    </>
  );
}
