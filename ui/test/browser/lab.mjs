// A demo of the program, a browser, and pages that notice what must never happen: errors of scripts and
// violations of the policy. CORTEN names the program; CORTEN_URL a service that runs already.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** How long anything is waited for that must happen. */
export const PATIENCE_MS = 90_000;
export const VERSION = { 'X-OpenStack-Ironic-API-Version': '1.115' };
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Strings that would do something wherever they are not shown as text. */
export const HOSTILE = readFileSync(new URL('./hostile.txt', import.meta.url), 'utf8').split('\n').filter((line) => line !== '');

/** Elements and attributes that no screen of ours has, and links that lead elsewhere. */
export const foreign = () => {
  const found = [];
  for (const element of document.querySelectorAll('#app script, iframe, object, embed, img, style, base, meta[http-equiv], form[action], svg script')) found.push(element.outerHTML.slice(0, 200));
  for (const element of document.querySelectorAll('#app *')) {
    for (const { name } of element.attributes) if (name.startsWith('on')) found.push(`${element.tagName} ${name}`);
  }
  for (const link of document.querySelectorAll('a[href]')) {
    const to = link.getAttribute('href');
    if (!to.startsWith('/ui/') && !to.startsWith('#')) found.push(`link to ${to}`);
  }
  return found;
};

/** Starts `corten demo` with these options and waits until it serves. */
export async function demo(...options) {
  if (process.env.CORTEN_URL) return { url: process.env.CORTEN_URL, stop: async () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'corten-ui-test-'));
  const ready = join(folder, 'ready');
  const seen = new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (existsSync(ready) && readFileSync(ready, 'utf8').includes('http')) {
        watcher.close();
        resolve();
      }
    });
  });
  const child = spawn(process.env.CORTEN, ['demo', ...(options.includes('--port') ? [] : ['--port', '0']), '--ready-file', ready, ...options], { stdio: 'ignore' });
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the demo ended with ${code}`)));
  died.catch(() => undefined);
  await Promise.race([seen, died]);
  const url = readFileSync(ready, 'utf8').trim().split('\n')[0];
  return {
    url,
    child,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the service itself on a folder of its own, which stays when it is stopped. */
export async function serve(folder, ...sets) {
  const options = sets.flatMap((set) => ['--set', set]);
  const child = spawn(process.env.CORTEN, ['serve', '--data-dir', folder, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the service ended with ${code}: ${text}`)));
  died.catch(() => undefined);
  const listens = new Promise((resolve) => {
    child.stdout.on('data', (part) => {
      text += part;
      const found = /listening on (http\S+)\n/.exec(text);
      if (found !== null) resolve(found[1]);
    });
  });
  const url = await Promise.race([listens, died]);
  return {
    url,
    child,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit').catch(() => undefined);
    },
  };
}

/** Runs a command of the program; the answer is what it prints. */
export function command(words, input = '') {
  return execFileSync(process.env.CORTEN, words, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
}

export function browser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
}

/** A page that collects what must not happen. */
export async function open(chrome, url, { width = 1400, height = 900, theme = 'light' } = {}) {
  const context = await chrome.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // Nothing here asks how fast; a machine with other work must not fail a wait that only succeeds.
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const bad = [];
  page.on('pageerror', (error) => bad.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    // Refusals that a test provokes show as failed loads; they are no defects of the page.
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(text)) bad.push(text);
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
    window.hostile = () => console.error('a hostile string ran');
  });
  await page.goto(url);
  return { page, bad, close: () => context.close() };
}

/** Goes to a machine's page as a link does, without loading everything anew. */
export async function visit(page, node, tab) {
  await page.evaluate(async (to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    await new Promise(requestAnimationFrame);
  }, `/ui/nodes/${node}${tab === undefined ? '' : `?tab=${tab}`}`);
  await page.locator('.node-name', { hasText: node }).waitFor();
}

export function clean(opened) {
  assert.deepEqual(opened.bad, []);
}

/** What axe finds on the page as it is, WCAG 2.2 AA. */
export async function audit(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      resultTypes: ['violations'],
    });
    return violations.map((one) => `${one.id}: ${one.help} (${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join('; ')})`);
  });
}

/** An ordinary request to the service, as any client makes it. */
export async function ask(url, method, path, body, headers = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...VERSION, ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  let json = null;
  try {
    json = text === '' ? null : JSON.parse(text);
  } catch {
    // Not everything is JSON.
  }
  return { status: response.status, json, text, headers: response.headers };
}

export async function enrol(url, name, more = {}) {
  const made = await ask(url, 'POST', '/v1/nodes', { driver: 'fake-hardware', name, ...more });
  assert.equal(made.status, 201, made.text);
  return made.json.uuid;
}

/** Waits until a node is in a state; events wake it. */
export async function until(url, node, state) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { json } = await ask(url, 'GET', `/v1/nodes/${node}`);
    if (json.provision_state === state && json.reservation === null) return json;
    if (Date.now() > end) throw new Error(`${node} is ${json.provision_state}, not ${state}: ${json.last_error}`);
    await ask(url, 'GET', `/corten/v1/events?node=${json.uuid}&wait=2`);
  }
}

/** Starts simulated machines with BMCs; the answer is what the simulator says of them. */
export async function simulator(...options) {
  const child = spawn(process.env.CORTEN ?? 'corten', ['sim', '--format', 'json', ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  for await (const part of child.stdout) {
    text += part;
    if (text.includes('\n')) break;
  }
  return {
    ...JSON.parse(text.split('\n')[0]),
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit').catch(() => undefined);
    },
  };
}
