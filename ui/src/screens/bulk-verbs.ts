// The verbs of batches: what is asked of each node.

export interface BulkVerb {
  key: string;
  label: string;
  about: string;
  action: 'provision' | 'power' | 'maintenance';
  body: (reason: string) => Record<string, unknown>;
  quick?: boolean;
  destroys?: boolean;
  reason?: boolean;
}

const verb = (key: string, label: string, target: string, about: string, more: Partial<BulkVerb> = {}): BulkVerb => ({
  key, label, about, action: 'provision', body: () => ({ target }), ...more,
});
const switched = (key: string, label: string, target: string, about: string, more: Partial<BulkVerb> = {}): BulkVerb => ({
  key, label, about, action: 'power', body: () => ({ target }), ...more,
});

export const VERBS: BulkVerb[] = [
  verb('manage', 'Manage', 'manage', 'Checks that each machine can be controlled.', { quick: true }),
  verb('provide', 'Provide', 'provide', 'Cleans each machine and offers it for use.', { quick: true }),
  verb('deploy', 'Deploy', 'active', 'Writes the image that stands in the instance_info of each node, and boots it.', { quick: true }),
  verb('delete', 'Undeploy', 'deleted', 'Takes each machine back and cleans it; what is on its disks is lost.', { quick: true, destroys: true }),
  verb('inspect', 'Inspect', 'inspect', 'Finds out what hardware each machine has.'),
  verb('abort', 'Abort', 'abort', 'Stops what is under way at the end of a step.'),
  verb('unrescue', 'Unrescue', 'unrescue', 'Boots the own system of each machine again.'),
  switched('power-on', 'Power on', 'power on', 'Switches each machine on.'),
  switched('power-off', 'Power off', 'power off', 'Switches each machine off at once.', { destroys: true }),
  switched('reboot', 'Reboot', 'rebooting', 'Restarts each machine at once.', { destroys: true }),
  {
    key: 'maintenance', label: 'Maintenance on', action: 'maintenance', reason: true,
    about: 'Keeps the service from working on these machines.',
    body: (reason) => (reason === '' ? { target: 'on' } : { target: 'on', reason }),
  },
  {
    key: 'no-maintenance', label: 'Maintenance off', action: 'maintenance',
    about: 'Lets the service work on these machines again.', body: () => ({ target: 'off' }),
  },
];

export function verbOf(key: string): BulkVerb | undefined {
  return VERBS.find((one) => one.key === key);
}
