// What the boot services serve: where they listen, how full the networks are, who has which address,
// and which machines boot from here.

import { useDoc } from '../doc.ts';
import { age, now, number, percent } from '../format.ts';
import { Button, Empty, Loaded, Meter, Panel } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Mark } from '../parts/marks.tsx';
import { href, query, setQuery } from '../router.ts';
import { curl, quoted } from '../verbs.ts';

interface Lease {
  address: string;
  mac: string;
  until: string;
  used: string;
  node: string | null;
  name: string | null;
}

interface Published {
  node: string;
  name: string | null;
  macs: string[];
  way: string;
  mode: string;
  starts: string;
  files: { name: string; source: string }[];
}

interface Host {
  host: string;
  error: string | null;
  services?: { name: string; addresses: string[]; detail: string }[];
  networks?: { network: string; interface: string | null; first: string | null; last: string | null; size: number; used: number; lease_seconds: number }[];
  leases_total?: number;
  leases?: Lease[];
  published_total?: number;
  published?: Published[];
}

const NAMES: Record<string, string> = { dhcp4: 'DHCP for IPv4', dhcp6: 'DHCP for IPv6', tftp: 'TFTP', http: 'HTTP' };
const PAGE = 100;

export function BootScreen() {
  const typed = query.value.get('q') ?? '';
  const offset = Math.max(0, Number(query.value.get('from') ?? 0) || 0);
  const args = new URLSearchParams({ limit: String(PAGE), offset: String(offset), ...(typed === '' ? {} : { q: typed }) });
  const path = `/corten/v1/boot?${args.toString()}`;
  const doc = useDoc<{ conductors: Host[] }>(path, { every: 3_000, keep: true });
  const most = Math.max(0, ...(doc.data.value?.conductors ?? []).map((one) => Math.max(one.leases_total ?? 0, one.published_total ?? 0)));
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Boot services</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: `corten boot${typed === '' ? '' : ` --leases --where ${quoted(typed)}`}`, curl: curl('GET', path) }} />
      </div>
      <div class="row">
        <input class="input filter-wide" type="search" aria-label="Filter leases and machines" placeholder="Filter: MAC, address or UUID" value={typed} onInput={(event) => setQuery({ q: event.currentTarget.value, from: null }, true)} />
        {most > PAGE && (
          <span class="row">
            <Button small why={offset === 0 ? 'these are the first' : null} onClick={() => setQuery({ from: offset <= PAGE ? null : String(offset - PAGE) })}>
              Back
            </Button>
            <span class="faint">
              from {number(offset + 1)} of {number(most)}
            </span>
            <Button small why={offset + PAGE >= most ? 'these are the last' : null} onClick={() => setQuery({ from: String(offset + PAGE) })}>
              Further
            </Button>
          </span>
        )}
      </div>
      <Loaded doc={doc} lines={8}>
        {(data) =>
          data.conductors.length === 0 ? (
            <Empty title="No conductor is alive">
              <p>Conductors run the boot services.</p>
            </Empty>
          ) : (
            data.conductors.map((one) => <HostPart key={one.host} one={one} filtered={typed !== ''} />)
          )
        }
      </Loaded>
    </div>
  );
}

function HostPart({ one, filtered }: { one: Host; filtered: boolean }) {
  const services = one.services ?? [];
  const networks = one.networks ?? [];
  return (
    <section class="stack" aria-label={`Conductor ${one.host}`}>
      <h2>{one.host}</h2>
      {one.error !== null && <p class="wrong">It does not tell: {one.error}</p>}
      {one.error === null && services.length === 0 && (
        <Empty title="It runs no boot services">
          <p>
            Machines of this conductor boot from virtual media, their disks or another boot server. Set <code>[corten] dhcp</code>, <code>tftp_listen</code> or <code>http_listen</code> to serve them from here.
          </p>
        </Empty>
      )}
      {services.length > 0 && (
        <div class="cards">
          <Panel title="Services" level={3}>
            <dl class="facts">
              {services.map((service) => (
                <div class="fact" key={service.name}>
                  <dt>{NAMES[service.name] ?? service.name}</dt>
                  <dd>
                    <code>{service.addresses.join(', ')}</code>
                    <p class="faint">{service.detail}</p>
                  </dd>
                </div>
              ))}
            </dl>
          </Panel>
          {networks.map((network) => {
            const full = percent(network.used, network.size);
            return (
              <Panel key={network.network + (network.interface ?? '')} title={`Network ${network.network}`} level={3}>
                {network.first === null ? (
                  <p class="faint">Only machines with a fixed address get one here.</p>
                ) : (
                  <>
                    <Meter value={full} label={`Addresses in use: ${Math.round(full)} %`} />
                    <p class={full >= 90 ? 'wrong' : ''}>
                      {number(network.used)} of {number(network.size)} addresses in use{full >= 90 ? ': the range is nearly used up' : ''}
                    </p>
                    <p class="faint">
                      {network.first} to {network.last}, for {age(new Date(now.value - network.lease_seconds * 1_000).toISOString())} each
                    </p>
                  </>
                )}
                <p class="faint">{network.interface === null ? 'reached by relays' : `on ${network.interface}`}</p>
              </Panel>
            );
          })}
        </div>
      )}
      {services.length > 0 && <PublishedTable one={one} filtered={filtered} />}
      {services.some((service) => service.name.startsWith('dhcp')) && <LeaseTable one={one} filtered={filtered} />}
    </section>
  );
}

function NodeLink({ node, name }: { node: string | null; name: string | null }) {
  if (node === null) return <span class="faint">–</span>;
  return <a href={href(['nodes', name ?? node], { tab: 'boot' })}>{name ?? node.slice(0, 8)}</a>;
}

function PublishedTable({ one, filtered }: { one: Host; filtered: boolean }) {
  const published = one.published ?? [];
  return (
    <Panel title={`Machines that boot from here · ${number(one.published_total ?? 0)}`} level={3}>
      {published.length === 0 ? (
        <p class="faint">{filtered ? 'None fits.' : 'None: a machine is here while it is cleaned, deployed, inspected or rescued over the network.'}</p>
      ) : (
        <div class="scroll-x" role="region" aria-label="Machines that boot from here" tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">node</th>
                <th scope="col">starts</th>
                <th scope="col">by</th>
                <th scope="col">MAC addresses</th>
                <th scope="col">files</th>
              </tr>
            </thead>
            <tbody>
              {published.map((node) => (
                <tr key={node.node}>
                  <th scope="row">
                    <NodeLink node={node.node} name={node.name} />
                  </th>
                  <td>{node.starts}</td>
                  <td>
                    {node.way}, {node.mode}
                  </td>
                  <td>
                    {node.macs.map((mac) => (
                      <code class="block" key={mac}>
                        {mac}
                      </code>
                    ))}
                  </td>
                  <td class="wrap">
                    {node.files.map((file) => (
                      <span class="block" key={file.name}>
                        {file.name} <code class="faint">{file.source}</code>
                      </span>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function LeaseTable({ one, filtered }: { one: Host; filtered: boolean }) {
  const leases = one.leases ?? [];
  return (
    <Panel title={`Leases · ${number(one.leases_total ?? 0)}`} level={3}>
      {leases.length === 0 ? (
        <p class="faint">{filtered ? 'None fits.' : 'None: nobody asked for an address lately.'}</p>
      ) : (
        <div class="scroll-x" role="region" aria-label="Leases" tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">address</th>
                <th scope="col">MAC address</th>
                <th scope="col">state</th>
                <th scope="col">ends in</th>
                <th scope="col">node</th>
              </tr>
            </thead>
            <tbody>
              {leases.map((lease) => (
                <tr key={lease.address}>
                  <th scope="row">
                    <code>{lease.address}</code>
                  </th>
                  <td>
                    <code class="block">{lease.mac}</code>
                  </td>
                  <td>
                    <span class="state">
                      <Mark look={lease.used === 'leased' ? 'in_use' : lease.used === 'offered' ? 'waiting' : 'failed'} /> {lease.used === 'declined' ? 'used by somebody else' : lease.used}
                    </span>
                  </td>
                  <td>{age(new Date(now.value).toISOString(), Date.parse(lease.until))}</td>
                  <td>
                    <NodeLink node={lease.node} name={lease.name} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
