// What templates, runbooks and rules are while they are edited, and how to and from that. No parts of
// the page: this is tested without a browser.

export type Kind = 'templates' | 'runbooks' | 'rules';

export interface Arg {
  name: string;
  /** As it is typed: JSON, or a text that is none. */
  text: string;
}

export interface Line {
  /** For the page only: survives moves. */
  key: number;
  /** `interface.step`, or the operator. */
  what: string;
  /** Conditions only: the opposite is wanted. */
  not: boolean;
  args: Arg[];
  /** Priority in templates, order in runbooks. */
  rank: string;
  /** JSON of a loop, and how many rounds must hold. */
  loop: string;
  multiple: string;
}

export interface Draft {
  name: string;
  description: string;
  owner: string;
  public: boolean;
  disableRamdisk: boolean;
  traits: string;
  priority: string;
  sensitive: boolean;
  steps: Line[];
  conditions: Line[];
  actions: Line[];
  extra: string;
  /** The service does not show what a sensitive rule says. */
  hidden: boolean;
}

export interface Operator {
  op: string;
  required: string[];
  optional: string[];
  about: string;
}

export interface Operators {
  conditions: Operator[];
  actions: Operator[];
}

export interface OfferedStep {
  kind: string;
  interface: string;
  step: string;
  implementation: string;
  priority: number;
  abortable: boolean;
  requires_ramdisk: boolean;
  args: { name: string; description: string; required: boolean }[];
  drivers: string[];
  default_in: string[];
}

type Doc = Record<string, unknown>;

export const PATHS: Record<Kind, string> = { templates: '/v1/deploy_templates', runbooks: '/v1/runbooks', rules: '/v1/inspection_rules' };
export const NOUNS: Record<Kind, string> = { templates: 'deploy template', runbooks: 'runbook', rules: 'inspection rule' };

let keys = 0;

export function line(what = '', more: Partial<Line> = {}): Line {
  keys += 1;
  return { key: keys, what, not: false, args: [], rank: '', loop: '', multiple: 'any', ...more };
}

export function blank(kind: Kind): Draft {
  return {
    name: '',
    description: '',
    owner: '',
    public: false,
    disableRamdisk: false,
    traits: '',
    priority: '0',
    sensitive: false,
    steps: kind === 'rules' ? [] : [line('', { rank: kind === 'templates' ? '50' : '1' })],
    conditions: [],
    actions: kind === 'rules' ? [line()] : [],
    extra: '{}',
    hidden: false,
  };
}

/** A value that was typed: JSON where it is JSON, else the text itself. */
export function parsed(text: string): unknown {
  const trimmed = text.trim();
  if (!/^([[{"]|-?\d|true$|false$|null$)/.test(trimmed)) return text;
  // `{inventory[cpu]}` looks like an object and is none.
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return text;
  }
}

/** The text that is read back as this value. */
export function typed(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return parsed(value) === value ? value : JSON.stringify(value);
}

/** What a typed value is, for people. */
export function sort(text: string): string {
  const value = parsed(text);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return { string: 'text', number: 'number', boolean: 'yes or no', object: 'object' }[typeof value as string] ?? '';
}

function args(value: unknown, names: readonly string[]): Arg[] {
  if (Array.isArray(value)) return value.map((one, index) => ({ name: names[index] ?? `${index}`, text: typed(one) }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => name !== 'plugin_data')
    .map(([name, one]) => ({ name, text: typed(one) }));
}

function list(value: unknown): Doc[] {
  return Array.isArray(value) ? (value.filter((one) => typeof one === 'object' && one !== null) as Doc[]) : [];
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

export function read(kind: Kind, doc: Doc, operators: Operators | undefined): Draft {
  const operation = (one: Doc, known: Operator[]): Line => {
    const given = text(one['op']);
    const op = given.replace(/^!\s*/, '');
    const found = known.find((row) => row.op === op);
    const names = found === undefined ? [] : [...found.required, ...found.optional];
    return line(op, {
      not: given !== op,
      args: args(one['args'], names),
      loop: one['loop'] === undefined || one['loop'] === null ? '' : JSON.stringify(one['loop']),
      multiple: text(one['multiple']) || 'any',
    });
  };
  const rank = kind === 'templates' ? 'priority' : 'order';
  const ordered = list(doc['steps']).sort((a, b) => (kind === 'runbooks' ? Number(a['order'] ?? 0) - Number(b['order'] ?? 0) : 0));
  return {
    ...blank(kind),
    name: text(doc['name']),
    description: text(doc['description']),
    owner: text(doc['owner']),
    public: doc['public'] === true,
    disableRamdisk: doc['disable_ramdisk'] === true,
    traits: Array.isArray(doc['traits']) ? doc['traits'].join(' ') : '',
    priority: String(doc['priority'] ?? 0),
    sensitive: doc['sensitive'] === true,
    steps: ordered.map((one) => line(`${text(one['interface'])}.${text(one['step'])}`, { args: args(one['args'], []), rank: String(one[rank] ?? 0) })),
    conditions: list(doc['conditions']).map((one) => operation(one, operators?.conditions ?? [])),
    actions: list(doc['actions']).map((one) => operation(one, operators?.actions ?? [])),
    extra: JSON.stringify(doc['extra'] ?? {}),
    hidden: doc['sensitive'] === true && list(doc['actions']).length === 0,
  };
}

function written(all: Arg[]): Doc {
  return Object.fromEntries(all.filter((arg) => arg.name !== '' && arg.text !== '').map((arg) => [arg.name, parsed(arg.text)]));
}

function whole(rank: string): number | string {
  return /^-?\d+$/.test(rank.trim()) ? Number(rank) : rank;
}

/** The body of a request. */
export function write(kind: Kind, draft: Draft): Doc {
  const optional = (value: string) => (value.trim() === '' ? null : value);
  if (kind === 'rules') {
    const operation = (one: Line, counts: boolean): Doc => ({
      op: one.not ? `!${one.what}` : one.what,
      args: written(one.args),
      ...(one.loop.trim() === '' ? {} : { loop: parsed(one.loop), ...(counts ? { multiple: one.multiple } : {}) }),
    });
    return {
      description: optional(draft.description),
      priority: whole(draft.priority),
      sensitive: draft.sensitive,
      ...(draft.hidden ? {} : { conditions: draft.conditions.map((one) => operation(one, true)), actions: draft.actions.map((one) => operation(one, false)) }),
    };
  }
  const steps = draft.steps.map((one) => {
    const dot = one.what.indexOf('.');
    const [at, step] = dot < 0 ? ['', one.what] : [one.what.slice(0, dot), one.what.slice(dot + 1)];
    return { interface: at, step, args: written(one.args), [kind === 'templates' ? 'priority' : 'order']: whole(one.rank) };
  });
  const common = { name: draft.name.trim(), steps, extra: parsed(draft.extra) };
  if (kind === 'templates') return common;
  return { ...common, description: optional(draft.description), owner: optional(draft.owner), public: draft.public, disable_ramdisk: draft.disableRamdisk };
}

export function traits(draft: Draft): string[] {
  return [...new Set(draft.traits.split(/[\s,]+/).filter((one) => one !== ''))];
}

export interface Change {
  op: 'add' | 'replace' | 'remove';
  path: string;
  value?: unknown;
}

/** The patch from one body to the other; a list that differs is sent as a whole. */
export function changes(before: Doc, after: Doc): Change[] {
  return Object.keys(after)
    .filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null))
    .map((name) => (after[name] === null ? { op: 'remove', path: `/${name}` } : { op: before[name] == null ? 'add' : 'replace', path: `/${name}`, value: after[name] }));
}

export interface DiffLine {
  sign: ' ' | '+' | '-';
  text: string;
}

/** What differs between two documents, line by line. */
export function difference(before: unknown, after: unknown): DiffLine[] {
  const split = (value: unknown) => (value === null ? [] : JSON.stringify(value, null, 2).split('\n'));
  const [a, b] = [split(before), split(after)];
  if (a.length * b.length > 1_000_000) return [...a.map((text) => ({ sign: '-' as const, text })), ...b.map((text) => ({ sign: '+' as const, text }))];
  const common: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push({ sign: ' ', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      found.push({ sign: '-', text: a[i] ?? '' });
      i += 1;
    } else {
      found.push({ sign: '+', text: b[j] ?? '' });
      j += 1;
    }
  }
  return found;
}
