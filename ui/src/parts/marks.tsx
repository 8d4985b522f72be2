// Marks of states: every class has a colour, a shape and a word, so that none depends on the other.

import type { Look } from '../api/states.ts';
import { STATES } from '../api/states.ts';

export const LOOKS: { look: Look; word: string }[] = [
  { look: 'failed', word: 'failed' },
  { look: 'working', word: 'working' },
  { look: 'waiting', word: 'waiting' },
  { look: 'held', word: 'held' },
  { look: 'ready', word: 'ready' },
  { look: 'in_use', word: 'in use' },
];

export function lookOf(state: string): Look {
  return STATES[state]?.look ?? 'ready';
}

export function Mark({ look }: { look: Look }) {
  return (
    <svg class={`mark mark-${look}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {look === 'ready' && <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="2" />}
      {look === 'in_use' && <circle cx="6" cy="6" r="5" fill="currentColor" />}
      {look === 'working' && <path d="M6 1a5 5 0 1 1-5 5" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" />}
      {look === 'waiting' && (
        <path d="M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6M6 3.4V6l1.8 1.4" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
      )}
      {look === 'held' && <path d="M3 1.5h2v9H3zM7 1.5h2v9H7z" fill="currentColor" />}
      {look === 'failed' && <path d="M2 2l8 8M10 2l-8 8" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />}
    </svg>
  );
}

/** A state with its mark; hatched where the machine is in maintenance. */
export function State({ state, target, maintenance }: { state: string; target?: string | null | undefined; maintenance?: boolean | undefined }) {
  const look = lookOf(state);
  return (
    <span class={`state look-${look}`}>
      <Mark look={look} />
      <span class="state-word">{state}</span>
      {target !== null && target !== undefined && target !== state && <span class="state-target">→ {target}</span>}
      {maintenance === true && <span class="chip chip-hatch">maintenance</span>}
    </span>
  );
}

type IconName =
  | 'search' | 'plus' | 'close' | 'chevron' | 'copy' | 'terminal' | 'warn' | 'check' | 'more' | 'refresh'
  | 'pause' | 'play' | 'down' | 'up' | 'lock' | 'power' | 'link' | 'download' | 'expand' | 'sun' | 'moon' | 'key';

const PATHS: Record<IconName, string> = {
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3',
  warn: 'M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2',
  check: 'M3 8.5l3.2 3.2L13 5',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5 12.5 8 5 12.5z',
  down: 'M3.5 6 8 10.5 12.5 6',
  up: 'M3.5 10 8 5.5 12.5 10',
  lock: 'M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2',
  power: 'M8 2v6M4.8 4.2a5 5 0 1 0 6.4 0',
  link: 'M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-4L5 7',
  download: 'M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13.5h10',
  expand: 'M2.5 6v-3.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5',
  key: 'M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.4 7.6 2.5 13.5M4.5 11.5l1.5 1.5',
};

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
