// The columns of the node list.

import type { ComponentChildren } from 'preact';
import type { Row } from '../api/shapes.ts';
import { signal } from '@preact/signals';
import { Age, Meter } from '../parts/base.tsx';
import { Icon, State } from '../parts/marks.tsx';
import { href } from '../router.ts';

export interface Column {
  key: string;
  label: string;
  /** Track of the grid. */
  width: string;
  /** The word of `sort`. */
  sort?: string;
  cell: (row: Row) => ComponentChildren;
}

/** How far operations are that tell it, in percent by UUID. */
export const progress = signal<Map<string, number>>(new Map());

function Progress({ row }: { row: Row }) {
  const share = progress.value.get(row.uuid);
  return share === undefined ? null : <Meter value={share} label={`${row.name ?? row.uuid}: ${Math.round(share)} %`} />;
}

const faint = <span class="faint">–</span>;

export const COLUMNS: Column[] = [
  {
    key: 'name',
    label: 'name',
    width: 'minmax(140px, 1.2fr)',
    sort: 'name',
    cell: (row) => (
      <>
        <a class="node-link" tabIndex={-1} href={href(['nodes', row.name ?? row.uuid])}>
          {row.name ?? row.uuid}
        </a>
        {row.reservation !== null && (
          <span class="lock" title={`${row.reservation} works on it`}>
            <Icon name="lock" />
            <span class="hidden-text">locked by {row.reservation}</span>
          </span>
        )}
      </>
    ),
  },
  {
    key: 'state',
    label: 'state',
    width: 'minmax(200px, 1.5fr)',
    sort: 'provision_state',
    cell: (row) => (
      <>
        <State state={row.provision_state} target={row.target_provision_state} maintenance={row.maintenance} />
        <Progress row={row} />
      </>
    ),
  },
  { key: 'since', label: 'in state', width: '96px', sort: 'provision_updated_at', cell: (row) => <Age at={row.provision_updated_at} /> },
  { key: 'power', label: 'power', width: '76px', sort: 'power_state', cell: (row) => row.power_state?.replace('power ', '') ?? faint },
  { key: 'class', label: 'class', width: 'minmax(90px, .7fr)', sort: 'resource_class', cell: (row) => row.resource_class ?? faint },
  { key: 'driver', label: 'driver', width: '120px', sort: 'driver', cell: (row) => row.driver },
  { key: 'conductor', label: 'conductor', width: '110px', sort: 'conductor', cell: (row) => row.conductor ?? faint },
  { key: 'group', label: 'conductor group', width: '130px', sort: 'conductor_group', cell: (row) => (row.conductor_group === '' ? faint : row.conductor_group) },
  { key: 'owner', label: 'owner', width: '130px', sort: 'owner', cell: (row) => row.owner ?? faint },
  { key: 'lessee', label: 'lessee', width: '130px', sort: 'lessee', cell: (row) => row.lessee ?? faint },
  { key: 'shard', label: 'shard', width: '90px', sort: 'shard', cell: (row) => row.shard ?? faint },
  { key: 'instance', label: 'instance', width: '120px', sort: 'instance_uuid', cell: (row) => (row.instance_uuid === null ? faint : <code title={row.instance_uuid}>{row.instance_uuid.slice(0, 8)}</code>) },
  {
    key: 'matter',
    label: 'what is the matter',
    width: 'minmax(200px, 2fr)',
    cell: (row) => {
      const words = row.cause?.sentence ?? row.fault ?? (row.retired ? 'retired' : null);
      return words === null ? '' : <span title={words}>{words}</span>;
    },
  },
];
