// The nodes that a person chose: nodes, not rows, so a filter cannot slip others in.

import { signal } from '@preact/signals';

/** UUIDs and names. */
export const selection = signal<Map<string, string>>(new Map());
