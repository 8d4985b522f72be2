// The verbs of bulk runs: what is asked of each node, and when it has ended well.

import { get, part } from '../api/http.ts';
import type { Node } from '../api/shapes.ts';
import { STATES } from '../api/states.ts';
import { maintain, power, provision } from '../acts.ts';
import type { Ending, Item } from '../bulk.ts';
import { onEvents } from '../live.ts';

export interface BulkVerb {
  key: string;
  label: string;
  about: string;
  kind: 'provision' | 'power' | 'maintenance';
  body: (reason: string) => Record<string, unknown>;
  /** States in which it has ended well. */
  good?: string[];
  /** Whether the service can say beforehand what would happen. */
  planned: boolean;
  quick?: boolean;
  destroys?: boolean;
  reason?: boolean;
}

const verb = (key: string, label: string, target: string, good: string[], about: string, more: Partial<BulkVerb> = {}): BulkVerb => ({
  key, label, about, good, kind: 'provision', body: () => ({ target }), planned: true, ...more,
});
const switched = (key: string, label: string, target: string, good: string, about: string, more: Partial<BulkVerb> = {}): BulkVerb => ({
  key, label, about, good: [good], kind: 'power', body: () => ({ target }), planned: false, ...more,
});

export const VERBS: BulkVerb[] = [
  verb('manage', 'Manage', 'manage', ['manageable'], 'Checks that each machine can be controlled.', { quick: true }),
  verb('provide', 'Provide', 'provide', ['available'], 'Cleans each machine and offers it for use.', { quick: true }),
  verb('deploy', 'Deploy', 'active', ['active'], 'Writes the image that stands in the instance_info of each node, and boots it.', { quick: true }),
  verb('delete', 'Undeploy', 'deleted', ['available'], 'Takes each machine back and cleans it; what is on its disks is lost.', { quick: true, destroys: true }),
  verb('inspect', 'Inspect', 'inspect', ['manageable'], 'Finds out what hardware each machine has.'),
  verb('abort', 'Abort', 'abort', [], 'Stops what is under way at the end of a step.'),
  verb('unrescue', 'Unrescue', 'unrescue', ['active'], 'Boots the own system of each machine again.'),
  switched('power-on', 'Power on', 'power on', 'power on', 'Switches each machine on.'),
  switched('power-off', 'Power off', 'power off', 'power off', 'Switches each machine off at once.', { destroys: true }),
  switched('reboot', 'Reboot', 'rebooting', 'power on', 'Restarts each machine at once.', { destroys: true }),
  {
    key: 'maintenance', label: 'Maintenance on', kind: 'maintenance', planned: false, reason: true,
    about: 'Keeps the service from working on these machines.', body: (reason) => ({ on: true, reason }),
  },
  {
    key: 'no-maintenance', label: 'Maintenance off', kind: 'maintenance', planned: false,
    about: 'Lets the service work on these machines again.', body: () => ({ on: false }),
  },
];

export function verbOf(key: string): BulkVerb | undefined {
  return VERBS.find((one) => one.key === key);
}

export async function asks(one: BulkVerb, item: Item, body: Record<string, unknown>): Promise<void> {
  if (one.kind === 'provision') await provision(item.uuid, body);
  else if (one.kind === 'power') await power(item.uuid, String(body['target']));
  else await maintain(item.uuid, body['on'] === true, String(body['reason'] ?? ''));
}

/** Waits until a node has come to rest; looks when an event tells of it, and now and then. */
export async function ending(one: BulkVerb, item: Item): Promise<Ending> {
  if (one.kind === 'maintenance') return { done: true };
  for (;;) {
    const node = await get<Node>(`/v1/nodes/${part(item.uuid)}?fields=provision_state,last_error,power_state,target_power_state,reservation`);
    const rests = one.kind === 'power' ? node.target_power_state === null : !isUnderWay(node.provision_state) && node.reservation === null;
    if (rests) {
      const state = one.kind === 'power' ? node.power_state : node.provision_state;
      const isGood = (one.good?.length ?? 0) === 0 || one.good?.includes(state ?? '') === true;
      return isGood ? { done: true } : { done: false, reason: node.last_error ?? `it is ${state ?? 'unknown'}` };
    }
    await news(item.uuid);
  }
}

function isUnderWay(state: string): boolean {
  const look = STATES[state]?.look;
  return look === 'working' || look === 'waiting';
}

/** An event of this node, or five seconds. */
function news(uuid: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop();
      window.clearTimeout(timer);
      resolve();
    };
    const stop = onEvents((events) => {
      if (events.some((event) => event.node === uuid)) done();
    });
    const timer = window.setTimeout(done, 5_000);
  });
}
