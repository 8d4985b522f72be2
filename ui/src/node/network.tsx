// The network side of a machine: ports, groups of ports, attached networks, volumes.

import { useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { useDoc } from '../doc.ts';
import { Button, Field, Loaded, Panel } from '../parts/base.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/marks.tsx';
import { complain, say } from '../parts/notices.tsx';
import type { NodeTabProps } from '../screens/node.tsx';
import { mayNot } from '../verbs.ts';

interface Port {
  uuid: string;
  address: string;
  name: string | null;
  pxe_enabled: boolean;
  physical_network: string | null;
  portgroup_uuid: string | null;
  local_link_connection: Record<string, unknown>;
  is_smartnic?: boolean;
  description?: string | null;
}

type Json = Record<string, unknown>;

export function NetworkTab({ node, me }: NodeTabProps) {
  const base = `/v1/nodes/${part(node.uuid)}`;
  const mine = (event: { node: string }) => event.node === node.uuid;
  const ports = useDoc<{ ports: Port[] }>(`/v1/ports/detail?node=${part(node.uuid)}`, { on: mine });
  const groups = useDoc<{ portgroups: Json[] }>(`/v1/portgroups/detail?node=${part(node.uuid)}`, { on: mine });
  const vifs = useDoc<{ vifs: { id: string }[] }>(`${base}/vifs`, { on: mine });
  const targets = useDoc<{ targets: Json[] }>(`/v1/volume/targets?node=${part(node.uuid)}&detail=True`);
  const connectors = useDoc<{ connectors: Json[] }>(`/v1/volume/connectors?node=${part(node.uuid)}&detail=True`);
  const [edited, edit] = useState<Port | 'new' | null>(null);
  const [removed, remove] = useState<Port | null>(null);
  return (
    <div class="stack">
      <Panel
        title="Ports"
        level={3}
        actions={
          <Button small why={mayNot(me, 'baremetal:port:create')} onClick={() => edit('new')}>
            <Icon name="plus" /> Add
          </Button>
        }
      >
        <Loaded doc={ports}>
          {(data) =>
            data.ports.length === 0 ? (
              <p class="faint">No ports. A machine that boots from the network needs one with its MAC address.</p>
            ) : (
              <div class="scroll-x">
                <table class="table">
                  <thead>
                    <tr>
                      <th scope="col">MAC</th>
                      <th scope="col">name</th>
                      <th scope="col">boots</th>
                      <th scope="col">network</th>
                      <th scope="col">switch</th>
                      <th scope="col" />
                    </tr>
                  </thead>
                  <tbody>
                    {data.ports.map((port) => (
                      <tr key={port.uuid}>
                        <th scope="row">
                          <code>{port.address}</code>
                        </th>
                        <td>{port.name ?? ''}</td>
                        <td>{port.pxe_enabled ? 'yes' : 'no'}</td>
                        <td>{port.physical_network ?? ''}</td>
                        <td class="faint">{[port.local_link_connection['switch_info'], port.local_link_connection['port_id']].filter(Boolean).map(String).join(' ')}</td>
                        <td class="nowrap">
                          <Button small kind="quiet" label={`Change ${port.address}`} why={mayNot(me, 'baremetal:port:update')} onClick={() => edit(port)}>
                            Change
                          </Button>
                          <Button small kind="quiet" label={`Delete ${port.address}`} why={mayNot(me, 'baremetal:port:delete')} onClick={() => remove(port)}>
                            Delete
                          </Button>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </Panel>
      <div class="cards">
        <Small title="Port groups" none="No ports are bonded." rows={groups.data.value?.portgroups.map((one) => [String(one['name'] ?? one['uuid']), `${String(one['mode'] ?? '')} ${String(one['address'] ?? '')}`])} error={groups.error.value?.message} />
        <Small title="Attached networks (VIFs)" none="No network is attached." rows={vifs.data.value?.vifs.map((one) => [one.id, ''])} error={vifs.error.value?.message} />
        <Small title="Volume connectors" none="No connectors." rows={connectors.data.value?.connectors.map((one) => [String(one['type']), String(one['connector_id'])])} error={connectors.error.value?.message} />
        <Small title="Volume targets" none="No volumes." rows={targets.data.value?.targets.map((one) => [String(one['volume_type']), `${String(one['volume_id'])}, boot index ${String(one['boot_index'])}`])} error={targets.error.value?.message} />
      </div>
      {edited !== null && (
        <PortDialog
          node={node.uuid}
          port={edited === 'new' ? null : edited}
          onClose={() => edit(null)}
          onDone={() => {
            edit(null);
            ports.reload();
          }}
        />
      )}
      {removed !== null && (
        <Confirm
          title={`Delete port ${removed.address}`}
          text={<p>The machine is not recognised by this address any more.</p>}
          word={removed.address}
          action="Delete"
          onClose={() => remove(null)}
          onYes={() => {
            send('DELETE', `/v1/ports/${part(removed.uuid)}`).then(
              () => {
                say('The port is deleted.');
                remove(null);
                ports.reload();
              },
              (error: unknown) => complain('The port could not be deleted', error),
            );
          }}
        />
      )}
    </div>
  );
}

function Small({ title, none, rows, error }: { title: string; none: string; rows: [string, string][] | undefined; error: string | undefined }) {
  return (
    <Panel title={title} level={3}>
      {error !== undefined ? (
        <p class="faint">{error}</p>
      ) : rows === undefined || rows.length === 0 ? (
        <p class="faint">{none}</p>
      ) : (
        <table class="table">
          <tbody>
            {rows.map(([name, value]) => (
              <tr key={name + value}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

export const MAC = /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i;

function PortDialog({ node, port, onClose, onDone }: { node: string; port: Port | null; onClose: () => void; onDone: () => void }) {
  const [address, setAddress] = useState(port?.address ?? '');
  const [network, setNetwork] = useState(port?.physical_network ?? '');
  const [boots, setBoots] = useState(port?.pxe_enabled ?? true);
  const wrong = address !== '' && !MAC.test(address) ? 'A MAC address has six pairs, such as 52:54:00:12:34:56.' : null;
  const submit = async () => {
    try {
      if (port === null) {
        await send('POST', '/v1/ports', { node_uuid: node, address, pxe_enabled: boots, ...(network === '' ? {} : { physical_network: network }) });
      } else {
        const changes = [
          { op: 'replace', path: '/address', value: address },
          { op: 'replace', path: '/pxe_enabled', value: boots },
          network === '' ? { op: 'remove', path: '/physical_network' } : { op: 'add', path: '/physical_network', value: network },
        ];
        await send('PATCH', `/v1/ports/${part(port.uuid)}`, changes);
      }
      say(port === null ? 'The port is added.' : 'The port is changed.');
      onDone();
    } catch (error) {
      complain('The port was refused', error);
    }
  };
  return (
    <Dialog
      title={port === null ? 'Add a port' : `Port ${port.address}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" why={address === '' ? 'a MAC address is missing' : wrong} onClick={() => void submit()}>
            {port === null ? 'Add' : 'Change'}
          </Button>
        </>
      }
    >
      <Field label="MAC address" error={wrong}>
        {(id) => <input id={id} class="input" autofocus spellcheck={false} value={address} onInput={(event) => setAddress(event.currentTarget.value.trim())} />}
      </Field>
      <Field label="Physical network" hint="Empty if you have only one.">
        {(id) => <input id={id} class="input" value={network} onInput={(event) => setNetwork(event.currentTarget.value.trim())} />}
      </Field>
      <label class="check-line">
        <input type="checkbox" checked={boots} onChange={(event) => setBoots(event.currentTarget.checked)} /> the machine may boot from it
      </label>
    </Dialog>
  );
}
