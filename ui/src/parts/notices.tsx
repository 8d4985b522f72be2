// What the page has to say: a live region for screen readers, and errors that stay until dismissed.

import { signal } from '@preact/signals';
import { ApiError } from '../api/http.ts';
import { Icon } from './marks.tsx';

interface Notice {
  id: number;
  kind: 'error' | 'done';
  title: string;
  text: string | null;
  requestId: string | null;
}

const notices = signal<Notice[]>([]);
const spoken = signal('');
let count = 0;

/** Says something to screen readers, and shows it for a moment. */
export function say(text: string): void {
  spoken.value = spoken.peek() === text ? text + ' ' : text;
  add({ kind: 'done', title: text, text: null, requestId: null });
}

export function complain(title: string, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  add({ kind: 'error', title, text, requestId });
}

function add(notice: Omit<Notice, 'id'>): void {
  const id = ++count;
  notices.value = [...notices.peek().slice(-4), { ...notice, id }];
  if (notice.kind === 'done') window.setTimeout(() => dismiss(id), 4_000);
}

function dismiss(id: number): void {
  notices.value = notices.peek().filter((notice) => notice.id !== id);
}

export function Notices() {
  return (
    <>
      <div class="hidden" aria-live="polite">
        {spoken.value}
      </div>
      <div class="notices">
        {notices.value.map((notice) => (
          <div key={notice.id} class={`notice notice-${notice.kind}`} role={notice.kind === 'error' ? 'alert' : undefined}>
            <Icon name={notice.kind === 'error' ? 'warn' : 'check'} />
            <div class="notice-words">
              <p class="notice-title">{notice.title}</p>
              {notice.text !== null && <p>{notice.text}</p>}
              {notice.requestId !== null && (
                <p class="faint">
                  Request <code>{notice.requestId}</code>
                </p>
              )}
            </div>
            <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
              <Icon name="close" />
            </button>
          </div>
        ))}
      </div>
    </>
  );
}
