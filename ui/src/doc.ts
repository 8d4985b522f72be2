// Documents that a screen reads: loaded once, read again when events or time say so, and never mixed
// up when answers overtake each other.

import { type Signal, signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError, get, signInCount } from './api/http.ts';
import type { LogEvent } from './api/shapes.ts';
import { anew, connection, isCurrentTo, onEvents } from './live.ts';

export interface Doc<T> {
  data: Signal<T | undefined>;
  error: Signal<ApiError | undefined>;
  /** Whether the first answer is awaited. */
  loading: Signal<boolean>;
  reload: () => void;
}

export interface DocOptions {
  /** Milliseconds between two readings; none if left out. */
  every?: number | undefined;
  /** Which events make the document stale. */
  on?: ((event: LogEvent) => boolean) | undefined;
  /** The shortest time between two readings that events ask for. */
  atMost?: number;
  /** Whether what was read stays in sight while another path is read. */
  keep?: boolean;
}

export function asError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, error instanceof Error ? error.message : String(error), null, null, null);
}

/** Reads `path` and keeps it up to date; null reads nothing. */
export function useDoc<T>(path: string | null, options: DocOptions = {}): Doc<T> {
  const doc = useMemo(() => {
    const data = signal<T | undefined>(undefined);
    const error = signal<ApiError | undefined>(undefined);
    const loading = signal(true);
    return { data, error, loading };
  }, []);
  const wanted = useSignal(path);
  const again = useSignal(0);
  if (wanted.peek() !== path) {
    wanted.value = path;
    if (options.keep !== true) doc.data.value = undefined;
    doc.error.value = undefined;
    doc.loading.value = path !== null;
  }

  useSignalEffect(() => {
    void again.value;
    void anew.value;
    void signInCount.value;
    const from = wanted.value;
    if (from === null) {
      doc.loading.value = false;
      return undefined;
    }
    const abort = new AbortController();
    get<T>(from, abort.signal).then(
      (value) => {
        doc.data.value = value;
        const place = (value as { cursor?: unknown } | null)?.cursor;
        if (typeof place === 'number') isCurrentTo(place);
        doc.error.value = undefined;
        doc.loading.value = false;
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        doc.error.value = asError(error);
        doc.loading.value = false;
      },
    );
    return () => abort.abort();
  });

  const { every, on, atMost = 500 } = options;
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = window.setInterval(() => {
      if (!document.hidden && connection.peek() !== 'lost') again.value += 1;
    }, every);
    return () => window.clearInterval(timer);
  }, [every]);

  useEffect(() => {
    if (on === undefined) return undefined;
    let timer: number | undefined;
    let last = 0;
    const stop = onEvents((events) => {
      if (timer !== undefined || !events.some(on)) return;
      const wait = Math.max(0, last + atMost - Date.now());
      timer = window.setTimeout(() => {
        timer = undefined;
        last = Date.now();
        again.value += 1;
      }, wait);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [path, atMost, on === undefined]);

  return { ...doc, reload: () => void (again.value += 1) };
}
