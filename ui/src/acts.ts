// Asking for things. A lock that another worker holds for a moment is waited for; nothing is shown as
// done before the service says so.

import { ApiError, part, send } from './api/http.ts';

const PATIENCE_MS = 10_000;

async function patiently<T>(ask: () => Promise<T>, onWait?: (error: ApiError) => void): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const passes = error instanceof ApiError && error.status === 409 && error.passes;
      if (!passes || Date.now() > until) throw error;
      onWait?.(error);
      await new Promise((resolve) => window.setTimeout(resolve, Math.min(1_000, (error.retryAfter ?? 1) * 1_000)));
    }
  }
}

export function provision(node: string, body: Record<string, unknown>, onWait?: (error: ApiError) => void): Promise<unknown> {
  return patiently(() => send('PUT', `/v1/nodes/${part(node)}/states/provision`, body), onWait);
}

export function power(node: string, target: string, onWait?: (error: ApiError) => void): Promise<unknown> {
  return patiently(() => send('PUT', `/v1/nodes/${part(node)}/states/power`, { target }), onWait);
}

export function maintain(node: string, on: boolean, reason: string): Promise<unknown> {
  const path = `/v1/nodes/${part(node)}/maintenance`;
  return patiently(() => (on ? send('PUT', path, { reason }) : send('DELETE', path)));
}

export interface Change {
  op: 'add' | 'replace' | 'remove';
  path: string;
  value?: unknown;
}

export function patch(node: string, changes: Change[]): Promise<unknown> {
  return patiently(() => send('PATCH', `/v1/nodes/${part(node)}`, changes));
}
