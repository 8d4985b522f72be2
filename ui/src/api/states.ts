// Provision states and what they accept. Written by `cargo xtask ui-types`; not by hand.

export type Look = 'ready' | 'in_use' | 'working' | 'waiting' | 'held' | 'failed';

export type Verb =
  | 'manage'
  | 'provide'
  | 'inspect'
  | 'adopt'
  | 'deploy'
  | 'rebuild'
  | 'delete'
  | 'clean'
  | 'rescue'
  | 'unrescue'
  | 'service'
  | 'abort'
  | 'unhold';

export interface StateRow {
  look: Look;
  target: string | null;
  verbs: Partial<Record<Verb, string>>;
}

export const STATES: Record<string, StateRow> = {
  'enroll': { look: 'ready', target: null, verbs: { manage: 'verifying' } },
  'verifying': { look: 'working', target: 'manageable', verbs: {} },
  'manageable': { look: 'ready', target: null, verbs: { provide: 'cleaning', inspect: 'inspecting', adopt: 'adopting', clean: 'cleaning' } },
  'inspecting': { look: 'working', target: 'manageable', verbs: {} },
  'inspect wait': { look: 'waiting', target: 'manageable', verbs: { abort: 'inspect failed' } },
  'inspect failed': { look: 'failed', target: 'manageable', verbs: { manage: 'manageable', inspect: 'inspecting' } },
  'adopting': { look: 'working', target: 'active', verbs: {} },
  'adopt failed': { look: 'failed', target: 'active', verbs: { manage: 'manageable', adopt: 'adopting' } },
  'available': { look: 'ready', target: null, verbs: { manage: 'manageable', deploy: 'deploying' } },
  'deploying': { look: 'working', target: 'active', verbs: {} },
  'wait call-back': { look: 'waiting', target: 'active', verbs: { delete: 'deleting', abort: 'deploy failed' } },
  'deploy failed': { look: 'failed', target: 'active', verbs: { deploy: 'deploying', rebuild: 'deploying', delete: 'deleting' } },
  'deploy hold': { look: 'held', target: 'active', verbs: { abort: 'deploy failed', unhold: 'wait call-back' } },
  'active': { look: 'in_use', target: null, verbs: { rebuild: 'deploying', delete: 'deleting', rescue: 'rescuing', service: 'servicing' } },
  'deleting': { look: 'working', target: 'available', verbs: { clean: 'cleaning' } },
  'error': { look: 'failed', target: null, verbs: { rebuild: 'deploying', delete: 'deleting' } },
  'cleaning': { look: 'working', target: 'available', verbs: { manage: 'manageable' } },
  'clean wait': { look: 'waiting', target: 'available', verbs: { abort: 'clean failed' } },
  'clean failed': { look: 'failed', target: 'available', verbs: { manage: 'manageable' } },
  'clean hold': { look: 'held', target: 'available', verbs: { abort: 'clean failed', unhold: 'clean wait' } },
  'rescuing': { look: 'working', target: 'rescue', verbs: {} },
  'rescue wait': { look: 'waiting', target: 'rescue', verbs: { delete: 'deleting', abort: 'rescue failed' } },
  'rescue': { look: 'in_use', target: null, verbs: { delete: 'deleting', rescue: 'rescuing', unrescue: 'unrescuing' } },
  'rescue failed': { look: 'failed', target: 'rescue', verbs: { delete: 'deleting', rescue: 'rescuing', unrescue: 'unrescuing' } },
  'unrescuing': { look: 'working', target: 'active', verbs: {} },
  'unrescue failed': { look: 'failed', target: 'active', verbs: { delete: 'deleting', rescue: 'rescuing', unrescue: 'unrescuing' } },
  'servicing': { look: 'working', target: 'active', verbs: {} },
  'service wait': { look: 'waiting', target: 'active', verbs: { delete: 'deleting', abort: 'service failed' } },
  'service hold': { look: 'held', target: 'active', verbs: { service: 'servicing', abort: 'service failed', unhold: 'service wait' } },
  'service failed': { look: 'failed', target: 'active', verbs: { delete: 'deleting', rescue: 'rescuing', service: 'servicing', abort: 'active' } },
};
