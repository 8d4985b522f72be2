// The documents of `/corten/v1` and the fields of Ironic's documents that the page reads.

import type { Look } from './states.ts';

export type Looks = Record<Look, number>;

export interface Me {
  mode: 'noauth' | 'http_basic' | 'local' | 'keystone';
  user: string | null;
  user_name?: string | null;
  project: string | null;
  project_name?: string | null;
  system_scope: string | null;
  roles: string[];
  is_open: boolean;
  session: { expires_at: string } | null;
  version: string;
  api_version: string;
  group_key: string | null;
  node: string | null;
  rules: string[];
  /** Granted for what belongs to the caller's own project. */
  own_rules?: string[];
}

export interface Row {
  uuid: string;
  name: string | null;
  look: Look;
  provision_state: string;
  target_provision_state: string | null;
  provision_updated_at: string | null;
  power_state: string | null;
  target_power_state: string | null;
  maintenance: boolean;
  fault: string | null;
  retired: boolean;
  protected: boolean;
  driver: string;
  resource_class: string | null;
  conductor: string | null;
  conductor_group: string;
  chassis_uuid: string | null;
  shard: string | null;
  owner: string | null;
  lessee: string | null;
  instance_uuid: string | null;
  reservation: string | null;
  cause: { code: string; sentence: string } | null;
  traits?: string[];
  macs?: string[];
  bmc?: string | null;
  last_error?: string | null;
}

export interface Page {
  nodes: Row[];
  total: number;
  cursor: number;
}

export interface QueryError {
  text: string;
  word: string;
  start: number;
  end: number;
  suggestion: string | null;
}

export interface Counts {
  total: number;
  looks: Looks;
  states: Record<string, number>;
  maintenance: number;
  faults: Record<string, number>;
}

export interface Group extends Counts {
  name: string | null;
  q: string;
}

export interface Fleet extends Counts {
  cursor: number;
  by: string | null;
  groups: Group[];
  left_out: number;
}

export interface MapGroup {
  name: string | null;
  q: string;
  total: number;
  cells: string;
}

export interface FleetMap {
  cursor: number;
  by: string | null;
  total: number;
  letters: Record<string, Look>;
  groups: MapGroup[];
  left_out: number;
}

export interface Cause {
  code: string;
  sentence: string | null;
  advice: string | null;
  docs: string | null;
  kinds: Record<string, number>;
  count: number;
  since: string | null;
  latest: string | null;
  nodes: { uuid: string; name: string | null }[];
  q: string;
  example: string | null;
}

export interface Failures {
  cursor: number;
  total: number;
  kinds: Record<string, number>;
  causes: Cause[];
}

export interface Progress {
  phase: string | null;
  bytes: number | null;
  total: number | null;
  rate: number | null;
  eta: number | null;
  at?: string;
}

export interface Operation {
  node: string;
  name: string | null;
  verb: string | null;
  look: Look;
  provision_state: string;
  target_provision_state: string | null;
  conductor: string | null;
  started_at: string | null;
  state_since: string | null;
  phase: string | null;
  step: string | null;
  steps_done: number | null;
  steps_total: number | null;
  waiting: { for: string; since: string; timeout_at: string | null; is_stuck: boolean } | null;
  progress: Progress | null;
}

export interface Work {
  at: string;
  total: number;
  operations: Operation[];
}

export interface Diagnosis {
  node: string;
  name: string | null;
  at: string;
  kind: 'failed' | 'fault' | 'stuck' | 'error' | 'maintenance' | 'working' | 'waiting' | 'held' | 'fine';
  look: Look;
  provision_state: string;
  target_provision_state: string | null;
  since: string | null;
  meaning: string;
  maintenance: { reason: string | null; fault: string | null } | null;
  cause: { code: string; sentence: string | null; advice: string | null; docs: string | null } | null;
  finding: string | null;
  waiting: Operation['waiting'];
  locked_by: string | null;
  evidence: { kind: string; text: string; href: string }[];
  next: { verb: string; target: string; to: string }[];
}

export interface Disk {
  name: string;
  size: number | null;
  model: string | null;
  vendor: string | null;
  serial: string | null;
  wwn: string | null;
  by_path: string | null;
  rotational: boolean | null;
  fits: boolean | null;
  hint: Record<string, unknown> | null;
}

export interface Plan {
  node: string;
  target: string;
  verb: string;
  is_accepted: boolean;
  refusal: { status: number; text: string } | null;
  states: string[];
  steps: { interface: string; step: string; priority: number | null; args: unknown; source: string }[];
  more_steps: string | null;
  validation: { interface: string; result: boolean | null; reason: string | null }[] | null;
  root_device: { hint: Record<string, unknown> | null; error: string | null } | null;
  disks: Disk[] | null;
}

export interface LogEvent {
  cursor: number;
  at: string;
  node: string;
  node_name: string | null;
  kind: string;
  text: string;
  data: Record<string, unknown>;
}

export interface Flow {
  verb: string;
  requested_by: { user: string | null; project: string | null; request_id: string | null } | null;
  started_at: string;
  ended_at: string | null;
  duration: number | null;
  state: string;
  result: string | null;
  phases: { name: string; by: string; started_at: string; duration: number | null }[];
  steps: { name: string; state: string; started_at: string | null; duration: number | null }[];
  waiting: { for?: string; what?: string; since?: string; started_at?: string } | null;
  progress: Record<string, unknown> | null;
  address: string | null;
  restarts: number;
  warnings: unknown[];
  error: string | null;
}

export interface Timeline {
  node_uuid: string;
  at: string;
  provision_state: string;
  target_provision_state: string | null;
  power_state: string | null;
  flows: Flow[];
}

/** A node of Ironic's API: some fields by name, all others as they come. */
export interface Node {
  uuid: string;
  name: string | null;
  driver: string;
  provision_state: string;
  target_provision_state: string | null;
  provision_updated_at: string | null;
  power_state: string | null;
  target_power_state: string | null;
  maintenance: boolean;
  maintenance_reason: string | null;
  fault: string | null;
  last_error: string | null;
  reservation: string | null;
  resource_class: string | null;
  conductor: string | null;
  conductor_group: string;
  instance_uuid: string | null;
  instance_name: string | null;
  instance_info: Record<string, unknown>;
  driver_info: Record<string, unknown>;
  properties: Record<string, unknown>;
  extra: Record<string, unknown>;
  console_enabled: boolean;
  protected: boolean;
  protected_reason: string | null;
  retired: boolean;
  retired_reason: string | null;
  description: string | null;
  owner: string | null;
  lessee: string | null;
  traits: string[];
  parent_node: string | null;
  allocation_uuid: string | null;
  raid_config: Record<string, unknown>;
  target_raid_config: Record<string, unknown>;
  [field: string]: unknown;
}
