// Enrolling machines: one by a form that the driver describes, or many from a table.

import { useState } from 'preact/hooks';
import { get, part, send } from '../api/http.ts';
import { provision } from '../acts.ts';
import type { Node } from '../api/shapes.ts';
import { useDoc } from '../doc.ts';
import { Button, Field, Loaded, Panel } from '../parts/base.tsx';
import { complain, say } from '../parts/notices.tsx';
import { go, href, query, setQuery } from '../router.ts';
import { me } from '../session.ts';
import { macs } from '../table.ts';
import { RULES, mayNot } from '../verbs.ts';
import { Many } from './enrol-many.tsx';

export interface Drivers {
  drivers: { name: string; hosts: string[] }[];
}

export function Enrol() {
  const many = query.value.get('as') === 'many';
  const drivers = useDoc<Drivers>('/v1/drivers');
  const why = mayNot(me.value, RULES.create);
  return (
    <div class="stack enrol">
      <div class="page-head">
        <h1>Enrol machines</h1>
        <div class="segmented" role="radiogroup" aria-label="How many">
          <label>
            <input type="radio" name="many" checked={!many} onChange={() => setQuery({ as: null })} />
            <span>One machine</span>
          </label>
          <label>
            <input type="radio" name="many" checked={many} onChange={() => setQuery({ as: 'many' })} />
            <span>Many</span>
          </label>
        </div>
      </div>
      {why !== null && <p class="wrong">You cannot enrol: {why}.</p>}
      <Loaded doc={drivers}>
        {(data) => {
          const names = data.drivers.map((one) => one.name).sort();
          return many ? <Many drivers={names} why={why} /> : <One drivers={names} why={why} />;
        }}
      </Loaded>
    </div>
  );
}

/** Fields that almost every machine needs come first. */
function isFirst(key: string, about: string): boolean {
  return /_(address|username|password)$/.test(key) || /required/i.test(about.slice(-12));
}

function isSecret(key: string): boolean {
  return /password|secret|key$|token/.test(key) && !/key_file/.test(key);
}

function One({ drivers, why }: { drivers: string[]; why: string | null }) {
  const [driver, setDriver] = useState(drivers.includes('redfish') ? 'redfish' : (drivers[0] ?? ''));
  const [name, setName] = useState('');
  const [kind, setKind] = useState('');
  const [ports, setPorts] = useState('');
  const [info, setInfo] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const properties = useDoc<Record<string, string>>(driver === '' ? null : `/v1/drivers/${part(driver)}/properties`);
  const wrongMac = macs(ports).find((mac) => !/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(mac));

  const field = (key: string, about: string) => (
    <Field key={key} label={key} hint={about}>
      {(id, described) => (
        <input
          id={id}
          class="input"
          type={(isSecret(key) ? 'password' : 'text') as 'text'}
          autocomplete="off"
          spellcheck={false}
          aria-describedby={described}
          placeholder={key === 'redfish_address' ? 'https://bmc.example' : ''}
          value={info[key] ?? ''}
          onInput={(event) => {
            const { value } = event.currentTarget;
            setInfo((before) => ({ ...before, [key]: value }));
          }}
        />
      )}
    </Field>
  );

  const submit = async (verify: boolean) => {
    setBusy(true);
    try {
      const driver_info = Object.fromEntries(Object.entries(info).filter(([, value]) => value !== ''));
      const body = { driver, driver_info, ...(name === '' ? {} : { name }), ...(kind === '' ? {} : { resource_class: kind }) };
      const node = await send<Node>('POST', '/v1/nodes', body);
      if (node === null) return;
      for (const address of macs(ports)) await send('POST', '/v1/ports', { node_uuid: node.uuid, address });
      say(`${name === '' ? node.uuid : name} is enrolled.`);
      if (verify) await provision(node.uuid, { target: 'manage' });
      go(href(['nodes', node.name ?? node.uuid], { tab: verify ? 'timeline' : null }));
    } catch (error) {
      complain('The machine could not be enrolled', error);
    }
    setBusy(false);
  };

  const refused = why ?? (wrongMac === undefined ? null : `${wrongMac} is no MAC address`);
  return (
    <form
      class="form enrol-one"
      onSubmit={(event) => {
        event.preventDefault();
        if (refused === null) void submit(true);
      }}
    >
      <Panel title="The machine" level={3}>
        <div class="form">
          <div class="pair">
            <Field label="Driver" hint="How its BMC is spoken to.">
              {(id) => (
                <select id={id} class="input" value={driver} onChange={(event) => setDriver(event.currentTarget.value)}>
                  {drivers.map((one) => (
                    <option key={one} value={one}>
                      {one}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="Name" hint="Letters, digits, dots and dashes.">
              {(id) => <input id={id} class="input" autofocus autocomplete="off" spellcheck={false} value={name} onInput={(event) => setName(event.currentTarget.value.trim())} />}
            </Field>
            <Field label="Resource class" hint="What kind of machine it is, such as gpu.">
              {(id) => <input id={id} class="input" value={kind} onInput={(event) => setKind(event.currentTarget.value.trim())} />}
            </Field>
            <Field label="MAC addresses" hint="Of the ports it boots from; separated by spaces." error={wrongMac === undefined ? null : `${wrongMac} is no MAC address.`}>
              {(id) => <input id={id} class="input" spellcheck={false} value={ports} onInput={(event) => setPorts(event.currentTarget.value)} />}
            </Field>
          </div>
        </div>
      </Panel>
      <Panel title="How to reach its BMC" level={3}>
        <Loaded doc={properties}>
          {(data) => {
            const rows = Object.entries(data).sort();
            const order = (key: string) => (key.endsWith('_address') ? 0 : key.endsWith('_username') ? 1 : key.endsWith('_password') ? 2 : 3);
            const first = rows.filter(([key, about]) => isFirst(key, about)).sort(([a], [b]) => order(a) - order(b));
            const rest = rows.filter((row) => !first.includes(row));
            if (rows.length === 0) return <p class="faint">This driver needs nothing.</p>;
            return (
              <div class="form">
                <div class="pair">{first.map(([key, about]) => field(key, about))}</div>
                {rest.length > 0 && (
                  <details>
                    <summary>{rest.length} more settings</summary>
                    <div class="pair">{rest.map(([key, about]) => field(key, about))}</div>
                  </details>
                )}
              </div>
            );
          }}
        </Loaded>
      </Panel>
      <div class="row">
        <Button kind="main" type="submit" why={refused} busy={busy}>
          Enrol and verify now
        </Button>
        <Button why={refused} busy={busy} onClick={() => void submit(false)}>
          Enrol only
        </Button>
        <span class="faint">Verifying speaks to the BMC and leads to “manageable”.</span>
      </div>
    </form>
  );
}

/** Names of these that the service has already. */
export async function takenNames(names: string[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let at = 0; at < names.length; at += 25) {
    const some = names.slice(at, at + 25).filter((name) => /^[\w.~-]+$/.test(name));
    if (some.length === 0) continue;
    const page = await get<{ nodes: { name: string }[] }>(`/corten/v1/nodes?fields=name&limit=25&q=${part(`name:${some.join(',')}`)}`);
    for (const node of page.nodes) taken.add(node.name);
  }
  return taken;
}
