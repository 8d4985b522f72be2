// How a machine boots: the finding on top, then a ladder of stations with the one where it stopped.

import type { Node } from '../api/shapes.ts';
import { part } from '../api/http.ts';
import { useDoc } from '../doc.ts';
import { Clock, Empty, Loaded, Panel } from '../parts/base.tsx';
import { Icon, Mark } from '../parts/marks.tsx';

interface BootEvent {
  at: string;
  last: string;
  times: number;
  port: string;
  text: string;
}

interface BootLog {
  diagnosis: { cause: string; finding: string; advice: string };
  events: BootEvent[];
}

const STATIONS = ['firmware', 'address', 'loader', 'script', 'kernel', 'ramdisk', 'agent'] as const;

/** The station at which a machine with this cause stopped; null where nothing is wrong. */
const STOPS: Record<string, (typeof STATIONS)[number]> = {
  nothing_seen: 'firmware',
  not_ours: 'firmware',
  nothing_to_boot: 'firmware',
  no_address: 'address',
  other_server: 'address',
  offer_not_taken: 'address',
  wrong_firmware: 'loader',
  loader_not_asked: 'loader',
  loader_missing: 'loader',
  loader_stalled: 'loader',
  loader_does_not_run: 'loader',
  script_not_asked: 'script',
  script_missing: 'script',
  config_not_asked: 'script',
  config_missing: 'script',
  kernel_not_asked: 'kernel',
  kernel_missing: 'kernel',
  file_stalled: 'kernel',
  ramdisk_not_asked: 'ramdisk',
  ramdisk_missing: 'ramdisk',
  agent_silent: 'agent',
};
const FINE = new Set(['booted', 'from_disk', 'under_way']);

export function BootTab({ node, busy }: { node: Node; busy: boolean }) {
  const doc = useDoc<BootLog>(`/corten/v1/nodes/${part(node.uuid)}/boot-log`, { every: busy ? 2_000 : undefined });
  const error = doc.error.value;
  if (error !== undefined && doc.data.value === undefined && error.status < 500 && error.status !== 403) {
    return <Empty title="Nothing is known about how it boots">{error.message}</Empty>;
  }
  return (
    <Loaded doc={doc} lines={6}>
      {(log) => <Boot log={log} />}
    </Loaded>
  );
}

function Boot({ log }: { log: BootLog }) {
  const { cause, finding, advice } = log.diagnosis;
  const stopped = STOPS[cause];
  const at = stopped === undefined ? (cause === 'booted' ? STATIONS.length : -1) : STATIONS.indexOf(stopped);
  return (
    <div class="stack">
      <section class={`panel matter${FINE.has(cause) ? '' : ' matter-bad'}`} aria-label="Finding">
        <div class="matter-mark">{FINE.has(cause) ? <Icon name="check" /> : <Mark look="failed" />}</div>
        <div class="matter-words">
          <h2 class="matter-cause">{finding}</h2>
          {advice !== '' && (
            <p class="matter-advice">
              <strong>What to do:</strong> {advice}
            </p>
          )}
        </div>
      </section>
      <ol class="ladder" aria-label="How far it came">
        {STATIONS.map((station, index) => (
          <li key={station} class={`rung ${index < at ? 'rung-done' : index === at ? 'rung-stop' : ''}`}>
            {index < at ? <Icon name="check" /> : index === at ? <Mark look="failed" /> : <Mark look="ready" />} {station}
          </li>
        ))}
      </ol>
      <Panel title={`Events · ${log.events.length}`}>
        {log.events.length === 0 ? (
          <p class="faint">The machine has not asked for anything.</p>
        ) : (
          <div class="scroll-x">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">at</th>
                  <th scope="col">port</th>
                  <th scope="col">what</th>
                  <th scope="col" class="num">times</th>
                </tr>
              </thead>
              <tbody>
                {log.events.map((event, index) => (
                  <tr key={index}>
                    <td>
                      <Clock at={event.at} />
                    </td>
                    <td>
                      <code>{event.port}</code>
                    </td>
                    <td>{event.text}</td>
                    <td class="num">{event.times}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    </div>
  );
}
