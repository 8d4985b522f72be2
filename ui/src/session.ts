// Who is asking, and what they may do.

import { signal } from '@preact/signals';
import { forgetKey, get, send, signInCount, signInNeeded } from './api/http.ts';
import type { Me } from './api/shapes.ts';

export const me = signal<Me | undefined>(undefined);

export interface Session {
  mode: Me['mode'];
  is_signed_in: boolean;
}

/** Asks who we are; a refusal opens the panel for signing in. */
export async function identify(): Promise<void> {
  try {
    me.value = await get<Me>('/corten/v1/me');
    signInNeeded.value = false;
  } catch {
    // 401 opened the panel; everything else shows in what the screens read.
  }
}

export async function signIn(body: Record<string, unknown>): Promise<void> {
  await send('POST', '/corten/v1/session', body);
  await identify();
  signInNeeded.value = false;
  signInCount.value += 1;
  tell('in');
}

export async function signOut(): Promise<void> {
  await send('DELETE', '/corten/v1/session');
  forgetKey();
  me.value = undefined;
  signInNeeded.value = true;
  tell('out');
}

export function meName(who: Me | undefined): string {
  if (who === undefined) return '';
  return who.user_name ?? who.user ?? (who.mode === 'noauth' ? 'everybody' : 'signed in');
}

// Signing out in one tab signs out in all of them.
const channel = new BroadcastChannel('corten.session');

function tell(what: 'in' | 'out'): void {
  channel.postMessage(what);
}

channel.onmessage = (message) => {
  if (message.data === 'out') {
    me.value = undefined;
    signInNeeded.value = true;
  } else {
    void identify().then(() => (signInCount.value += 1));
  }
};
