// The language of filters, as far as the page needs it: which word the caret is in, and what could
// stand there. The service decides what a query means.

import { STATES } from './api/states.ts';

export interface Word {
  start: number;
  end: number;
  text: string;
}

/** The words of a query with their places; quotes keep spaces together. */
export function words(query: string): Word[] {
  const found: Word[] = [];
  let start = -1;
  let quoted = false;
  for (let at = 0; at <= query.length; at += 1) {
    const sign = query[at];
    if (sign === '"') quoted = !quoted;
    const ends = sign === undefined || (!quoted && /\s/.test(sign));
    if (ends && start >= 0) {
      found.push({ start, end: at, text: query.slice(start, at) });
      start = -1;
    } else if (!ends && start < 0) {
      start = at;
    }
  }
  return found;
}

export const KEYS: Record<string, { about: string; by?: string; values?: string[] }> = {
  state: { about: 'provision state or its class', values: ['failed', 'working', 'waiting', 'held', 'ready', 'in_use', ...Object.keys(STATES)] },
  name: { about: 'name, with * at either end' },
  class: { about: 'resource class', by: 'resource_class' },
  driver: { about: 'hardware type', by: 'driver' },
  conductor: { about: 'who looks after it', by: 'conductor' },
  group: { about: 'conductor group', by: 'conductor_group' },
  chassis: { about: 'chassis', by: 'chassis' },
  shard: { about: 'shard', by: 'shard' },
  owner: { about: 'owning project', by: 'owner' },
  lessee: { about: 'leasing project', by: 'lessee' },
  power: { about: 'power state', by: 'power' },
  trait: { about: 'trait', by: 'trait' },
  maint: { about: 'in maintenance', values: ['yes', 'no'] },
  retired: { about: 'retired', values: ['yes', 'no'] },
  protected: { about: 'protected', values: ['yes', 'no'] },
  fault: { about: 'fault the service found' },
  error: { about: 'words of the last error' },
  cause: { about: 'cause of a failure' },
  instance: { about: 'UUID of the instance' },
  mac: { about: 'MAC address of a port' },
  bmc: { about: 'address of the BMC' },
  uuid: { about: 'UUID' },
  'age>': { about: 'longer in its state than 30m, 2h, 1d' },
  'age<': { about: 'shorter in its state than' },
};

/** A value as it stands in a query. */
export function value(text: string): string {
  return text === '' || /[\s",:]/.test(text) ? `"${text.replaceAll('"', '')}"` : text;
}

export interface Offer {
  /** What the word becomes. */
  insert: string;
  label: string;
  about: string;
  /** Whether the word is complete with it. */
  done: boolean;
}

/** The word at the caret, what of it is a key, and which value is being typed. */
export function at(query: string, caret: number): { word: Word; minus: string; key: string | null; typed: string; before: string } {
  const word = words(query).find((one) => caret >= one.start && caret <= one.end) ?? { start: caret, end: caret, text: '' };
  const minus = word.text.startsWith('-') ? '-' : '';
  const bare = word.text.slice(minus.length);
  const colon = bare.indexOf(':');
  if (colon < 0) return { word, minus, key: null, typed: bare, before: '' };
  const values = bare.slice(colon + 1);
  const comma = values.lastIndexOf(',');
  return { word, minus, key: bare.slice(0, colon), typed: values.slice(comma + 1).replaceAll('"', ''), before: values.slice(0, comma + 1) };
}

/** What could stand at the caret. `known` are values of the fleet with their counts. */
export function offers(query: string, caret: number, known: { name: string | null; total: number }[]): Offer[] {
  const { minus, key, typed, before } = at(query, caret);
  const wanted = typed.toLowerCase();
  if (key === null) {
    const rows = Object.entries(KEYS).filter(([name]) => name.startsWith(wanted));
    return rows.map(([name, { about }]) => ({
      insert: name.startsWith('age') ? name : `${minus}${name}:`,
      label: name.startsWith('age') ? name : `${name}:`,
      about,
      done: false,
    }));
  }
  const row = KEYS[key];
  const named = row?.values?.map((name) => ({ name, about: '' })) ?? known.map(({ name, total }) => ({ name: name ?? '', about: String(total) }));
  return named
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .slice(0, 12)
    .map(({ name, about }) => ({
      insert: `${minus}${key}:${before}${value(name)}`,
      label: name === '' ? '(none)' : name,
      about,
      done: true,
    }));
}

/** The query with the word at the caret replaced, and where the caret is then. */
export function replaced(query: string, caret: number, offer: Offer): { query: string; caret: number } {
  const { word } = at(query, caret);
  const tail = query.slice(word.end);
  const insert = offer.done && !tail.startsWith(' ') ? offer.insert + ' ' : offer.insert;
  const next = query.slice(0, word.start) + insert + tail;
  return { query: next, caret: word.start + insert.length };
}
