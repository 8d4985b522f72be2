// The field for filters: completes keys and values with their counts, and shows where a query is not
// understood and what was probably meant.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type ApiError, get, part } from '../api/http.ts';
import type { Fleet, QueryError } from '../api/shapes.ts';
import { Button } from '../parts/base.tsx';
import { Icon } from '../parts/marks.tsx';
import { KEYS, at, offers, replaced } from '../query.ts';

const WAIT_MS = 200;

export function queryError(error: ApiError | undefined): QueryError | null {
  const body = error?.body;
  if (typeof body !== 'object' || body === null) return null;
  const found = (body as { query_error?: QueryError }).query_error;
  return found ?? null;
}

export function QueryInput({ q, onQuery, error }: { q: string; onQuery: (q: string) => void; error: ApiError | undefined }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  const [caret, setCaret] = useState(0);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [known, setKnown] = useState<{ name: string | null; total: number }[]>([]);
  const timer = useRef<number | undefined>(undefined);
  const sent = useRef(q);

  if (q !== sent.current) {
    sent.current = q;
    if (text !== q) setText(q);
  }

  const key = at(text, caret).key;
  const by = key === null ? undefined : (KEYS[key]?.by ?? (key.startsWith('extra.') ? key : undefined));
  useEffect(() => {
    setKnown([]);
    if (!open || by === undefined) return undefined;
    const abort = new AbortController();
    get<Fleet>(`/corten/v1/fleet?by=${part(by)}`, abort.signal).then(
      (fleet) => setKnown([...fleet.groups].sort((a, b) => b.total - a.total)),
      () => undefined,
    );
    return () => abort.abort();
  }, [by, open]);

  const apply = (next: string) => {
    window.clearTimeout(timer.current);
    sent.current = next.trim();
    onQuery(next.trim());
  };
  const change = (next: string, place: number) => {
    setText(next);
    setCaret(place);
    setChosen(-1);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => apply(next), WAIT_MS);
  };
  const list = open ? offers(text, caret, known) : [];
  const pick = (index: number) => {
    const offer = list[index];
    if (offer === undefined) return;
    const next = replaced(text, caret, offer);
    setText(next.query);
    setCaret(next.caret);
    setChosen(-1);
    if (offer.done) apply(next.query);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(next.caret, next.caret);
    });
  };
  const wrong = queryError(error);

  return (
    <div class="query">
      <div class="query-box">
        <Icon name="search" />
        <input
          ref={input}
          id="query"
          class="query-input"
          role="combobox"
          aria-label="Filter nodes"
          aria-expanded={list.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={wrong !== null}
          autocomplete="off"
          spellcheck={false}
          maxLength={1000}
          placeholder="Filter: state:failed class:gpu -maint:yes age>1h"
          value={text}
          onInput={(event) => change(event.currentTarget.value, event.currentTarget.selectionStart ?? 0)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, list.length - 1));
            else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, -1));
            else if (event.key === 'Tab' && chosen >= 0) pick(chosen);
            else if (event.key === 'Enter') {
              if (chosen >= 0) pick(chosen);
              else {
                apply(text);
                input.current?.blur();
                document.getElementById('nodes')?.focus();
              }
            } else if (event.key === 'Escape') {
              if (chosen >= 0) setChosen(-1);
              else if (text !== '') {
                setText('');
                apply('');
              } else input.current?.blur();
            } else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        {text !== '' && (
          <button
            type="button"
            class="icon-button"
            aria-label="Clear the filter"
            onClick={() => {
              setText('');
              apply('');
              input.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <ul class="offers" id={`${id}-list`} role="listbox" aria-label="Completions" hidden={list.length === 0}>
        {list.map((offer, index) => (
          <li
            key={offer.label}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="offer"
            onPointerDown={(event) => {
              event.preventDefault();
              pick(index);
            }}
          >
            <span>{offer.label}</span>
            <span class="faint">{offer.about}</span>
          </li>
        ))}
      </ul>
      {wrong !== null && (
        <p class="query-wrong" role="alert">
          <code>
            {q.slice(0, wrong.start)}
            <mark>{q.slice(wrong.start, wrong.end)}</mark>
            {q.slice(wrong.end)}
          </code>{' '}
          {wrong.text}
          {wrong.suggestion !== null && (
            <Button small kind="quiet" onClick={() => apply(q.slice(0, wrong.start) + (wrong.suggestion ?? '') + q.slice(wrong.end))}>
              Use {wrong.suggestion}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
