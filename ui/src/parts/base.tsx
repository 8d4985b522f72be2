// Small parts that every screen is made of.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type ApiError, LOST, isLost } from '../api/http.ts';
import type { Doc } from '../doc.ts';
import { age, clock, utc } from '../format.ts';
import { say } from './notices.tsx';
import { Icon } from './marks.tsx';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: (() => void) | undefined;
  /** Why it cannot be used now; the button stays in sight and says so. */
  why?: string | null | undefined;
  kind?: 'plain' | 'main' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  label?: string | undefined;
  small?: boolean | undefined;
  pressed?: boolean | undefined;
  busy?: boolean | undefined;
  expanded?: boolean | undefined;
  autofocus?: boolean | undefined;
  /** Can be used while the service is away. */
  local?: boolean;
}

export function Button(props: ButtonProps) {
  const { children, onClick, kind = 'plain', type = 'button', label, small, pressed, busy } = props;
  // A button that acts, waits or can be refused asks the service; the others only change what is shown.
  const asks = props.local !== true && (kind === 'main' || kind === 'danger' || props.why !== undefined || busy !== undefined);
  const why = asks && isLost.value ? LOST : props.why;
  const off = (why !== null && why !== undefined) || busy === true;
  return (
    <button
      type={type}
      class={`button button-${kind}${small === true ? ' button-small' : ''}`}
      aria-disabled={off}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={props.expanded}
      aria-busy={busy}
      autofocus={props.autofocus}
      title={why ?? label}
      onClick={(event) => {
        if (off) {
          event.preventDefault();
          if (why !== null && why !== undefined) say(`Not now: ${why}.`);
          return;
        }
        onClick?.();
      }}
    >
      {children}
    </button>
  );
}

/** A sentence of the service's, with what stands between backticks as commands. */
export function Words({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** A time as an age; the exact time on hover and focus. */
export function Age({ at, ago = false }: { at: string | null | undefined; ago?: boolean }) {
  if (at === null || at === undefined) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={utc(at)}>
      {age(at)}
      {ago ? ' ago' : ''}
    </time>
  );
}

export function Clock({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={utc(at)}>
      {clock(at)}
    </time>
  );
}

/** Grey lines where text will be, but not before it takes a moment. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const [shown, show] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => show(true), 150);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {shown && Array.from({ length: lines }, (_, index) => <div class="skeleton-line" key={index} />)}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  );
}

export function Failed({ error, retry }: { error: ApiError; retry?: (() => void) | undefined }) {
  return (
    <div class="failed" role="alert">
      <p class="failed-words">
        <Icon name="warn" /> {error.message}
      </p>
      <p class="faint">
        {error.status > 0 && <>Status {error.status}. </>}
        {error.requestId !== null && (
          <>
            Request <code>{error.requestId}</code>.
          </>
        )}
      </p>
      {retry !== undefined && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Skeleton, error or content of a document. */
export function Loaded<T>({ doc, lines, children }: { doc: Doc<T>; lines?: number; children: (data: T) => ComponentChildren }) {
  const data = doc.data.value;
  const error = doc.error.value;
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== undefined) return <Failed error={error} retry={doc.reload} />;
  return <Skeleton lines={lines ?? 3} />;
}

export function Panel(props: { title: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren; class?: string; level?: 2 | 3 }) {
  const id = useId();
  const Title = props.level === 3 ? 'h3' : 'h2';
  return (
    <section class={`panel ${props.class ?? ''}`} aria-labelledby={id}>
      <header class="panel-head">
        <Title id={id} class="panel-title">
          {props.title}
        </Title>
        {props.actions !== undefined && <div class="panel-actions">{props.actions}</div>}
      </header>
      <div class="panel-body">{props.children}</div>
    </section>
  );
}

/** Names and values beside each other; rows without a value are left out unless `all`. */
export function Facts({ rows, all = false }: { rows: [string, ComponentChildren][]; all?: boolean }) {
  const shown = rows.filter(([, value]) => all || (value !== null && value !== undefined && value !== '' && value !== false));
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div class="fact" key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === '' ? <span class="faint">–</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Field(props: { label: string; hint?: ComponentChildren; error?: string | null | undefined; children: (id: string, described: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class={`field${props.error ? ' field-wrong' : ''}`}>
      <label for={id}>{props.label}</label>
      {props.children(id, `${id}-hint`)}
      <div class="field-hint" id={`${id}-hint`}>
        {props.error ? <span class="wrong">{props.error}</span> : props.hint}
      </div>
    </div>
  );
}

export function Meter({ value, label }: { value: number; label: string }) {
  return (
    <div class="meter" role="progressbar" aria-valuenow={Math.round(value)} aria-valuemin={0} aria-valuemax={100} aria-label={label}>
      <div class="meter-fill" style={{ width: `${value}%` }} />
    </div>
  );
}

export function Copy({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        navigator.clipboard?.writeText(text).then(
          () => {
            setDone(true);
            say('Copied.');
            timer.current = window.setTimeout(() => setDone(false), 1_500);
          },
          () => say('The browser does not let this page copy.'),
        );
      }}
    >
      <Icon name={done ? 'check' : 'copy'} />
    </button>
  );
}
