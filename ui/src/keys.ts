// The keyboard. Screens register what their keys do while they are shown; single letters can be
// switched off, and never act inside inputs, dialogs or the terminal.

import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { letters } from './settings.ts';

export interface Key {
  /** As `event.key`; `g n` for two in a row. */
  keys: string;
  about: string;
  run: (event: KeyboardEvent) => void;
}

const scopes = signal<Key[][]>([]);

/** What can be pressed now, for the help. */
export function knownKeys(): Key[] {
  return scopes.value.flat();
}

/** Registers keys for as long as the component is shown. */
export function useKeys(keys: Key[]): void {
  // Not later than what they act on is drawn: the next key may be pressed already.
  useLayoutEffect(() => {
    scopes.value = [...scopes.peek(), keys];
    return () => {
      scopes.value = scopes.peek().filter((scope) => scope !== keys);
    };
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) || target.closest('.terminal') !== null;
}

let first: string | null = null;
let firstTimer: number | undefined;

export function onKey(event: KeyboardEvent): void {
  const inDialog = document.querySelector('dialog[open]') !== null;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k' && !isTerminal(event.target)) {
    event.preventDefault();
    palette.value = !palette.value;
    return;
  }
  if (inDialog || !plain || isTyping(event.target)) return;
  const isLetter = event.key.length === 1;
  if (isLetter && !letters.value) return;
  const pressed = first === null ? event.key : `${first} ${event.key}`;
  first = null;
  window.clearTimeout(firstTimer);
  const known = knownKeys();
  const found = known.findLast((key) => key.keys === pressed) ?? known.findLast((key) => key.keys === event.key);
  if (found !== undefined) {
    event.preventDefault();
    found.run(event);
  } else if (isLetter && known.some((key) => key.keys.startsWith(event.key + ' '))) {
    first = event.key;
    firstTimer = window.setTimeout(() => (first = null), 1_500);
  }
}

function isTerminal(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.terminal') !== null;
}

/** Whether the palette is open. */
export const palette = signal(false);
/** Whether the list of keys is open. */
export const help = signal(false);
