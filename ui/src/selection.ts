// The nodes that a person chose: nodes, not rows, so a filter cannot slip others in.

import { signal } from '@preact/signals';

/** UUIDs and names. */
export const selection = signal<Map<string, string>>(new Map());

/** More nodes than a list may have: all that match this query when the service is asked. */
export const everything = signal<{ q: string; total: number } | null>(null);

export function clearSelection(): void {
  selection.value = new Map();
  everything.value = null;
}
