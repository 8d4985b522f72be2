// What can be asked of a machine: the words of the API, the commands that do the same, the rules that
// allow it, and why it is not possible now.

import { LOST, isLost } from './api/http.ts';
import { STATES, type Verb } from './api/states.ts';
import type { Me } from './api/shapes.ts';

export interface Action {
  verb: Verb;
  label: string;
  /** The word of `PUT …/states/provision`. */
  target: string;
  /** What it does, in a few words. */
  about: string;
  /** The word of `corten node …`. */
  command: string;
  /** Data or an instance is lost. */
  destroys?: boolean;
  /** Opens the dialog with the plan rather than asking at once. */
  asks?: boolean;
}

export const ACTIONS: readonly Action[] = [
  { verb: 'manage', label: 'Manage', target: 'manage', command: 'manage', about: 'check that its BMC can be controlled' },
  { verb: 'provide', label: 'Provide', target: 'provide', command: 'provide', about: 'clean it and offer it for use' },
  { verb: 'inspect', label: 'Inspect', target: 'inspect', command: 'inspect', about: 'find out what hardware it has' },
  { verb: 'adopt', label: 'Adopt', target: 'adopt', command: 'adopt', about: 'take it over as it is, in use', asks: true },
  { verb: 'deploy', label: 'Deploy', target: 'active', command: 'deploy', about: 'write an image and boot it', asks: true },
  { verb: 'rebuild', label: 'Rebuild', target: 'rebuild', command: 'rebuild', about: 'write the image again', asks: true, destroys: true },
  { verb: 'delete', label: 'Undeploy', target: 'deleted', command: 'undeploy', about: 'take it back and clean it', destroys: true },
  { verb: 'clean', label: 'Clean', target: 'clean', command: 'clean', about: 'run clean steps', asks: true, destroys: true },
  { verb: 'rescue', label: 'Rescue', target: 'rescue', command: 'rescue', about: 'boot a rescue system', asks: true },
  { verb: 'unrescue', label: 'Unrescue', target: 'unrescue', command: 'unrescue', about: 'boot its own system again' },
  { verb: 'service', label: 'Service', target: 'service', command: 'service', about: 'run service steps while in use', asks: true },
  { verb: 'abort', label: 'Abort', target: 'abort', command: 'abort', about: 'stop at the end of this step' },
  { verb: 'unhold', label: 'Go on', target: 'unhold', command: 'unhold', about: 'go on after the hold' },
];

export const POWER = [
  { label: 'Power on', target: 'power on', command: 'power on' },
  { label: 'Power off', target: 'power off', command: 'power off', destroys: true },
  { label: 'Reboot', target: 'rebooting', command: 'reboot', destroys: true },
  { label: 'Soft power off', target: 'soft power off', command: 'power off --soft' },
  { label: 'Soft reboot', target: 'soft rebooting', command: 'reboot --soft' },
] as const;

export interface Subject {
  uuid: string;
  name: string | null;
  provision_state: string;
  maintenance: boolean;
  protected: boolean;
  reservation: string | null;
}

/** Verbs that the service refuses for machines in maintenance. */
const NOT_IN_MAINTENANCE: readonly Verb[] = ['deploy', 'rebuild', 'rescue', 'provide', 'clean', 'service'];
const NOT_PROTECTED: readonly Verb[] = ['rebuild', 'delete'];

export const RULES = {
  provision: 'baremetal:node:set_provision_state',
  power: 'baremetal:node:set_power_state',
  maintain: 'baremetal:node:set_maintenance',
  resume: 'baremetal:node:clear_maintenance',
  update: 'baremetal:node:update',
  create: 'baremetal:node:create',
  remove: 'baremetal:node:delete',
  console: 'baremetal:node:get_console',
  switchConsole: 'baremetal:node:set_console_state',
} as const;

/** Why it cannot be asked for, whoever asks: the connection is lost, or a rule is missing. */
export function mayNot(me: Me | undefined, rule: string): string | null {
  if (isLost.value) return LOST;
  if (me === undefined || me.is_open) return null;
  if (me.rules.some((granted) => granted === rule || granted === `${rule}:self_owned_node`)) return null;
  return `you lack the rule ${rule}`;
}

/** The same for things that have owners: whose one of them is, the service knows and judges. */
export function mayNotOwn(me: Me | undefined, rule: string): string | null {
  return me?.own_rules?.includes(rule) === true && !isLost.value ? null : mayNot(me, rule);
}

/** Why a verb cannot be asked for now, or null if it can. */
export function whyNot(node: Subject, action: Action, me: Me | undefined): string | null {
  const refused = mayNot(me, RULES.provision);
  if (refused !== null) return refused;
  if (STATES[node.provision_state]?.verbs[action.verb] === undefined) return `not from ${node.provision_state}`;
  if (node.maintenance && NOT_IN_MAINTENANCE.includes(action.verb)) return 'it is in maintenance';
  if (node.protected && NOT_PROTECTED.includes(action.verb)) return 'it is protected';
  return action.verb === 'abort' ? null : whoWorks(node);
}

/** Who works on a machine, if it takes long: at rest it is only looked at for a moment, and what is asked for meanwhile waits. */
export function whoWorks(node: Pick<Subject, 'provision_state' | 'reservation'>): string | null {
  const look = STATES[node.provision_state]?.look;
  return node.reservation !== null && (look === 'working' || look === 'waiting') ? `${node.reservation} works on it` : null;
}

/** What a person most likely wants next. */
const LIKELY: Record<string, Verb> = {
  'enroll': 'manage',
  'manageable': 'provide',
  'available': 'deploy',
  'rescue': 'unrescue',
  'deploy failed': 'deploy',
  'clean failed': 'manage',
  'inspect failed': 'inspect',
  'adopt failed': 'adopt',
  'rescue failed': 'rescue',
  'unrescue failed': 'unrescue',
  'deploy hold': 'unhold',
  'clean hold': 'unhold',
  'service hold': 'unhold',
};

/** The verbs that a state accepts, the likeliest first. */
export function near(state: string): Action[] {
  const all = ACTIONS.filter((action) => isNear(state, action.verb));
  return all.sort((a, b) => Number(b.verb === LIKELY[state]) - Number(a.verb === LIKELY[state]));
}

export function isLikely(state: string, verb: Verb): boolean {
  return LIKELY[state] === verb;
}

/** Whether the state machine has an edge for the verb here. */
export function isNear(state: string, verb: Verb): boolean {
  return STATES[state]?.verbs[verb] !== undefined;
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function curl(method: string, path: string, body?: unknown): string {
  const words = ['curl', '-X', method, quoted(location.origin + path), '-H', quoted('X-OpenStack-Ironic-API-Version: 1.115')];
  if (body !== undefined) words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)));
  return words.join(' ');
}
