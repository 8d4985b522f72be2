// One machine: where it is in its life, what is the matter, what is being done to it, and everything
// that is known about it.

import { useEffect, useRef, useState } from 'preact/hooks';
import { part } from '../api/http.ts';
import type { Diagnosis, LogEvent, Me, Node, Timeline } from '../api/shapes.ts';
import { useDoc } from '../doc.ts';
import { useKeys } from '../keys.ts';
import { Actions } from '../node/actions.tsx';
import { BmcTab } from '../node/bmc.tsx';
import { BootTab } from '../node/boot.tsx';
import { ConsoleTab } from '../node/console.tsx';
import { DeployDialog } from '../node/deploy.tsx';
import { Matter } from '../node/diagnosis.tsx';
import { HardwareTab } from '../node/hardware.tsx';
import { HistoryTab, JsonTab } from '../node/history.tsx';
import { Life } from '../node/life.tsx';
import { NetworkTab } from '../node/network.tsx';
import { OverviewTab } from '../node/overview.tsx';
import { SettingsTab } from '../node/settings.tsx';
import { Running, TimelineTab } from '../node/timeline.tsx';
import { Age, Copy, Failed, Skeleton } from '../parts/base.tsx';
import { Icon, State, lookOf } from '../parts/marks.tsx';
import { go, here, href, query, setQuery } from '../router.ts';
import { ACTIONS } from '../verbs.ts';

const TABS = [
  ['overview', 'Overview'],
  ['timeline', 'Timeline'],
  ['boot', 'Boot'],
  ['bmc', 'BMC'],
  ['hardware', 'Hardware'],
  ['settings', 'Settings'],
  ['network', 'Network'],
  ['history', 'History'],
  ['console', 'Console'],
  ['json', 'JSON'],
] as const;
type Tab = (typeof TABS)[number][0];

export interface NodeTabProps {
  node: Node;
  me: Me | undefined;
  timeline: Timeline | undefined;
  reload: () => void;
}

export function NodeScreen({ ident }: { ident: string }) {
  const mine = (event: LogEvent) => event.node === uuid.current || event.node_name === ident || event.node === ident;
  const uuid = useRef('');
  const [byUuid, readByUuid] = useState(false);
  const doc = useDoc<Node>(`/v1/nodes/${part(byUuid ? uuid.current : ident)}`, { on: mine, atMost: 400, keep: true });
  const node = doc.data.value;
  if (node !== undefined) uuid.current = node.uuid;
  const id = node?.uuid ?? null;
  const rights = useDoc<Me>(id === null ? null : `/corten/v1/me?node=${id}`);
  const look = node === undefined ? 'ready' : lookOf(node.provision_state);
  const busy = look === 'working' || look === 'waiting' || (node?.reservation ?? null) !== null;
  const timeline = useDoc<Timeline>(id === null ? null : `/corten/v1/nodes/${id}/timeline?limit=20`, { on: mine, atMost: 400, every: busy ? 1_000 : undefined });
  const diagnosis = useDoc<Diagnosis>(id === null ? null : `/corten/v1/nodes/${id}/diagnosis`, { on: mine, atMost: 800, every: busy ? 5_000 : 30_000 });
  const tab = (query.value.get('tab') ?? 'overview') as Tab;
  const turn = (step: number) => {
    // Two keys in a row come before the next drawing.
    const index = TABS.findIndex(([key]) => key === (query.peek().get('tab') ?? 'overview'));
    const next = TABS[(index + step + TABS.length) % TABS.length];
    if (next !== undefined) setQuery({ tab: next[0] === 'overview' ? null : next[0] });
  };
  useKeys([
    { keys: '[', about: 'tab before', run: () => turn(-1) },
    { keys: ']', about: 'next tab', run: () => turn(1) },
    { keys: '.', about: 'verbs of this node', run: () => document.querySelector<HTMLElement>('.verbs .button')?.focus() },
  ]);
  const isMissing = doc.error.value?.status === 404;
  useEffect(() => {
    // What is not found by its name any more may have another one.
    if (isMissing && uuid.current !== '') readByUuid(true);
  }, [isMissing]);
  useEffect(() => {
    if (byUuid && node !== undefined && node.name !== ident && node.uuid !== ident) go(here(node.name ?? node.uuid), true);
  }, [byUuid, node?.name]);
  const there = node !== undefined;
  useEffect(() => {
    // Where the tabs do not fit beside each other, the one that is open is in sight.
    document.querySelector('.tab[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab, there]);
  useEffect(() => {
    document.title = `${node?.name ?? ident} · Corten`;
    return () => {
      document.title = 'Corten';
    };
  }, [node?.name]);

  if (node === undefined) {
    const error = doc.error.value;
    return (
      <div class="stack">
        <Crumb />
        {error === undefined ? <Skeleton lines={8} /> : <Failed error={error} retry={doc.reload} />}
      </div>
    );
  }
  const gone = isMissing && byUuid;
  const props: NodeTabProps = { node, me: rights.data.value, timeline: timeline.data.value, reload: doc.reload };
  const running = timeline.data.value?.flows[0];
  const asked = ACTIONS.find((action) => action.verb === query.value.get('do') && action.asks === true);
  return (
    <div class="node">
      <header class="node-head">
        <Crumb />
        <h1 class="node-name">
          {node.name ?? node.uuid}
          <Copy text={node.uuid} label="Copy the UUID" />
        </h1>
        <State state={node.provision_state} target={node.target_provision_state} maintenance={node.maintenance} />
        <span class="faint">
          since <Age at={node.provision_updated_at} />
        </span>
        <span class="node-fact">
          <Icon name="power" /> {node.power_state ?? 'power unknown'}
          {node.target_power_state !== null && ` → ${node.target_power_state}`}
        </span>
        {node.resource_class !== null && <span class="node-fact">class {node.resource_class}</span>}
        {node.conductor !== null && <span class="node-fact">{node.conductor}</span>}
        {node.reservation !== null && (
          <span class="node-fact node-lock">
            <Icon name="lock" /> locked by {node.reservation}
          </span>
        )}
        {node.protected && <span class="chip">protected</span>}
        {node.retired && <span class="chip">retired</span>}
      </header>
      {gone && (
        <p class="banner" role="alert">
          <Icon name="warn" /> This node was deleted meanwhile. What you see is what was last known.
        </p>
      )}
      <div class={gone ? 'main-stale stack' : 'stack'}>
        <section class="panel life-panel" aria-label="Life">
          <Life node={node} />
          <Actions {...props} />
        </section>
        {diagnosis.data.value !== undefined && <Matter diagnosis={diagnosis.data.value} {...props} />}
        {running !== undefined && running.state === 'running' && <Running flow={running} />}
        <nav class="tabs" role="tablist" aria-label="About this node">
          {TABS.map(([key, label]) => (
            <a
              key={key}
              role="tab"
              id={`tab-${key}`}
              aria-selected={key === tab}
              aria-controls="tab-panel"
              tabIndex={key === tab ? 0 : -1}
              class="tab"
              href={href(['nodes', ident], { tab: key === 'overview' ? null : key })}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
                event.preventDefault();
                turn(event.key === 'ArrowRight' ? 1 : -1);
                requestAnimationFrame(() => document.querySelector<HTMLElement>('.tab[aria-selected="true"]')?.focus());
              }}
            >
              {label}
            </a>
          ))}
        </nav>
        <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} class="tab-panel">
          {tab === 'overview' && <OverviewTab {...props} />}
          {tab === 'timeline' && <TimelineTab doc={timeline} />}
          {tab === 'boot' && <BootTab node={node} busy={busy} />}
          {tab === 'bmc' && <BmcTab {...props} />}
          {tab === 'hardware' && <HardwareTab {...props} />}
          {tab === 'settings' && <SettingsTab {...props} />}
          {tab === 'network' && <NetworkTab {...props} />}
          {tab === 'history' && <HistoryTab node={node} />}
          {tab === 'console' && <ConsoleTab {...props} />}
          {tab === 'json' && <JsonTab node={node} />}
        </div>
      </div>
      {asked !== undefined && <DeployDialog action={asked} {...props} onClose={() => setQuery({ do: null })} />}
    </div>
  );
}

function Crumb() {
  return (
    <a class="crumb" href={href(['nodes'])}>
      ‹ Nodes
    </a>
  );
}
