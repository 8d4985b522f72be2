// Machines as rows that were pasted: CSV with a header, or JSON. Columns are recognised by their names,
// rows are checked while they are typed.

export interface Machine {
  name: string;
  driver: string;
  address: string;
  username: string;
  password: string;
  mac: string;
  class: string;
  extra: Record<string, string>;
}

export const COLUMNS = ['name', 'driver', 'address', 'username', 'password', 'mac', 'class'] as const;
export type ColumnName = (typeof COLUMNS)[number];

const ALIASES: Record<string, ColumnName> = {
  host: 'name', hostname: 'name', node: 'name', server: 'name',
  type: 'driver', hardware_type: 'driver',
  bmc: 'address', bmc_address: 'address', ip: 'address', redfish_address: 'address', ipmi_address: 'address',
  user: 'username', login: 'username', redfish_username: 'username', ipmi_username: 'username',
  pass: 'password', redfish_password: 'password', ipmi_password: 'password',
  macs: 'mac', mac_address: 'mac', port: 'mac',
  resource_class: 'class',
};

/** The cells of a CSV text; quotes may hold separators and line ends. */
export function cells(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (quoted) {
      if (sign === '"' && text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else if (sign === '"') quoted = false;
      else cell += sign;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === separator) {
      row.push(cell.trim());
      cell = '';
    } else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text[at + 1] === '\n') at += 1;
      row.push(cell.trim());
      cell = '';
      if (row.some((one) => one !== '')) rows.push(row);
      row = [];
    } else cell += sign;
  }
  row.push(cell.trim());
  if (row.some((one) => one !== '')) rows.push(row);
  return rows;
}

function blank(): Machine {
  return { name: '', driver: '', address: '', username: '', password: '', mac: '', class: '', extra: {} };
}

function put(machine: Machine, key: string, value: string): void {
  const word = key.trim().toLowerCase();
  const known = (COLUMNS as readonly string[]).includes(word) ? (word as ColumnName) : ALIASES[word];
  if (known !== undefined) machine[known] = value;
  else if (word.startsWith('extra.') && value !== '') machine.extra[key.trim().slice(6)] = value;
}

export interface Read {
  machines: Machine[];
  /** Columns that mean nothing here. */
  unknown: string[];
  error: string | null;
}

/** Reads what was pasted. */
export function read(text: string): Read {
  const trimmed = text.trim();
  if (trimmed === '') return { machines: [], unknown: [], error: null };
  if (trimmed.startsWith('[') || trimmed.startsWith('{')) return readJson(trimmed);
  const first = trimmed.split(/\r?\n/, 1)[0] ?? '';
  const separator = first.includes('\t') ? '\t' : first.includes(';') && !first.includes(',') ? ';' : ',';
  const [header, ...rows] = cells(trimmed, separator);
  if (header === undefined) return { machines: [], unknown: [], error: null };
  const isKnown = (key: string) => (COLUMNS as readonly string[]).includes(key.toLowerCase()) || key.toLowerCase() in ALIASES || key.toLowerCase().startsWith('extra.');
  if (!header.some(isKnown)) return { machines: [], unknown: [], error: `The first line has to name the columns: ${COLUMNS.join(', ')}, extra.…` };
  const machines = rows.map((row) => {
    const machine = blank();
    for (const [index, key] of header.entries()) put(machine, key, row[index] ?? '');
    return machine;
  });
  return { machines, unknown: header.filter((key) => key !== '' && !isKnown(key)), error: null };
}

function readJson(text: string): Read {
  try {
    const parsed: unknown = JSON.parse(text);
    const list = Array.isArray(parsed) ? parsed : ((parsed as { nodes?: unknown[] }).nodes ?? [parsed]);
    const machines = list.map((one) => {
      const machine = blank();
      for (const [key, value] of Object.entries(one as Record<string, unknown>)) {
        if (key === 'extra' && typeof value === 'object' && value !== null) {
          for (const [name, inner] of Object.entries(value)) machine.extra[name] = String(inner);
        } else if (Array.isArray(value)) put(machine, key, value.join(' '));
        else if (value !== null && typeof value !== 'object') put(machine, key, String(value));
      }
      return machine;
    });
    return { machines, unknown: [], error: null };
  } catch (error) {
    return { machines: [], unknown: [], error: error instanceof Error ? error.message : String(error) };
  }
}

const MAC = /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;

export function macs(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== '');
}

export type Wrong = Partial<Record<ColumnName, string>>;

/** What is wrong with each row. `taken` are names that the service has already. */
export function check(machines: Machine[], drivers: string[], taken: Set<string>): Wrong[] {
  const names = new Map<string, number>();
  const addresses = new Map<string, number>();
  for (const machine of machines) {
    names.set(machine.name, (names.get(machine.name) ?? 0) + 1);
    for (const mac of macs(machine.mac)) addresses.set(mac.toLowerCase(), (addresses.get(mac.toLowerCase()) ?? 0) + 1);
  }
  return machines.map((machine) => {
    const wrong: Wrong = {};
    if (machine.name !== '' && !NAME.test(machine.name)) wrong.name = 'not a valid name';
    else if (machine.name !== '' && (names.get(machine.name) ?? 0) > 1) wrong.name = 'twice in this list';
    else if (taken.has(machine.name)) wrong.name = 'there is a node of this name';
    if (machine.driver === '') wrong.driver = 'missing';
    else if (drivers.length > 0 && !drivers.includes(machine.driver)) wrong.driver = `not one of ${drivers.join(', ')}`;
    if (machine.driver !== 'fake-hardware' && machine.address === '') wrong.address = 'missing';
    else if (/\s/.test(machine.address)) wrong.address = 'has a space';
    for (const mac of macs(machine.mac)) {
      if (!MAC.test(mac)) wrong.mac = `${mac} is no MAC address`;
      else if ((addresses.get(mac.toLowerCase()) ?? 0) > 1) wrong.mac = 'twice in this list';
    }
    return wrong;
  });
}

/** The body of `POST /v1/nodes`. */
export function nodeBody(machine: Machine): Record<string, unknown> {
  const info: Record<string, string> = {};
  const prefix = machine.driver === 'ipmi' ? 'ipmi' : 'redfish';
  if (machine.driver !== 'fake-hardware') {
    if (machine.address !== '') info[`${prefix}_address`] = machine.address;
    if (machine.username !== '') info[`${prefix}_username`] = machine.username;
    if (machine.password !== '') info[`${prefix}_password`] = machine.password;
  }
  return {
    driver: machine.driver,
    ...(machine.name === '' ? {} : { name: machine.name }),
    ...(machine.class === '' ? {} : { resource_class: machine.class }),
    driver_info: info,
    ...(Object.keys(machine.extra).length === 0 ? {} : { extra: machine.extra }),
  };
}
