// What machines are treated by: deploy templates, runbooks and inspection rules, to read.

import { useEffect, useState } from 'preact/hooks';
import { useDoc } from '../doc.ts';
import { Button, Empty, Loaded, Panel } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
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
  traits?: string[];
  priority?: number;
  sensitive?: boolean;
  phase?: string | null;
  conditions?: Record<string, unknown>[];
  actions?: Record<string, unknown>[];
}

function Recipes({ title, path, key_, command, none }: { title: string; path: string; key_: string; command: string; none: string }) {
  const doc = useDoc<Record<string, Recipe[]>>(`${path}?detail=True`);
  useEffect(() => {
    const again = () => doc.reload();
    addEventListener('focus', again);
    return () => removeEventListener('focus', again);
  }, []);
  return (
    <div class="stack">
      <div class="page-head">
        <h1>{title}</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: command, curl: curl('GET', `${path}?detail=True`) }} />
      </div>
      <Loaded doc={doc} lines={6}>
        {(data) => {
          const list = data[key_] ?? [];
          return list.length === 0 ? (
            <Empty title={`No ${title.toLowerCase()}`}>{none}</Empty>
          ) : (
            <div class="cards">
              {list.map((one) => (
                <RecipeCard key={one.uuid} recipe={one} />
              ))}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

function RecipeCard({ recipe }: { recipe: Recipe }) {
  const [open, setOpen] = useState(false);
  return (
    <Panel
      level={3}
      title={recipe.name ?? recipe.description ?? recipe.uuid}
      actions={
        <Button small kind="quiet" expanded={open} onClick={() => setOpen(!open)}>
          JSON
        </Button>
      }
    >
      {recipe.name !== undefined && recipe.description != null && <p>{recipe.description}</p>}
      <p class="row">
        {recipe.owner != null && <span class="chip">owner {recipe.owner}</span>}
        {recipe.public === true && <span class="chip">public</span>}
        {recipe.phase != null && <span class="chip">{recipe.phase}</span>}
        {recipe.sensitive === true && <span class="chip">sensitive</span>}
        {recipe.traits?.map((trait) => (
          <span class="chip" key={trait}>
            {trait}
          </span>
        ))}
      </p>
      {recipe.steps !== undefined && (
        <ol class="plan-steps">
          {[...recipe.steps]
            .sort((a, b) => (a.order ?? 0) - (b.order ?? 0) || (b.priority ?? 0) - (a.priority ?? 0))
            .map((step, index) => (
              <li key={index}>
                {step.interface}.{step.step} {Object.keys(step.args ?? {}).length > 0 && <code class="faint">{JSON.stringify(step.args)}</code>}
              </li>
            ))}
        </ol>
      )}
      {recipe.conditions !== undefined && (
        <p>
          <strong>If</strong> {recipe.conditions.length === 0 ? 'always' : recipe.conditions.map((one) => sentence(one)).join(' and ')}
        </p>
      )}
      {recipe.actions !== undefined && (
        <p>
          <strong>then</strong> {recipe.actions.map((one) => sentence(one)).join(', ')}
        </p>
      )}
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
  return <Recipes title="Deploy templates" path="/v1/deploy_templates" key_="deploy_templates" command="corten deploy template list" none="A deploy template adds steps to deployments of instances that ask for its trait." />;
}

export function Runbooks() {
  return <Recipes title="Runbooks" path="/v1/runbooks" key_="runbooks" command="corten runbook list" none="A runbook is a list of steps for cleaning and servicing, with a name." />;
}

export function InspectionRules() {
  return <Recipes title="Inspection rules" path="/v1/inspection_rules" key_="inspection_rules" command="corten inspection rule list" none="An inspection rule changes a node by what inspection found." />;
}
