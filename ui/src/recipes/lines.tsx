// The lists inside of a template, a runbook or a rule: steps, conditions and actions, with their
// arguments. Alt and an arrow moves the line that has the focus.

import { Button, Field } from '../parts/base.tsx';
import { Combo, type Offer } from '../parts/combo.tsx';
import { Icon } from '../parts/marks.tsx';
import { type Mistake, of, within } from './checks.ts';
import { type Arg, type Line, type OfferedStep, type Operator, line, sort } from './model.ts';

/** What is known of an argument. */
interface KnownArg {
  name: string;
  description: string;
  required: boolean;
}

interface LinesProps {
  /** `steps`, `conditions` or `actions`. */
  part: string;
  title: string;
  /** What one of them is called. */
  one: string;
  hint: string;
  none: string;
  lines: Line[];
  wrong: Mistake[];
  offers: Offer[];
  argsOf: (what: string) => KnownArg[] | null;
  /** What can stand in an argument. */
  values: (what: string, arg: string) => readonly Offer[];
  aboutOf: (what: string) => string | null;
  rank?: { label: string; hint: string } | undefined;
  inverts?: boolean;
  loops?: boolean;
  onLines: (lines: Line[]) => void;
}

function moved<T>(list: T[], from: number, to: number): T[] {
  if (to < 0 || to >= list.length) return list;
  const next = [...list];
  const [one] = next.splice(from, 1);
  if (one !== undefined) next.splice(to, 0, one);
  return next;
}

export function Lines(props: LinesProps) {
  const { part, lines, onLines } = props;
  const set = (index: number, change: Partial<Line>) => onLines(lines.map((one, at) => (at === index ? { ...one, ...change } : one)));
  const move = (from: number, to: number) => {
    // Order is a number there: it goes with the place.
    const next = moved(lines, from, to);
    onLines(part === 'steps' && props.rank?.label === 'Order' ? next.map((one, index) => ({ ...one, rank: `${index + 1}` })) : next);
    requestAnimationFrame(() => document.getElementById(`${part}-${lines[from]?.key}`)?.focus());
  };
  const add = () => {
    const last = lines.at(-1);
    const rank = props.rank === undefined ? '' : props.rank.label === 'Order' ? `${Number(last?.rank ?? 0) + 1}` : (last?.rank ?? '50');
    const made = line('', { rank });
    onLines([...lines, made]);
    requestAnimationFrame(() => document.getElementById(`${part}-${made.key}`)?.focus());
  };
  const own = of(props.wrong, part);
  return (
    <fieldset class="lines">
      <legend>{props.title}</legend>
      <p class="faint">{props.hint}</p>
      {own !== null && <p class="wrong" role="alert">{own}</p>}
      {lines.length === 0 && <p class="faint">{props.none}</p>}
      <ol class="lines-list">
        {lines.map((one, index) => (
          <li
            key={one.key}
            class={`line${of(props.wrong, `${part}/${index}`) === null ? '' : ' line-wrong'}`}
            onKeyDown={(event) => {
              if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
              event.preventDefault();
              move(index, index + (event.key === 'ArrowUp' ? -1 : 1));
            }}
          >
            <OneLine
              {...props}
              index={index}
              value={one}
              onChange={(change) => set(index, change)}
              onRemove={() => onLines(lines.filter((_, at) => at !== index))}
              onMove={(by) => move(index, index + by)}
              last={index === lines.length - 1}
            />
          </li>
        ))}
      </ol>
      <Button small onClick={add}>
        <Icon name="plus" /> Add {props.one}
      </Button>
    </fieldset>
  );
}

interface OneProps extends LinesProps {
  index: number;
  value: Line;
  last: boolean;
  onChange: (change: Partial<Line>) => void;
  onRemove: () => void;
  onMove: (by: number) => void;
}

function OneLine(props: OneProps) {
  const { value, index, part, wrong, onChange } = props;
  const at = `${part}/${index}`;
  const label = `${props.one[0]?.toUpperCase()}${props.one.slice(1)} ${index + 1}`;
  const known = props.argsOf(value.what);
  const about = props.aboutOf(value.what);
  // Mistakes of the parts that have a field of their own stand there.
  const ownWords = [of(wrong, at), of(wrong, `${at}/step`) ?? of(wrong, `${at}/interface`) ?? of(wrong, `${at}/op`)].filter((text) => text !== null).join(' ');
  const pick = (what: string) => {
    const wanted = props.argsOf(what) ?? [];
    const kept = value.args.filter((arg) => arg.text !== '');
    const missing = wanted.filter((arg) => arg.required && !kept.some((one) => one.name === arg.name)).map((arg) => ({ name: arg.name, text: '' }));
    onChange({ what, args: [...kept, ...missing] });
  };
  return (
    <>
      <div class="line-head">
        <span class="line-number" aria-hidden="true">
          {index + 1}
        </span>
        {props.inverts === true && (
          <label class="check-line line-not">
            <input type="checkbox" checked={value.not} onChange={(event) => onChange({ not: event.currentTarget.checked })} aria-label={`${label}: the opposite`} /> not
          </label>
        )}
        <Combo
          id={`${part}-${value.key}`}
          label={label}
          described={`${part}-${value.key}-about`}
          code
          value={value.what}
          offers={props.offers}
          wrong={ownWords !== ''}
          placeholder={part === 'steps' ? 'interface.step' : 'operator'}
          onValue={(what) => onChange({ what })}
          onPick={pick}
        />
        {props.rank !== undefined && (
          <label class="line-rank">
            <span>{props.rank.label}</span>
            <input class="input input-number" inputMode="numeric" aria-label={`${label}: ${props.rank.label.toLowerCase()}`} value={value.rank} onInput={(event) => onChange({ rank: event.currentTarget.value.trim() })} />
          </label>
        )}
        <span class="line-buttons">
          <Button small kind="quiet" label={`Move ${props.one} ${index + 1} up`} why={index === 0 ? 'it is the first' : null} onClick={() => props.onMove(-1)}>
            <Icon name="up" />
          </Button>
          <Button small kind="quiet" label={`Move ${props.one} ${index + 1} down`} why={props.last ? 'it is the last' : null} onClick={() => props.onMove(1)}>
            <Icon name="down" />
          </Button>
          <Button small kind="quiet" label={`Remove ${props.one} ${index + 1}`} onClick={props.onRemove}>
            <Icon name="close" />
          </Button>
        </span>
      </div>
      <p class="line-about" id={`${part}-${value.key}-about`}>
        {ownWords !== '' ? (
          <span class="wrong" role="alert">{ownWords}</span>
        ) : value.what !== '' && known === null ? (
          <span class="warned">
            <Icon name="warn" /> Nothing here offers this. An agent with hardware managers of its own may.
          </span>
        ) : (
          <span class="faint">{about}</span>
        )}
      </p>
      <Args part={part} index={index} args={value.args} known={known ?? []} wrong={wrong} values={(arg) => props.values(value.what, arg)} onArgs={(args) => onChange({ args })} />
      {props.loops === true && (value.loop !== '' || of(wrong, `${at}/loop`) !== null ? (
        <div class="line-loop">
          <Field label={`Loop of ${props.one} ${index + 1}`} error={of(wrong, `${at}/loop`)} hint="A JSON list; {item} in an argument is each of its values.">
            {(id) => <input id={id} class="input input-code" value={value.loop} spellcheck={false} onInput={(event) => onChange({ loop: event.currentTarget.value })} />}
          </Field>
          {part === 'conditions' && (
            <Field label="Holds if">
              {(id) => (
                <select id={id} class="select" value={value.multiple} onChange={(event) => onChange({ multiple: event.currentTarget.value })}>
                  <option value="any">it holds for any value</option>
                  <option value="all">it holds for all values</option>
                  <option value="first">it holds for the first</option>
                  <option value="last">it holds for the last</option>
                </select>
              )}
            </Field>
          )}
        </div>
      ) : (
        <Button small kind="quiet" onClick={() => onChange({ loop: '[]' })}>
          Loop over values
        </Button>
      ))}
    </>
  );
}

interface ArgsProps {
  part: string;
  index: number;
  args: Arg[];
  known: KnownArg[];
  wrong: Mistake[];
  values: (arg: string) => readonly Offer[];
  onArgs: (args: Arg[]) => void;
}

function Args({ part, index, args, known, wrong, values, onArgs }: ArgsProps) {
  const at = `${part}/${index}/args`;
  const set = (place: number, change: Partial<Arg>) => onArgs(args.map((one, here) => (here === place ? { ...one, ...change } : one)));
  const unused = known.filter((arg) => !args.some((one) => one.name === arg.name));
  const stray = within(wrong, at).filter((one) => !args.some((arg) => one.at === `${at}/${arg.name}`));
  const named = (name: string, place: number) => `Argument ${name === '' ? place + 1 : name} of ${part.slice(0, -1)} ${index + 1}`;
  return (
    <div class="args">
      {args.map((arg, place) => {
        const about = known.find((one) => one.name === arg.name);
        const mistake = of(wrong, `${at}/${arg.name}`);
        const id = `${part}-${index}-arg-${place}`;
        return (
          <div class="arg" key={place}>
            {about === undefined ? (
              <input class="input input-code arg-name" aria-label={`Name of argument ${place + 1} of ${part.slice(0, -1)} ${index + 1}`} placeholder="name" spellcheck={false} value={arg.name} onInput={(event) => set(place, { name: event.currentTarget.value.trim() })} />
            ) : (
              <span class="arg-name arg-known">
                {arg.name}
                {about.required && <abbr title="needed">*</abbr>}
              </span>
            )}
            <Combo code label={named(arg.name, place)} described={id} value={arg.text} offers={values(arg.name)} wrong={mistake !== null} placeholder="text or JSON" onValue={(text) => set(place, { text })} />
            <Button small kind="quiet" label={`Remove ${named(arg.name, place).toLowerCase()}`} onClick={() => onArgs(args.filter((_, here) => here !== place))}>
              <Icon name="close" />
            </Button>
            <span class="arg-about" id={id}>
              {mistake !== null ? (
                <span class="wrong" role="alert">{mistake}</span>
              ) : (
                <span class="faint">
                  {arg.text === '' ? '' : `${sort(arg.text)}. `}
                  {about?.description ?? ''}
                </span>
              )}
            </span>
          </div>
        );
      })}
      {stray.map((one) => (
        <p class="wrong" role="alert" key={one.at}>
          {one.text}
        </p>
      ))}
      <p class="row args-more">
        {unused.slice(0, 8).map((arg) => (
          <Button small kind="quiet" key={arg.name} label={`Set ${arg.name} of ${part.slice(0, -1)} ${index + 1}`} onClick={() => onArgs([...args, { name: arg.name, text: '' }])}>
            <Icon name="plus" /> {arg.name}
          </Button>
        ))}
        {part === 'steps' && (
          <Button small kind="quiet" label={`Add an argument to step ${index + 1}`} onClick={() => onArgs([...args, { name: '', text: '' }])}>
            <Icon name="plus" /> argument
          </Button>
        )}
      </p>
    </div>
  );
}

/** Steps as offers: one for each name, with who has it. */
export function stepOffers(steps: readonly OfferedStep[]): Offer[] {
  const byName = new Map<string, OfferedStep[]>();
  for (const step of steps) {
    const name = `${step.interface}.${step.step}`;
    byName.set(name, [...(byName.get(name) ?? []), step]);
  }
  return [...byName].sort(([a], [b]) => a.localeCompare(b)).map(([value, all]) => ({ value, about: who(all) }));
}

export function who(all: readonly OfferedStep[]): string {
  const uses = [...new Set(all.map((step) => step.kind))].join(', ');
  const made = [...new Set(all.map((step) => step.implementation))].join(', ');
  return `${uses}; of ${made}`;
}

/** The arguments of a step; null if nothing offers it. */
export function stepArgs(steps: readonly OfferedStep[], name: string): KnownArg[] | null {
  const all = steps.filter((step) => `${step.interface}.${step.step}` === name);
  if (all.length === 0) return null;
  const args = new Map<string, KnownArg>();
  for (const step of all) for (const arg of step.args) if (!args.has(arg.name)) args.set(arg.name, arg);
  return [...args.values()];
}

const ARGUMENTS: Record<string, string> = {
  value: 'May hold {inventory[…]}, {plugin_data[…]} and {node.…}.',
  values: 'A JSON list, such as ["{inventory[cpu][count]}", 4].',
  regex: 'A regular expression.',
  path: 'Such as properties/cpu_arch.',
  force_strings: 'true: values are compared as texts.',
  unique: 'true: what is there already is not added again.',
  subnet: 'Such as 10.0.0.0/8.',
  address: 'Such as {inventory[bmc_address]}.',
  level: 'debug, info, warning, error or critical.',
  msg: 'What is said.',
  port_id: 'The UUID of a port.',
};

/** The arguments of an operator; null if there is no such operator. */
export function operatorArgs(known: readonly Operator[], op: string): KnownArg[] | null {
  const row = known.find((one) => one.op === op);
  if (row === undefined) return op === '' || known.length === 0 ? [] : null;
  const arg = (required: boolean) => (name: string) => ({ name, description: ARGUMENTS[name] ?? '', required });
  return [...row.required.map(arg(true)), ...row.optional.map(arg(false))];
}
