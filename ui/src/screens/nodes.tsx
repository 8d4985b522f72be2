// The list of nodes: filter, sort, views, columns, selection, and what to do with the selected.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get, part } from '../api/http.ts';
import type { Fleet, Page, Row, Work } from '../api/shapes.ts';
import { useDoc } from '../doc.ts';
import { number, percent, plural } from '../format.ts';
import { useKeys } from '../keys.ts';
import { Button, Empty, Failed, Skeleton } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { reveal, sight } from '../parts/list.ts';
import { Icon } from '../parts/marks.tsx';
import { Menu } from '../parts/menu.tsx';
import { complain, say } from '../parts/notices.tsx';
import { go, href, query, setQuery } from '../router.ts';
import { type Rows, useRows } from '../rows.ts';
import { clearSelection, everything, selection } from '../selection.ts';
import { type View, columns, views } from '../settings.ts';
import { curl, quoted } from '../verbs.ts';
import { MOST } from '../bulk.ts';
import { BulkBar } from './bulk.tsx';
import { COLUMNS, type Column, progress } from './columns.tsx';
import { saveCsv } from './csv.ts';
import { QueryInput, queryError } from './query-input.tsx';

const ROW = 30;
const NARROW_ROW = 56;

const BUILT_IN = [
  { name: 'All', q: '' },
  { name: 'Failed', q: 'state:failed' },
  { name: 'Waiting too long', q: 'state:waiting age>15m' },
  { name: 'Maintenance', q: 'maint:yes' },
];

export function Nodes() {
  const q = query.value.get('q') ?? '';
  const sort = query.value.get('sort') ?? 'name';
  const rows = useRows(q, sort);
  const fleet = useDoc<Fleet>('/corten/v1/fleet', { every: 10_000 });
  const work = useDoc<Work>('/corten/v1/work', { every: 2_000 });
  useEffect(() => {
    const told = (work.data.value?.operations ?? []).filter((one) => one.progress?.bytes != null && one.progress.total != null);
    progress.value = new Map(told.map((one) => [one.node, percent(one.progress?.bytes ?? 0, one.progress?.total ?? 0)]));
  }, [work.data.value]);
  const all = fleet.data.value?.total;
  useHidden(q);
  const wrong = queryError(rows.error);
  return (
    <div class="nodes">
      <div class="nodes-head">
        <h1 class="hidden">Nodes</h1>
        <QueryInput q={q} onQuery={(next) => setQuery({ q: next })} error={rows.error} />
        <div class="nodes-tools">
          <Views q={q} sort={sort} counts={fleet.data.value} />
          <span class="nodes-count" role="status">
            {rows.total !== undefined && (q === '' ? plural(rows.total, 'node') : `${number(rows.total)} of ${all === undefined ? '…' : number(all)}`)}
          </span>
          <Tools q={q} sort={sort} />
        </div>
      </div>
      {rows.error !== undefined && rows.total === undefined && wrong === null ? (
        <Failed error={rows.error} />
      ) : rows.total === undefined ? (
        wrong === null && <Skeleton lines={12} />
      ) : rows.total === 0 ? (
        <Empty title={q === '' ? 'No machines yet' : 'No node matches'}>
          {q === '' ? (
            <a class="button button-main" href={href(['enrol'])}>
              Enrol machines
            </a>
          ) : (
            <Button onClick={() => setQuery({ q: null })}>Clear the filter</Button>
          )}
        </Empty>
      ) : (
        <List rows={rows} q={q} sort={sort} />
      )}
      <BulkBar q={q} total={rows.total ?? 0} selectAll={() => void selectAll(q)} />
    </div>
  );
}

/** Takes nodes that a new filter hides out of the selection. */
function useHidden(q: string): void {
  const before = useRef(q);
  useEffect(() => {
    if (before.current === q) return;
    before.current = q;
    if (everything.value !== null) {
      clearSelection();
      say('Nothing is selected any more: the filter is another one.');
    }
    const chosen = [...selection.value];
    if (chosen.length === 0 || q === '') return;
    const ask = async () => {
      const kept = new Map<string, string>();
      for (let at = 0; at < chosen.length; at += 20) {
        const some = chosen.slice(at, at + 20);
        const page = await get<Page>(`/corten/v1/nodes?fields=uuid&limit=20&q=${part(`${q} uuid:${some.map(([uuid]) => uuid).join(',')}`)}`);
        const found = new Set(page.nodes.map((node) => node.uuid));
        for (const [uuid, name] of some) if (found.has(uuid)) kept.set(uuid, name);
      }
      if (kept.size < chosen.length) {
        selection.value = kept;
        say(`${plural(chosen.length - kept.size, 'node')} left the selection: the filter hides them.`);
      }
    };
    ask().catch(() => (selection.value = new Map()));
  }, [q]);
}

async function selectAll(q: string): Promise<void> {
  try {
    const chosen = new Map<string, string>();
    for (let offset = 0; ; offset += 1000) {
      const page = await get<Page>(`/corten/v1/nodes?fields=uuid,name&limit=1000&offset=${offset}&q=${part(q)}`);
      if (page.total > MOST) {
        selection.value = new Map();
        everything.value = { q, total: page.total };
        say(`${plural(page.total, 'node')} selected.`);
        return;
      }
      for (const node of page.nodes) chosen.set(node.uuid, node.name ?? node.uuid);
      if (page.nodes.length === 0 || chosen.size >= page.total) break;
    }
    selection.value = chosen;
    say(`${plural(chosen.size, 'node')} selected.`);
  } catch (error) {
    complain('The nodes could not be selected', error);
  }
}

function Views({ q, sort, counts }: { q: string; sort: string; counts: Fleet | undefined }) {
  const shown: View[] = [...BUILT_IN, ...views.value];
  const known = shown.some((view) => view.q === q);
  return (
    <div class="views" role="group" aria-label="Views">
      {shown.map((view) => (
        <a key={view.name} class="view" href={href(['nodes'], { q: view.q, sort: view.sort })} aria-current={view.q === q ? 'true' : undefined}>
          {view.name}
          {view.q === 'state:failed' && counts !== undefined && counts.looks.failed > 0 && <span class="count count-failed">{number(counts.looks.failed)}</span>}
          {view.q === 'maint:yes' && counts !== undefined && counts.maintenance > 0 && <span class="count">{number(counts.maintenance)}</span>}
        </a>
      ))}
      {!known && q !== '' && (
        <Button
          small
          kind="quiet"
          onClick={() => {
            const name = q.length > 24 ? q.slice(0, 23) + '…' : q;
            views.value = [...views.value, sort === 'name' ? { name, q } : { name, q, sort }];
            say('The view is saved in this browser.');
          }}
        >
          <Icon name="plus" /> Save view
        </Button>
      )}
      {views.value.some((view) => view.q === q) && (
        <Button small kind="quiet" onClick={() => (views.value = views.value.filter((view) => view.q !== q))}>
          Forget view
        </Button>
      )}
    </div>
  );
}

function Tools({ q, sort }: { q: string; sort: string }) {
  const toggle = (key: string) => {
    const on = columns.value.includes(key);
    columns.value = on ? columns.value.filter((one) => one !== key) : COLUMNS.map((one) => one.key).filter((one) => one === key || columns.value.includes(one));
  };
  const where = q === '' ? '' : ` --where ${quoted(q)}`;
  return (
    <div class="tools">
      <span class="wide-only">
        <Menu
          right
          kind="quiet"
          label="Columns"
          choices={COLUMNS.filter((column) => column.key !== 'name').map((column) => ({ label: column.label, checked: columns.value.includes(column.key), onPick: () => toggle(column.key) }))}
        />
      </span>
      <Button small kind="quiet" onClick={() => void saveCsv(q, sort)}>
        <Icon name="download" /> CSV
      </Button>
      <Button
        small
        kind="quiet"
        onClick={() => {
          void navigator.clipboard?.writeText(location.href).then(() => say('The link is copied.'));
        }}
      >
        <Icon name="link" /> Link
      </Button>
      <ShowCommand commands={{ corten: `corten node list${where}`, curl: curl('GET', `/corten/v1/nodes?q=${part(q)}&sort=${part(sort)}`) }} />
      <a class="button button-small" href={href(['enrol'])}>
        <Icon name="plus" /> Enrol
      </a>
    </div>
  );
}

function List({ rows, q, sort }: { rows: Rows; q: string; sort: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [size, setSize] = useState({ height: 600, narrow: false });
  const [at, show] = useState(0);
  // Keys that follow each other quickly come before the next drawing.
  const current = useRef(0);
  const setAt = (next: number) => {
    current.current = next;
    show(next);
  };
  const total = rows.total ?? 0;
  const row = size.narrow ? NARROW_ROW : ROW;
  const seen = sight(top, size.height, row, total);
  const shown: Column[] = COLUMNS.filter((column) => column.key === 'name' || columns.value.includes(column.key));
  const template = `36px ${shown.map((column) => column.width).join(' ')}`;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = () => setSize({ height: element.clientHeight, narrow: element.clientWidth < 700 });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => rows.see(seen), [seen.first, seen.end, q, sort, rows.version]);
  useEffect(() => {
    setAt(0);
    scroller.current?.scrollTo(0, 0);
  }, [q, sort]);

  const move = (step: number, select: boolean) => {
    const next = Math.max(0, Math.min(total - 1, current.current + step));
    if (select) {
      mark(current.current, true);
      mark(next, true);
    }
    setAt(next);
    const to = reveal(next, scroller.current?.scrollTop ?? 0, size.height - ROW, row);
    if (to !== null) scroller.current?.scrollTo(0, to);
    scroller.current?.focus({ preventScroll: true });
  };
  const mark = (index: number, on?: boolean) => {
    const one = rows.at(index);
    if (one === undefined) return;
    if (everything.value !== null) {
      clearSelection();
      say('Nothing is selected any more. To leave some out, filter, and select all that match.');
      return;
    }
    const next = new Map(selection.value);
    if (on ?? !next.has(one.uuid)) next.set(one.uuid, one.name ?? one.uuid);
    else next.delete(one.uuid);
    selection.value = next;
  };
  const open = () => {
    const one = rows.at(current.current);
    if (one !== undefined) go(href(['nodes', one.name ?? one.uuid]));
  };
  useKeys([
    { keys: '/', about: 'filter', run: () => document.getElementById('query')?.focus() },
    { keys: 'j', about: 'next node', run: () => move(1, false) },
    { keys: 'k', about: 'node before', run: () => move(-1, false) },
    { keys: 'ArrowDown', about: 'next node', run: () => move(1, false) },
    { keys: 'ArrowUp', about: 'node before', run: () => move(-1, false) },
    { keys: 'J', about: 'select and go down', run: () => move(1, true) },
    { keys: 'K', about: 'select and go up', run: () => move(-1, true) },
    { keys: 'PageDown', about: 'a page down', run: () => move(Math.floor(size.height / row), false) },
    { keys: 'PageUp', about: 'a page up', run: () => move(-Math.floor(size.height / row), false) },
    { keys: 'Home', about: 'first node', run: () => move(-total, false) },
    { keys: 'End', about: 'last node', run: () => move(total, false) },
    { keys: 'x', about: 'select this node', run: () => mark(current.current) },
    { keys: 'Enter', about: 'open this node', run: (event) => (event.target instanceof HTMLAnchorElement || event.target instanceof HTMLButtonElement ? event.target.click() : open()) },
    { keys: 'Escape', about: 'clear the selection', run: clearSelection },
  ]);

  const sorted = (column: Column) => (sort === column.sort ? 'ascending' : sort === `-${column.sort}` ? 'descending' : 'none');
  const indices: number[] = [];
  for (let index = seen.first; index < seen.end; index += 1) indices.push(index);
  return (
    <div
      class={`grid${size.narrow ? ' grid-narrow' : ''}`}
      id="nodes"
      ref={scroller}
      tabIndex={0}
      role="grid"
      aria-label="Nodes"
      aria-rowcount={total + 1}
      aria-multiselectable="true"
      aria-activedescendant={at >= seen.first && at < seen.end ? `node-${at}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        <span role="columnheader" class="hidden-text">
          select
        </span>
        {shown.map((column) => (
          <span role="columnheader" key={column.key} aria-sort={column.sort === undefined ? undefined : sorted(column)}>
            {column.sort === undefined ? (
              column.label
            ) : (
              <button type="button" class="sort" tabIndex={-1} onClick={() => setQuery({ sort: sort === column.sort ? `-${column.sort}` : column.sort === 'name' ? null : (column.sort ?? null) })}>
                {column.label}
                {sorted(column) !== 'none' && <Icon name={sorted(column) === 'ascending' ? 'up' : 'down'} />}
              </button>
            )}
          </span>
        ))}
      </div>
      <div class="grid-body" role="rowgroup" style={{ height: `${total * row}px` }}>
        {indices.map((index) => (
          <GridRow
            key={index}
            index={index}
            row={rows.at(index)}
            shown={shown}
            template={template}
            top={index * row}
            height={row}
            active={index === at}
            narrow={size.narrow}
            onMark={() => mark(index)}
            onClick={() => setAt(index)}
          />
        ))}
      </div>
    </div>
  );
}

interface GridRowProps {
  index: number;
  row: Row | undefined;
  shown: Column[];
  template: string;
  top: number;
  height: number;
  active: boolean;
  narrow: boolean;
  onMark: () => void;
  onClick: () => void;
}

function GridRow({ index, row, shown, template, top, height, active, narrow, onMark, onClick }: GridRowProps) {
  const chosen = row !== undefined && (everything.value !== null || selection.value.has(row.uuid));
  const style = narrow ? { top: `${top}px`, height: `${height}px` } : { top: `${top}px`, height: `${height}px`, gridTemplateColumns: template };
  return (
    <div
      class={`grid-row${active ? ' grid-active' : ''}${chosen ? ' grid-chosen' : ''}`}
      role="row"
      id={`node-${index}`}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      style={style}
      onClick={onClick}
    >
      <span role="gridcell" class="grid-check">
        {row !== undefined && (
          <label class="check">
            <input type="checkbox" tabIndex={-1} checked={chosen} onChange={onMark} aria-label={`Select ${row.name ?? row.uuid}`} />
          </label>
        )}
      </span>
      {row === undefined ? (
        <span role="gridcell" class="grid-loading" />
      ) : (
        shown.map((column) => (
          <span role="gridcell" key={column.key} class={`cell cell-${column.key}`}>
            {column.cell(row)}
          </span>
        ))
      )}
    </div>
  );
}
