// The palette: type a few letters, get to any node, screen, view or verb.

import { useEffect, useRef, useState } from 'preact/hooks';
import { get, part } from './api/http.ts';
import type { Page, Row } from './api/shapes.ts';
import { palette } from './keys.ts';
import { Dialog } from './parts/dialog.tsx';
import { State } from './parts/marks.tsx';
import { go, href, path } from './router.ts';
import { views } from './settings.ts';
import { ALL_SCREENS } from './shell.tsx';
import { ACTIONS } from './verbs.ts';

interface Found {
  id: string;
  kind: string;
  label: string;
  row?: Row;
  run: () => void;
}

/** Words as they stand in a query: quoted where they have spaces. */
function word(text: string): string {
  return /[\s:"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text;
}

export function Palette() {
  const [typed, type] = useState('');
  const [nodes, setNodes] = useState<Row[]>([]);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const close = () => (palette.value = false);

  useEffect(() => {
    const wanted = typed.trim();
    setAt(0);
    if (wanted === '') {
      setNodes([]);
      return undefined;
    }
    const abort = new AbortController();
    const timer = window.setTimeout(() => {
      get<Page>(`/corten/v1/nodes?limit=8&q=${part(word(wanted))}`, abort.signal).then(
        (page) => setNodes(page.nodes),
        () => setNodes([]),
      );
    }, 120);
    return () => {
      window.clearTimeout(timer);
      abort.abort();
    };
  }, [typed]);

  const wanted = typed.trim().toLowerCase();
  const fits = (label: string) => wanted === '' || label.toLowerCase().includes(wanted);
  const node = path.value[0] === 'nodes' ? path.value[1] : undefined;
  const found: Found[] = [
    ...nodes.map((row) => ({ id: row.uuid, kind: 'Node', label: row.name ?? row.uuid, row, run: () => go(href(['nodes', row.name ?? row.uuid])) })),
    ...(node === undefined
      ? []
      : ACTIONS.filter((action) => fits(action.label)).map((action) => ({
          id: `verb-${action.verb}`,
          kind: 'Verb',
          label: `${action.label} ${node}`,
          run: () => go(href(['nodes', node], { do: action.verb })),
        }))),
    ...ALL_SCREENS.filter((screen) => fits(screen.label)).map((screen) => ({
      id: `screen-${screen.word}`,
      kind: 'Screen',
      label: screen.label,
      run: () => go(href(screen.word === '' ? [] : [screen.word])),
    })),
    ...views.value.filter((view) => fits(view.name)).map((view) => ({
      id: `view-${view.name}`,
      kind: 'View',
      label: view.name,
      run: () => go(href(['nodes'], { q: view.q, sort: view.sort })),
    })),
    ...(wanted === '' ? [] : [{ id: 'search', kind: 'Filter', label: `Nodes that match ${typed.trim()}`, run: () => go(href(['nodes'], { q: typed.trim() })) }]),
  ];
  const chosen = Math.min(at, found.length - 1);
  const pick = (one: Found | undefined) => {
    if (one === undefined) return;
    close();
    one.run();
  };
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  return (
    <Dialog title="Find" onClose={close} class="palette">
      <input
        class="input palette-input"
        placeholder="Name, MAC, address, screen or verb"
        aria-label="Find"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] === undefined ? undefined : `palette-${chosen}`}
        autofocus
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, found.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
          else if (event.key === 'Enter') pick(found[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul class="palette-list" role="listbox" id="palette-list" aria-label="Found" ref={list}>
        {found.map((one, index) => (
          <li
            key={one.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="palette-row"
            onMouseMove={() => setAt(index)}
            onClick={() => pick(one)}
          >
            <span class="palette-kind">{one.kind}</span>
            <span class="palette-label">{one.label}</span>
            {one.row !== undefined && <State state={one.row.provision_state} maintenance={one.row.maintenance} />}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="faint palette-none">Nothing has this in its name.</p>}
    </Dialog>
  );
}
