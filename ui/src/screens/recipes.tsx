// What machines are treated by: deploy templates, runbooks and inspection rules.

import { useEffect, useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { useDoc } from '../doc.ts';
import { useKeys } from '../keys.ts';
import { Button, Empty, Loaded, Panel } from '../parts/base.tsx';
import { CommandLine, Confirm, ShowCommand } from '../parts/dialog.tsx';
import { Icon } from '../parts/marks.tsx';
import { complain, say } from '../parts/notices.tsx';
import { Editor, mayChange } from '../recipes/editor.tsx';
import { type Kind, NOUNS, PATHS } from '../recipes/model.ts';
import { Trial, useTrialNode } from '../recipes/trial.tsx';
import { go, href, path, query, setQuery } from '../router.ts';
import { curl } from '../verbs.ts';

interface Step {
  interface: string;
  step: string;
  args?: Record<string, unknown>;
  priority?: number;
  order?: number;
}

interface Recipe {
  uuid: string;
  name?: string;
  description?: string | null;
  steps?: Step[];
  owner?: string | null;
  public?: boolean;
  disable_ramdisk?: boolean;
  traits?: string[];
  priority?: number;
  sensitive?: boolean;
  conditions?: Record<string, unknown>[] | null;
  actions?: Record<string, unknown>[] | null;
}

interface Words {
  kind: Kind;
  title: string;
  command: string;
  none: string;
}

function Recipes({ kind, title, command, none }: Words) {
  const id = path.value[1];
  if (id !== undefined) return <Editor key={id} kind={kind} id={id} />;
  return <RecipeList kind={kind} title={title} command={command} none={none} />;
}

function RecipeList({ kind, title, command, none }: Words) {
  const from = `${PATHS[kind]}?detail=True`;
  const doc = useDoc<Record<string, Recipe[]>>(from);
  const [removed, remove] = useState<Recipe | null>(null);
  const trial = kind === 'rules' && query.value.get('try') !== null;
  useEffect(() => {
    const again = () => doc.reload();
    addEventListener('focus', again);
    return () => removeEventListener('focus', again);
  }, []);
  useKeys([{ keys: 'n', about: `new ${NOUNS[kind]}`, run: () => go(href([kind, 'new'])) }]);
  const word = removed === null ? '' : (removed.name ?? removed.uuid.slice(0, 8));
  return (
    <div class="stack">
      <div class="page-head">
        <h1>{title}</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: command, curl: curl('GET', from) }} />
        {kind === 'rules' && (
          <Button pressed={trial} onClick={() => setQuery({ try: trial ? null : '1' })}>
            Try all
          </Button>
        )}
        <Button kind="main" why={mayChange(kind, 'create')} onClick={() => go(href([kind, 'new']))}>
          <Icon name="plus" /> New {NOUNS[kind]}
        </Button>
      </div>
      <p class="faint">{none}</p>
      {trial && <AllRules />}
      <Loaded doc={doc} lines={6}>
        {(data) => {
          const list = data[PATHS[kind].slice(4)] ?? [];
          return list.length === 0 ? (
            <Empty title={`No ${title.toLowerCase()}`}>
              <p>{none}</p>
              <p>
                <a href={href([kind, 'new'])}>Write the first</a>
              </p>
            </Empty>
          ) : (
            <div class="cards">
              {list.map((one) => (
                <RecipeCard key={one.uuid} kind={kind} recipe={one} onDelete={() => remove(one)} />
              ))}
            </div>
          );
        }}
      </Loaded>
      {removed !== null && (
        <Confirm
          title={`Delete ${NOUNS[kind]} ${removed.name ?? removed.description ?? removed.uuid}`}
          text={<p>What it does is not done any more. What was done by it stays.</p>}
          word={word}
          action="Delete"
          onClose={() => remove(null)}
          onYes={() => {
            send('DELETE', `${PATHS[kind]}/${part(removed.uuid)}`).then(
              () => {
                remove(null);
                say(`The ${NOUNS[kind]} is deleted.`);
                doc.reload();
              },
              (error: unknown) => complain('It could not be deleted', error),
            );
          }}
        >
          <CommandLine label="corten" text={`corten ${NOUNS[kind]} delete ${removed.uuid}`} />
        </Confirm>
      )}
    </div>
  );
}

function AllRules() {
  const trial = useTrialNode();
  return <Trial rule={null} why={null} trial={trial} />;
}

function RecipeCard({ kind, recipe, onDelete }: { kind: Kind; recipe: Recipe; onDelete: () => void }) {
  const [open, setOpen] = useState(false);
  const name = recipe.name ?? recipe.description ?? recipe.uuid;
  const steps = [...(recipe.steps ?? [])].sort((a, b) => (kind === 'templates' ? (b.priority ?? 0) - (a.priority ?? 0) : (a.order ?? 0) - (b.order ?? 0)));
  return (
    <Panel level={3} title={name}>
      {recipe.name !== undefined && recipe.description != null && <p>{recipe.description}</p>}
      <p class="row">
        {recipe.owner != null && <span class="chip">owner {recipe.owner}</span>}
        {recipe.public === true && <span class="chip">public</span>}
        {recipe.disable_ramdisk === true && <span class="chip">no ramdisk</span>}
        {kind === 'rules' && <span class="chip">priority {recipe.priority ?? 0}</span>}
        {recipe.sensitive === true && <span class="chip">sensitive</span>}
        {recipe.traits?.map((trait) => (
          <span class="chip" key={trait}>
            {trait}
          </span>
        ))}
      </p>
      {kind === 'runbooks' && recipe.traits?.length === 0 && <p class="warned">Without a trait it fits no node: edit it and name one.</p>}
      {recipe.steps !== undefined && (
        <ol class="plan-steps">
          {steps.map((step, index) => (
            <li key={index}>
              {step.interface}.{step.step} {step.priority !== undefined && <span class="faint">priority {step.priority}</span>} {Object.keys(step.args ?? {}).length > 0 && <code class="faint">{JSON.stringify(step.args)}</code>}
            </li>
          ))}
        </ol>
      )}
      {kind === 'rules' &&
        (recipe.sensitive === true ? (
          <p class="faint">What it says is not shown.</p>
        ) : (
          <>
            <p>
              <strong>If</strong> {(recipe.conditions ?? []).length === 0 ? 'always' : (recipe.conditions ?? []).map((one) => sentence(one)).join(' and ')}
            </p>
            <p>
              <strong>then</strong> {(recipe.actions ?? []).map((one) => sentence(one)).join(', ')}
            </p>
          </>
        ))}
      <p class="row">
        <Button small label={`Edit ${name}`} why={mayChange(kind, 'update')} onClick={() => go(href([kind, recipe.uuid]))}>
          Edit
        </Button>
        <Button small kind="quiet" label={`Copy ${name}`} why={mayChange(kind, 'create') ?? (recipe.sensitive === true ? 'what it says is not shown' : null)} onClick={() => go(href([kind, 'new'], { from: recipe.uuid }))}>
          Copy
        </Button>
        <Button small kind="quiet" label={`JSON of ${name}`} expanded={open} onClick={() => setOpen(!open)}>
          JSON
        </Button>
        <Button small kind="quiet" label={`Delete ${name}`} why={mayChange(kind, 'delete')} onClick={onDelete}>
          Delete
        </Button>
      </p>
      {open && <pre class="json">{JSON.stringify(recipe, null, 2)}</pre>}
    </Panel>
  );
}

function sentence(one: Record<string, unknown>): string {
  const { op, args, ...rest } = one;
  const inside = typeof args === 'object' && args !== null ? Object.entries(args) : [];
  const more = Object.entries(rest).filter(([, value]) => value !== null && value !== false && value !== 'any');
  return `${String(op)} ${[...inside, ...more].map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')}`;
}

export function Templates() {
  return <Recipes kind="templates" title="Deploy templates" command="corten deploy template list" none="A deploy template adds steps to deployments of instances that ask for the trait of its name." />;
}

export function Runbooks() {
  return <Recipes kind="runbooks" title="Runbooks" command="corten runbook list" none="A runbook is a list of steps with a name, for cleaning and servicing nodes that have one of its traits." />;
}

export function InspectionRules() {
  return <Recipes kind="rules" title="Inspection rules" command="corten inspection rule list" none="An inspection rule changes a node by what inspection found: if its conditions hold, its actions are done." />;
}
