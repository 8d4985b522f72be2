// What happened to a node before, and the document as it is.

import { useState } from 'preact/hooks';
import { part } from '../api/http.ts';
import type { Node } from '../api/shapes.ts';
import { useDoc } from '../doc.ts';
import { Clock, Copy, Empty, Loaded, Panel } from '../parts/base.tsx';

interface Entry {
  uuid: string;
  created_at: string;
  severity: string;
  event: string;
  event_type?: string;
  user?: string | null;
  conductor?: string;
}

export function HistoryTab({ node }: { node: Node }) {
  const doc = useDoc<{ history: Entry[] }>(`/v1/nodes/${part(node.uuid)}/history?detail=True`, { on: (event) => event.node === node.uuid, atMost: 2_000 });
  const [only, setOnly] = useState('all');
  const [filter, setFilter] = useState('');
  return (
    <Panel
      title="History"
      level={3}
      actions={
        <>
          <select class="select" aria-label="Severity" value={only} onChange={(event) => setOnly(event.currentTarget.value)}>
            <option value="all">all</option>
            <option value="ERROR">errors</option>
            <option value="INFO">information</option>
          </select>
          <input class="input filter" aria-label="Filter history" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </>
      }
    >
      <Loaded doc={doc} lines={6}>
        {(data) => {
          const wanted = filter.toLowerCase();
          const shown = data.history.filter((entry) => (only === 'all' || entry.severity === only) && entry.event.toLowerCase().includes(wanted)).reverse();
          if (shown.length === 0) return <Empty title={data.history.length === 0 ? 'Nothing happened yet' : 'No entry matches'} />;
          return (
            <div class="scroll-x">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">at</th>
                    <th scope="col">severity</th>
                    <th scope="col">what</th>
                    <th scope="col">who</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((entry) => (
                    <tr key={entry.uuid}>
                      <td class="nowrap">
                        <Clock at={entry.created_at} />
                      </td>
                      <td class={entry.severity === 'ERROR' ? 'wrong' : 'faint'}>{entry.severity.toLowerCase()}</td>
                      <td class="wrap">{entry.event}</td>
                      <td>{entry.user ?? entry.conductor ?? ''}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

export function JsonTab({ node }: { node: Node }) {
  const text = JSON.stringify(node, null, 2);
  return (
    <Panel title={`GET /v1/nodes/${node.uuid}`} level={3} actions={<Copy text={text} label="Copy the document" />}>
      <pre class="json" tabIndex={0}>{text}</pre>
    </Panel>
  );
}
