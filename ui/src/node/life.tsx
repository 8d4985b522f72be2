// The life of a machine as a line: stable states in their order, the state between two of them where
// work is going on, and where it leads.

import type { Node } from '../api/shapes.ts';
import { STATES } from '../api/states.ts';
import { Mark, lookOf } from '../parts/marks.tsx';

const LINE = ['enroll', 'manageable', 'available', 'active', 'rescue'] as const;

/** Between which stable states a state of work stands; twice the same where it leads back. */
const BETWEEN: Record<string, [string, string]> = {
  'verifying': ['enroll', 'manageable'],
  'inspecting': ['manageable', 'manageable'],
  'inspect wait': ['manageable', 'manageable'],
  'inspect failed': ['manageable', 'manageable'],
  'adopting': ['manageable', 'active'],
  'adopt failed': ['manageable', 'active'],
  'cleaning': ['manageable', 'available'],
  'clean wait': ['manageable', 'available'],
  'clean failed': ['manageable', 'available'],
  'clean hold': ['manageable', 'available'],
  'deploying': ['available', 'active'],
  'wait call-back': ['available', 'active'],
  'deploy failed': ['available', 'active'],
  'deploy hold': ['available', 'active'],
  'deleting': ['active', 'available'],
  'error': ['active', 'available'],
  'rescuing': ['active', 'rescue'],
  'rescue wait': ['active', 'rescue'],
  'rescue failed': ['active', 'rescue'],
  'unrescuing': ['rescue', 'active'],
  'unrescue failed': ['rescue', 'active'],
  'servicing': ['active', 'active'],
  'service wait': ['active', 'active'],
  'service failed': ['active', 'active'],
  'service hold': ['active', 'active'],
};

export interface Stop {
  state: string;
  kind: 'past' | 'here' | 'to come' | 'target';
}

/** What stands on the line for a node in this state, from left to right. */
export function stops(state: string, target: string | null): Stop[] {
  const at = LINE.indexOf(state as (typeof LINE)[number]);
  if (at >= 0) return LINE.map((one, index) => ({ state: one, kind: index < at ? 'past' : index === at ? 'here' : 'to come' }));
  const [from, to] = BETWEEN[state] ?? ['enroll', 'manageable'];
  const goal = target ?? STATES[state]?.target ?? to;
  const [low, high] = [LINE.indexOf(from as (typeof LINE)[number]), LINE.indexOf(to as (typeof LINE)[number])];
  const behind = Math.min(low, high);
  const line: Stop[] = [];
  for (const [index, one] of LINE.entries()) {
    line.push({ state: one, kind: one === goal ? 'target' : index <= behind ? 'past' : 'to come' });
    if (index === behind) line.push({ state, kind: 'here' });
  }
  return line;
}

export function Life({ node }: { node: Node }) {
  const line = stops(node.provision_state, node.target_provision_state);
  return (
    <ol class="life" aria-label={`Life: ${node.provision_state}${node.target_provision_state === null ? '' : `, on the way to ${node.target_provision_state}`}`}>
      {line.map((stop) => (
        <li
          key={stop.state}
          class={`stop stop-${stop.kind.replace(' ', '-')}${stop.kind === 'here' ? ` here-${lookOf(stop.state)}` : ''}`}
          aria-current={stop.kind === 'here' ? 'step' : undefined}
        >
          <span class="stop-mark">{stop.kind === 'here' ? <Mark look={lookOf(stop.state)} /> : <i />}</span>
          <span class="stop-word">{stop.state}</span>
          {stop.kind === 'target' && <span class="stop-note">target</span>}
        </li>
      ))}
    </ol>
  );
}
