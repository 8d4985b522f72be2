// Mistakes that can be told before anything is sent, by the schemas of the OpenAPI document and by what
// drivers and rules know; and which field the service's own words speak of.

import { type Draft, type Kind, type Operators, parsed, write } from './model.ts';

export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
}

export interface Mistake {
  /** `name`, `steps/0`, `actions/1/args/msg`; empty for the whole. */
  at: string;
  text: string;
  /** Something is still empty: no reason to complain before it is to be sent. */
  empty?: boolean;
}

const NAMES: Record<string, string> = { string: 'text', integer: 'whole number', number: 'number', boolean: 'yes or no', array: 'list', object: 'object', null: 'nothing' };

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** What is wrong with a value, with the path to it. */
export function check(value: unknown, schema: Schema, at = ''): Mistake[] {
  const found: Mistake[] = [];
  const add = (text: string, empty = false) => found.push({ at, text, ...(empty ? { empty } : {}) });
  const below = (name: string | number) => (at === '' ? `${name}` : `${at}/${name}`);
  const kind = kindOf(value);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.includes(kind) && !(kind === 'integer' && types.includes('number'))) {
    add(value === '' ? 'This is missing.' : `This has to be a ${types.map((type) => NAMES[type] ?? type).join(' or ')}.`, value === '');
    return found;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    add(value === '' ? 'This is missing.' : `"${String(value)}" is not one of ${schema.enum.join(', ')}.`, value === '');
  }
  if (typeof value === 'string') {
    if (value.length < (schema.minLength ?? 0)) add('This is missing.', true);
    else if (value.length > (schema.maxLength ?? Infinity)) add(`This has at most ${schema.maxLength} characters.`);
    else if (schema.pattern !== undefined && !fits(schema.pattern, value)) add(`"${value}" does not fit ${schema.pattern}.`);
  }
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? -Infinity)) add(`This is ${schema.minimum} at least.`);
    if (value > (schema.maximum ?? Infinity)) add(`This is ${schema.maximum} at most.`);
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) add(`At least ${schema.minItems === 1 ? 'one is' : `${schema.minItems} are`} needed.`, true);
    const items = schema.items;
    if (items !== undefined) value.forEach((one, index) => found.push(...check(one, items, below(index))));
  } else if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>;
    for (const name of schema.required ?? []) if (!(name in object)) found.push({ at: below(name), text: 'This is missing.', empty: true });
    for (const [name, one] of Object.entries(object)) {
      const inner = schema.properties?.[name];
      if (inner !== undefined) found.push(...check(one, inner, below(name)));
      else if (schema.additionalProperties === false) found.push({ at: below(name), text: 'The service does not know this.' });
    }
  }
  if (schema.anyOf !== undefined && found.length === 0) {
    const ways = schema.anyOf.map((way) => check(value, way, at));
    const first = ways[0];
    if (first !== undefined && ways.every((way) => way.length > 0)) found.push(...first);
  }
  return found;
}

function fits(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    // A pattern of another dialect: the service judges it.
    return true;
  }
}

/** All mistakes of a draft, each at its field. */
export function mistakes(kind: Kind, draft: Draft, schema: Schema | undefined, operators: Operators | undefined): Mistake[] {
  const body = write(kind, draft);
  const found = schema === undefined ? [] : check(body, draft.hidden ? { ...schema, required: [] } : schema);
  if (parsed(draft.extra) === null || typeof parsed(draft.extra) !== 'object') found.push({ at: 'extra', text: 'This has to be a JSON object.' });
  const seen = new Map<string, number>();
  draft.steps.forEach((step, index) => {
    if (step.what !== '' && seen.has(step.what)) found.push({ at: `steps/${index}`, text: `Step ${(seen.get(step.what) ?? 0) + 1} is the same; a step can be there once.` });
    else seen.set(step.what, index);
  });
  for (const part of ['conditions', 'actions'] as const) {
    const known = operators?.[part];
    if (known === undefined || draft.hidden) continue;
    draft[part].forEach((one, index) => {
      const row = known.find((row) => row.op === one.what);
      for (const name of row?.required ?? []) {
        if (!one.args.some((arg) => arg.name === name && arg.text !== '')) found.push({ at: `${part}/${index}/args/${name}`, text: `${one.what} needs ${name}.`, empty: true });
      }
      if (one.loop.trim() !== '' && typeof parsed(one.loop) === 'string') found.push({ at: `${part}/${index}/loop`, text: 'A loop is a JSON list or object.' });
    });
  }
  return found;
}

/** The field that a refusal of the service speaks of; empty if that cannot be told. */
export function place(words: string, kind: Kind, draft: Draft): string {
  const doubles = /interface: (\S+), step: ([^;.]+)/.exec(words);
  if (doubles !== null) {
    const name = `${doubles[1]}.${doubles[2]?.trim()}`;
    const last = draft.steps.findLastIndex((step) => step.what === name);
    if (last >= 0) return `steps/${last}`;
  }
  // What would be allowed is named too, behind the wrong word.
  const quoted = [...(words.split(' is not one of ')[0] ?? '').matchAll(/'([^']*)'/g)].map((match) => match[1] ?? '');
  if (draft.name !== '' && (quoted.includes(draft.name) || new RegExp(`\\bname ${escaped(draft.name)}\\b`).test(words))) return 'name';
  for (const part of ['steps', 'conditions', 'actions'] as const) {
    const at = draft[part].findIndex((one) => {
      const [first = '', second = ''] = one.what.split('.');
      return one.what !== '' && (quoted.includes(one.what) || quoted.includes(`!${one.what}`) || quoted.includes(first) || (second !== '' && quoted.includes(second)));
    });
    if (at >= 0) return `${part}/${at}`;
  }
  const ranks = draft.steps.findIndex((step) => step.rank !== '' && new RegExp(`(^|[^\\w-])'?${escaped(step.rank)}'? is `).test(words));
  if (ranks >= 0) return `steps/${ranks}`;
  const missing = /argument\(s\): ([\w-]+)/.exec(words)?.[1];
  if (missing !== undefined) {
    const extra = words.includes('unexpected');
    for (const part of ['conditions', 'actions'] as const) {
      const at = draft[part].findIndex((one) => one.args.some((arg) => arg.name === missing && arg.text !== '') === extra);
      if (at >= 0) return `${part}/${at}`;
    }
  }
  if (/priority/i.test(words)) return kind === 'rules' ? 'priority' : 'steps';
  if (/\btraits?\b/i.test(words) && kind === 'runbooks') return 'traits';
  if (/\bowner\b|\bpublic\b/i.test(words) && kind === 'runbooks') return 'owner';
  return '';
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The mistake at a field, and those within it. */
export function of(found: Mistake[], at: string): string | null {
  const own = found.filter((one) => one.at === at).map((one) => one.text);
  return own.length === 0 ? null : own.join(' ');
}

export function within(found: Mistake[], at: string): Mistake[] {
  return found.filter((one) => one.at.startsWith(`${at}/`));
}
