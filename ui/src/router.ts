// The address is the state of the page: path, filter, sort, tab and dialog are in it, so back,
// forward, reload and a copied link all work.

import { batch, computed, signal } from '@preact/signals';

const BASE = '/ui';

const place = signal(read());

interface Place {
  path: string[];
  query: URLSearchParams;
}

function read(): Place {
  const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : '/';
  return {
    path: path.split('/').filter((word) => word !== '').map(decode),
    query: new URLSearchParams(location.search),
  };
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

addEventListener('popstate', () => {
  place.value = read();
});

/** The words of the path below `/ui/`. */
export const path = computed(() => place.value.path);
/** The arguments of the address. */
export const query = computed(() => place.value.query);

/** An address of the page. Arguments that are null or empty are left out. */
export function href(words: readonly string[], args: Record<string, string | null | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, value);
  }
  const tail = query.toString();
  const path = words.map(encodeURIComponent).join('/');
  return `${BASE}/${path}${tail === '' ? '' : '?' + tail}`;
}

/** This address for another thing of the same kind. */
export function here(ident: string): string {
  return href([path.peek()[0] ?? '', ident], Object.fromEntries(query.peek()));
}

export function go(to: string, replace = false): void {
  if (to === location.pathname + location.search) return;
  batch(() => {
    if (replace) history.replaceState(null, '', to);
    else history.pushState(null, '', to);
    place.value = read();
  });
  if (!replace) scrollTo(0, 0);
}

/** Changes arguments of this address; null takes one away. */
export function setQuery(changes: Record<string, string | null>, replace = false): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const tail = next.toString();
  go(location.pathname + (tail === '' ? '' : '?' + tail), replace);
}

/** Lets links of the page change the address without loading it anew. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const to = link?.getAttribute('href');
  if (link === null || to === null || to === undefined) return;
  if (!to.startsWith(BASE + '/') || link.target !== '' || link.hasAttribute('download')) return;
  event.preventDefault();
  go(to);
}
