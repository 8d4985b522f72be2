// What a person chose for this browser.

import { effect, signal } from '@preact/signals';

function stored<T>(name: string, start: T) {
  const place = `corten.${name}`;
  let value = start;
  try {
    const text = localStorage.getItem(place);
    if (text !== null) value = JSON.parse(text) as T;
  } catch {
    // What cannot be read is as if it were not there.
  }
  const kept = signal(value);
  let first = true;
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (!first) localStorage.setItem(place, text);
    first = false;
  });
  return kept;
}

export interface View {
  name: string;
  q: string;
  sort?: string;
}

/** Whether single letters are commands (WCAG 2.1.4). */
export const letters = stored('letters', true);
export const columns = stored<string[]>('columns', ['name', 'state', 'since', 'power', 'class', 'conductor', 'matter']);
export const views = stored<View[]>('views', []);
export const groupBy = stored('group', 'resource_class');
export const lately = stored<string[]>('images', []);
export const fontSize = stored('console.font', 14);

export type Theme = 'light' | 'dark' | 'system';
export const theme = signal<Theme>(readTheme());

function readTheme(): Theme {
  const chosen = localStorage.getItem('corten.theme');
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

const dark = matchMedia('(prefers-color-scheme: dark)');
/** Rises when colours change, for what is drawn rather than styled. */
export const repaint = signal(0);

function apply(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  repaint.value += 1;
}

dark.addEventListener('change', apply);

export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === 'system') localStorage.removeItem('corten.theme');
  else localStorage.setItem('corten.theme', next);
  apply();
}
