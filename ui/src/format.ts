// Numbers, times and sizes as people read them.

import { signal } from '@preact/signals';

/** The time by which ages are shown; moves once a second while the page is seen. */
export const now = signal(Date.now());
window.setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

const UNITS: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** `2 min 41 s`: the two largest units, one from ten of them on. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 1) return '0 s';
  const whole = Math.floor(seconds);
  for (const [index, [unit, size]] of UNITS.entries()) {
    if (whole < size) continue;
    const count = Math.floor(whole / size);
    const next = UNITS[index + 1];
    const left = next === undefined ? 0 : Math.floor((whole % size) / next[1]);
    if (next === undefined || count >= 10 || left === 0) return `${count} ${unit}`;
    return `${count} ${unit} ${left} ${next[0]}`;
  }
  return '0 s';
}

export function age(at: string | null | undefined, from: number = now.value): string {
  if (at === null || at === undefined) return '–';
  return duration(Math.max(0, (from - Date.parse(at)) / 1_000));
}

export function utc(at: string | null | undefined): string {
  if (at === null || at === undefined) return '';
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

/** The time of day here, or the day if it was another one. */
export function clock(at: string | null | undefined): string {
  if (at === null || at === undefined) return '–';
  const date = new Date(at);
  const today = new Date(now.value);
  const two = (value: number) => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const sameDay = date.toDateString() === today.toDateString();
  return sameDay ? time : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return '–';
  let size = count;
  let unit = 0;
  while (size >= 1_000 && unit < SIZES.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${SIZES[unit]}`;
}

const GROUPED = new Intl.NumberFormat('en');

export function number(count: number): string {
  return GROUPED.format(count);
}

export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.max(0, Math.min(100, (part / whole) * 100));
}

export function plural(count: number, one: string, many = one + 's'): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
