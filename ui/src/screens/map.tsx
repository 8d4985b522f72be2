// The map of the fleet: one canvas, a cell a machine, always in the same place.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get, part } from '../api/http.ts';
import type { FleetMap, Page, Row } from '../api/shapes.ts';
import { age, number, plural } from '../format.ts';
import { State } from '../parts/marks.tsx';
import { say } from '../parts/notices.tsx';
import { go, href } from '../router.ts';
import { type Cell, type Layout, cellAt, layout, lookAt, places, step } from '../runs.ts';
import { everything, selection } from '../selection.ts';
import { repaint } from '../settings.ts';
import type { Look } from '../api/states.ts';

const ROOM = 560;
const LEAST_FAILED = 5;
/** A page of the list of nodes. */
const MOST_BY_DRAGGING = 1_000;

/** A query of several parts. */
export function both(...parts: (string | null | undefined)[]): string {
  return parts.filter((one) => one !== null && one !== undefined && one !== '').join(' ');
}

function colours(): Record<Look, string> & { text: string; faint: string; back: string; focus: string } {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    ready: of('--ready'),
    in_use: of('--in-use'),
    working: of('--working'),
    waiting: of('--waiting'),
    held: of('--held'),
    failed: of('--failed'),
    text: of('--text'),
    faint: of('--faint'),
    back: of('--panel'),
    focus: of('--focus'),
  };
}

export function groupName(name: string | null): string {
  return name === null || name === '' ? '(none)' : name;
}

export function FleetPicture({ map, q }: { map: FleetMap; q: string }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState<Cell | null>(null);
  const [drag, setDrag] = useState<{ from: Cell; to: Cell } | null>(null);
  const row = useRowAt(map, q, at);
  const plan = width === 0 ? null : layout(map.groups, map.letters, width, ROOM);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const painted = repaint.value;
  useLayoutEffect(() => {
    if (canvas.current !== null && plan !== null) paint(canvas.current, plan, at, drag);
  }, [map, width, at, drag, painted]);

  const cellOf = (event: PointerEvent | MouseEvent): Cell | null => {
    const rect = canvas.current?.getBoundingClientRect();
    if (rect === undefined || plan === null) return null;
    return cellAt(plan, event.clientX - rect.left, event.clientY - rect.top);
  };
  const open = () => {
    if (row !== undefined) go(href(['nodes', row.name ?? row.uuid]));
  };
  const finish = async () => {
    if (drag === null) return;
    setDrag(null);
    const block = plan?.blocks[drag.from.block];
    const [low, high] = [Math.min(drag.from.index, drag.to.index), Math.max(drag.from.index, drag.to.index)];
    if (block === undefined || drag.from.block !== drag.to.block) return;
    if (low === high) return open();
    const filter = both(q, block.group.q);
    const page = await get<Page>(`/corten/v1/nodes?fields=uuid,name&sort=name&limit=${Math.min(MOST_BY_DRAGGING, high - low + 1)}&offset=${low}&q=${part(filter)}`);
    if (high - low >= MOST_BY_DRAGGING) say(`Only the first ${plural(MOST_BY_DRAGGING, 'node')} are selected.`);
    everything.value = null;
    selection.value = new Map(page.nodes.map((node) => [node.uuid, node.name ?? node.uuid]));
    go(href(['nodes'], { q: filter }));
  };

  const place = plan !== null && at !== null ? places(plan, at) : null;
  const block = at === null ? undefined : plan?.blocks[at.block];
  const run = block === undefined || at === null ? undefined : lookAt(block, at.index);
  return (
    <div
      class="map"
      ref={box}
      tabIndex={0}
      role="application"
      aria-label={`Map of ${number(map.total)} nodes. Arrow keys move, Enter opens a node, t shows a table.`}
      onKeyDown={(event) => {
        if (plan === null || plan.blocks.length === 0) return;
        if (event.key === 'Enter') open();
        else if (event.key === 'Escape') setAt(null);
        else if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') {
          setAt(at === null ? { block: 0, index: 0 } : step(plan, at, event.key));
        } else return;
        event.preventDefault();
      }}
      onBlur={() => setAt(null)}
    >
      <canvas
        ref={canvas}
        class="map-canvas"
        aria-hidden="true"
        onPointerMove={(event) => {
          const cell = cellOf(event);
          if (drag !== null && cell !== null && cell.block === drag.from.block) setDrag({ ...drag, to: cell });
          if (cell?.block !== at?.block || cell?.index !== at?.index) setAt(cell);
        }}
        onPointerLeave={() => {
          setAt(null);
          setDrag(null);
        }}
        onPointerDown={(event) => {
          const cell = cellOf(event);
          if (cell !== null && event.button === 0) setDrag({ from: cell, to: cell });
        }}
        onPointerUp={() => void finish()}
      />
      {place !== null && run !== undefined && plan !== null && (
        <div class="map-tip" role="status" style={{ left: `${Math.max(0, Math.min(place.x, width - 250))}px`, top: `${place.y + plan.cell + 6}px` }}>
          {row === undefined ? (
            <span class="faint">{run.look.replace('_', ' ')} …</span>
          ) : (
            <>
              <strong>{row.name ?? row.uuid}</strong>
              <State state={row.provision_state} target={row.target_provision_state} maintenance={row.maintenance} />
              <span class="faint">since {age(row.provision_updated_at)}</span>
              {row.cause !== null && <span class="map-cause">{row.cause.sentence}</span>}
            </>
          )}
        </div>
      )}
    </div>
  );
}

/** The node behind a cell, asked for when the pointer rests. */
function useRowAt(map: FleetMap, q: string, at: Cell | null): Row | undefined {
  const [row, setRow] = useState<{ key: string; row: Row | undefined }>({ key: '', row: undefined });
  const group = at === null ? undefined : map.groups[at.block];
  const key = group === undefined || at === null ? '' : `${at.block}/${at.index}/${map.cursor}`;
  useEffect(() => {
    if (group === undefined || at === null) return undefined;
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      get<Page>(`/corten/v1/nodes?sort=name&limit=1&offset=${at.index}&q=${part(both(q, group.q))}`, abort.signal).then(
        (page) => setRow({ key, row: page.nodes[0] }),
        () => undefined,
      );
    }, 60);
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return row.key === key ? row.row : undefined;
}

function paint(canvas: HTMLCanvasElement, plan: Layout, at: Cell | null, drag: { from: Cell; to: Cell } | null): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(plan.width * scale);
  canvas.height = Math.round(plan.height * scale);
  canvas.style.width = `${plan.width}px`;
  canvas.style.height = `${plan.height}px`;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const colour = colours();
  context.scale(scale, scale);
  context.clearRect(0, 0, plan.width, plan.height);
  context.textBaseline = 'middle';
  const pitch = plan.cell + plan.gap;
  for (const block of plan.blocks) {
    label(context, plan, block, colour);
    const last: (() => void)[] = [];
    for (const run of block.runs) {
      context.fillStyle = colour[run.look];
      for (let index = run.start; index < run.start + run.count; ) {
        const column = index % plan.columns;
        const many = plan.gap === 0 ? Math.min(run.start + run.count - index, plan.columns - column) : 1;
        const x = plan.left + column * pitch;
        const y = block.y + Math.floor(index / plan.columns) * pitch;
        if (run.look === 'failed' && plan.cell < LEAST_FAILED) {
          // Drawn last and larger: what failed is never lost among its neighbours.
          for (let one = 0; one < many; one += 1) {
            last.push(() => {
              context.fillStyle = colour.back;
              context.fillRect(x + one * pitch - 2, y - 2, LEAST_FAILED + 2, LEAST_FAILED + 2);
              context.fillStyle = colour.failed;
              context.fillRect(x + one * pitch - 1, y - 1, LEAST_FAILED, LEAST_FAILED);
            });
          }
        } else if (plan.cell >= 6) {
          context.beginPath();
          context.roundRect(x, y, plan.cell, plan.cell, plan.cell >= 10 ? 3 : 1.5);
          context.fill();
          if (run.look === 'failed' && plan.cell >= 8) cross(context, x, y, plan.cell, colour.back);
          if (run.aside) hatch(context, x, y, plan.cell, colour.back);
        } else {
          context.fillRect(x, y, plan.gap === 0 ? many * pitch : plan.cell, plan.cell);
          if (run.aside && plan.cell >= 4) {
            context.fillStyle = colour.back;
            context.fillRect(x + 1, y + 1, plan.cell - 2, plan.cell - 2);
            context.fillStyle = colour[run.look];
          }
        }
        index += many;
      }
    }
    for (const draw of last) draw();
  }
  context.strokeStyle = colour.focus;
  context.lineWidth = 2;
  if (drag !== null && drag.from.block === drag.to.block) {
    const [low, high] = [Math.min(drag.from.index, drag.to.index), Math.max(drag.from.index, drag.to.index)];
    for (let index = low; index <= high && high - low < 4_000; index += 1) outline(context, plan, { block: drag.from.block, index });
  }
  if (at !== null) outline(context, plan, at);
}

function outline(context: CanvasRenderingContext2D, plan: Layout, cell: Cell): void {
  const { x, y } = places(plan, cell);
  context.strokeRect(x - 1.5, y - 1.5, plan.cell + 3, plan.cell + 3);
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, size: number, colour: string): void {
  const inset = size * 0.3;
  context.strokeStyle = colour;
  context.lineWidth = size >= 12 ? 2 : 1.4;
  context.beginPath();
  context.moveTo(x + inset, y + inset);
  context.lineTo(x + size - inset, y + size - inset);
  context.moveTo(x + size - inset, y + inset);
  context.lineTo(x + inset, y + size - inset);
  context.stroke();
}

function hatch(context: CanvasRenderingContext2D, x: number, y: number, size: number, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(x, y, size, size);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.4;
  for (let offset = -size; offset < size; offset += 4) {
    context.beginPath();
    context.moveTo(x + offset, y + size);
    context.lineTo(x + offset + size, y);
    context.stroke();
  }
  context.restore();
}

function label(context: CanvasRenderingContext2D, plan: Layout, block: Layout['blocks'][number], colour: ReturnType<typeof colours>): void {
  const y = plan.left === 0 ? block.y - 10 : block.y + Math.max(plan.cell, 14) / 2;
  const room = plan.left === 0 ? plan.width - 70 : plan.left - 76;
  context.fillStyle = colour.text;
  context.font = '600 13px system-ui, sans-serif';
  let name = groupName(block.group.name);
  while (name.length > 2 && context.measureText(name).width > room) name = name.slice(0, -2) + '…';
  context.fillText(name, 0, y);
  const from = context.measureText(name).width + 8;
  context.fillStyle = colour.faint;
  context.font = '13px system-ui, sans-serif';
  context.fillText(number(block.group.total), from, y);
}
