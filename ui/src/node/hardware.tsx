// What the machine is made of, as inspection found it, and what its firmware says.

import { part } from '../api/http.ts';
import type { ComponentChildren } from 'preact';
import { type Doc, useDoc } from '../doc.ts';
import { bytes } from '../format.ts';
import { Empty, Facts, Failed, Panel, Skeleton } from '../parts/base.tsx';
import type { NodeTabProps } from '../screens/node.tsx';

type Json = Record<string, unknown>;

interface Inventory {
  inventory: {
    cpu?: { count?: number; architecture?: string; model_name?: string; frequency?: string };
    memory?: { physical_mb?: number; total?: number };
    disks?: Json[];
    interfaces?: Json[];
    system_vendor?: { product_name?: string; manufacturer?: string; serial_number?: string };
    boot?: Json;
    bmc_address?: string;
  };
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** A document that need not exist: 404 is a sentence, not a failure. */
function Perhaps<T>({ doc, none, children }: { doc: Doc<T>; none: string; children: (data: T) => ComponentChildren }) {
  const data = doc.data.value;
  const error = doc.error.value;
  if (data !== undefined) return <>{children(data)}</>;
  if (error === undefined) return <Skeleton lines={3} />;
  if (error.status === 404 || error.status === 400) return <p class="faint">{none}</p>;
  return <Failed error={error} retry={doc.reload} />;
}

export function HardwareTab({ node }: NodeTabProps) {
  const base = `/v1/nodes/${part(node.uuid)}`;
  const inventory = useDoc<Inventory>(`${base}/inventory`);
  const firmware = useDoc<{ firmware: Json[] }>(`${base}/firmware`);
  const device = useDoc<{ boot_device: string | null; persistent: boolean | null }>(`${base}/management/boot_device`);
  const indicators = useDoc<{ indicators: Json[] }>(`${base}/management/indicators`);
  return (
    <div class="stack">
      <Panel title="Inventory" level={3}>
        <Perhaps doc={inventory} none="The machine was not inspected yet. Inspect finds out what hardware it has; it must be manageable for that.">
          {(found) => <Found inventory={found.inventory} />}
        </Perhaps>
      </Panel>
      <div class="cards">
        <Panel title="Boot" level={3}>
          <Facts
            all
            rows={[
              ['Boot device', device.data.value?.boot_device == null ? (device.error.value?.message ?? null) : `${device.data.value.boot_device}${device.data.value.persistent === true ? ', always' : ', once'}`],
              ['Boot mode', node['boot_mode'] as string | null],
              ['Secure boot', node['secure_boot'] === null ? null : node['secure_boot'] === true ? 'on' : 'off'],
            ]}
          />
        </Panel>
        <Panel title="Firmware" level={3}>
          <Perhaps doc={firmware} none="The driver does not tell about firmware.">
            {(found) =>
              found.firmware.length === 0 ? (
                <p class="faint">No components are known.</p>
              ) : (
                <table class="table">
                  <tbody>
                    {found.firmware.map((one) => (
                      <tr key={text(one['component'])}>
                        <th scope="row">{text(one['component'])}</th>
                        <td>{text(one['current_version'])}</td>
                        <td class="faint">{text(one['last_version_flashed'])}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )
            }
          </Perhaps>
        </Panel>
        <Panel title="RAID" level={3}>
          <Raid title="Now" config={node.raid_config} />
          <Raid title="Wanted" config={node.target_raid_config} />
        </Panel>
        <Panel title="Indicators" level={3}>
          <Perhaps doc={indicators} none="The BMC has none.">
            {(found) =>
              found.indicators.length === 0 ? (
                <p class="faint">The BMC has none.</p>
              ) : (
                <table class="table">
                  <tbody>
                    {found.indicators.map((one) => (
                      <tr key={text(one['name'])}>
                        <th scope="row">{text(one['name'])}</th>
                        <td>{text(one['component'])}</td>
                        <td class="faint">{one['readonly'] === true ? 'to read' : 'can be set'}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )
            }
          </Perhaps>
        </Panel>
      </div>
    </div>
  );
}

function Raid({ title, config }: { title: string; config: Json }) {
  const disks = config['logical_disks'];
  return (
    <div>
      <h4 class="sub">{title}</h4>
      {!Array.isArray(disks) || disks.length === 0 ? (
        <p class="faint">{title === 'Now' ? 'No logical disks are known.' : 'Nothing is wanted.'}</p>
      ) : (
        <ul>
          {disks.map((disk: Json, index) => (
            <li key={index}>
              RAID {text(disk['raid_level'])}, {text(disk['size_gb'])} GB {disk['is_root_volume'] === true && <span class="chip">root</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Found({ inventory }: { inventory: Inventory['inventory'] }) {
  const { cpu, memory, disks = [], interfaces = [], system_vendor: vendor } = inventory;
  return (
    <div class="stack">
      <Facts
        rows={[
          ['Machine', [vendor?.manufacturer, vendor?.product_name].filter(Boolean).join(' ')],
          ['Serial', vendor?.serial_number],
          ['CPU', cpu === undefined ? null : `${text(cpu.count)} × ${text(cpu.model_name ?? cpu.architecture)}`],
          ['Memory', memory?.physical_mb === undefined ? null : bytes(memory.physical_mb * 1_048_576)],
          ['BMC', inventory.bmc_address],
          ['Boot mode', text(inventory.boot?.['current_boot_mode'])],
        ]}
      />
      {disks.length === 0 ? (
        <Empty title="No disks were found" />
      ) : (
        <div class="scroll-x">
          <table class="table">
            <caption class="hidden-text">Disks</caption>
            <thead>
              <tr>
                <th scope="col">disk</th>
                <th scope="col" class="num">size</th>
                <th scope="col">model</th>
                <th scope="col">kind</th>
                <th scope="col">serial</th>
                <th scope="col">WWN</th>
              </tr>
            </thead>
            <tbody>
              {disks.map((disk) => (
                <tr key={text(disk['name'])}>
                  <th scope="row">{text(disk['name'])}</th>
                  <td class="num">{typeof disk['size'] === 'number' ? bytes(disk['size']) : ''}</td>
                  <td>{[disk['vendor'], disk['model']].filter(Boolean).map(String).join(' ')}</td>
                  <td>{disk['rotational'] === true ? 'spinning' : disk['rotational'] === false ? 'SSD' : ''}</td>
                  <td>
                    <code>{text(disk['serial'])}</code>
                  </td>
                  <td>
                    <code>{text(disk['wwn'])}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="scroll-x">
        <table class="table">
          <caption class="hidden-text">Network interfaces</caption>
          <thead>
            <tr>
              <th scope="col">interface</th>
              <th scope="col">MAC</th>
              <th scope="col">address</th>
              <th scope="col">link</th>
              <th scope="col">product</th>
            </tr>
          </thead>
          <tbody>
            {interfaces.map((one) => (
              <tr key={text(one['name']) + text(one['mac_address'])}>
                <th scope="row">{text(one['name'])}</th>
                <td>
                  <code>{text(one['mac_address'])}</code>
                </td>
                <td>{text(one['ipv4_address'])}</td>
                <td>{one['has_carrier'] === true ? 'up' : one['has_carrier'] === false ? 'down' : ''}</td>
                <td class="faint">{text(one['vendor'])} {text(one['product'])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
