// Requests to the service. Every request names the API version and the key of this page, and every
// refusal becomes an `ApiError` with the service's own words and the request's id.

import { signal } from '@preact/signals';

export const API_VERSION = '1.115';
const KEY_PLACE = 'corten.key';

export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string | null,
    readonly retryAfter: number | null,
    readonly body: unknown,
  ) {
    super(message);
  }

  /** A row that is locked by another worker passes by itself. */
  get passes(): boolean {
    return this.retryAfter !== null;
  }
}

/** Whether the connection is lost; then what is shown may be wrong, and nothing is asked for. */
export const isLost = signal(false);
export const LOST = 'the service does not answer';
const SESSION = '/corten/v1/session';

/** Whether the service wants to know who is asking. */
export const signInNeeded = signal(false);
/** Rises at every sign-in, so that what was refused is asked again. */
export const signInCount = signal(0);

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The secret half of a session: the cookie alone is worth nothing. */
export function pageKey(): string {
  const known = localStorage.getItem(KEY_PLACE);
  if (known !== null && known.length === 43) return known;
  const key = base64url(crypto.getRandomValues(new Uint8Array(32)));
  localStorage.setItem(KEY_PLACE, key);
  return key;
}

export function forgetKey(): void {
  localStorage.removeItem(KEY_PLACE);
}

export interface Asked {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export function headers(more: Record<string, string> = {}): Record<string, string> {
  return { 'X-OpenStack-Ironic-API-Version': API_VERSION, 'X-Corten-Key': pageKey(), ...more };
}

/** The response as it is; refusals are thrown. */
export async function ask(path: string, asked: Asked = {}): Promise<Response> {
  const body = asked.body === undefined ? null : JSON.stringify(asked.body);
  const more: Record<string, string> = { Accept: 'application/json', ...asked.headers };
  if (body !== null) more['Content-Type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(path, {
      method: asked.method ?? 'GET',
      headers: headers(more),
      body,
      signal: asked.signal ?? null,
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'The service does not answer.', null, null, null);
  }
  if (!response.ok && response.status !== 304) throw await refusal(response);
  return response;
}

export async function get<T>(path: string, abort?: AbortSignal): Promise<T> {
  const response = await ask(path, abort === undefined ? {} : { signal: abort });
  return (await response.json()) as T;
}

export async function send<T = unknown>(method: string, path: string, body?: unknown): Promise<T | null> {
  if (isLost.value && path !== SESSION) throw new ApiError(0, 'The connection to the service is lost; nothing was asked for.', null, null, null);
  const response = await ask(path, body === undefined ? { method } : { method, body });
  const text = await response.text();
  return text === '' ? null : (JSON.parse(text) as T);
}

async function refusal(response: Response): Promise<ApiError> {
  if (response.status === 401) signInNeeded.value = true;
  const id = response.headers.get('x-openstack-request-id');
  const later = response.headers.get('x-corten-retry-after');
  let body: unknown = null;
  let text = '';
  try {
    text = await response.text();
    body = JSON.parse(text);
  } catch {
    // Not every refusal is JSON.
  }
  const words = wordsOf(body) ?? (text.length > 0 && text.length < 300 ? text : `The service answered ${response.status}.`);
  return new ApiError(response.status, words, id, later === null ? null : Number(later), body);
}

/** The sentence inside of the several forms that Ironic has for errors. */
export function wordsOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const fields = body as Record<string, unknown>;
  const inner = fields['error_message'] ?? fields['error'] ?? fields['faultstring'];
  if (typeof inner === 'string') {
    try {
      return wordsOf(JSON.parse(inner)) ?? inner;
    } catch {
      return inner;
    }
  }
  if (typeof inner === 'object') return wordsOf(inner);
  const message = fields['message'];
  return typeof message === 'string' ? message : null;
}

export const part = encodeURIComponent;
