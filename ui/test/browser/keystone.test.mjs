// Signing in where Keystone says who is who: a password for a project or the system, a token, an
// application credential; a lessee sees its machines. Keystone is a real one, from scripts/with-keystone.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ask, audit, browser, clean, open, serve } from './lab.mjs';

const KEYSTONE = process.env.CORTEN_TEST_KEYSTONE_URL;
const ADMIN = { name: 'admin', password: process.env.CORTEN_TEST_KEYSTONE_PASSWORD };
const DOMAIN = { name: 'Default' };
const skip = KEYSTONE === undefined ? 'without Keystone; run by scripts/with-keystone' : false;
// Others may use the same Keystone.
const mark = `ui-${process.pid}-${Date.now()}`;
const ADA = { name: `ada-${mark}`, password: 'ada:password' };
const PROJECT = `project-${mark}`;

const folder = mkdtempSync(join(tmpdir(), 'corten-ui-keystone-'));
let service;
let chrome;
let project;
let admin;

async function keystone(method, path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token === undefined ? {} : { 'X-Auth-Token': token }) };
  const response = await fetch(KEYSTONE + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return { json: text === '' ? null : JSON.parse(text), token: response.headers.get('x-subject-token') };
}

/** A token of Keystone's, as other clients get one. */
async function login({ name, password }, scope) {
  const identity = { methods: ['password'], password: { user: { name, password, domain: DOMAIN } } };
  return keystone('POST', '/auth/tokens', { auth: { identity, scope } });
}

const SYSTEM = { system: { all: true } };
const ofProject = (name) => ({ project: { name, domain: DOMAIN } });

before(async () => {
  if (skip !== false) {
    if (process.env.CI && process.env.CORTEN_TEST_SKIP_KEYSTONE === undefined) throw new Error(skip);
    return;
  }
  admin = (await login(ADMIN, SYSTEM)).token;
  project = (await keystone('POST', '/projects', { project: { name: PROJECT, domain_id: 'default' } }, admin)).json.project.id;
  const user = (await keystone('POST', '/users', { user: { ...ADA, domain_id: 'default' } }, admin)).json.user.id;
  const [role] = (await keystone('GET', '/roles?name=member', undefined, admin)).json.roles;
  await keystone('PUT', `/projects/${project}/users/${user}/roles/${role.id}`, undefined, admin);
  const sets = ['auth_type=password', `auth_url=${KEYSTONE}`, `www_authenticate_uri=${KEYSTONE}`, 'username=admin', `password=${ADMIN.password}`, 'project_name=admin', 'user_domain_name=Default', 'project_domain_name=Default'];
  [service, chrome] = await Promise.all([serve(folder, 'DEFAULT.auth_strategy=keystone', 'api.port=0', ...sets.map((set) => `keystone_authtoken.${set}`)), browser()]);
  for (const [name, lessee] of [['leased', project], ['foreign', null]]) {
    const made = await ask(service.url, 'POST', '/v1/nodes', { driver: 'fake-hardware', name, lessee }, { 'X-Auth-Token': admin });
    assert.equal(made.status, 201, made.text);
  }
});
after(async () => {
  await chrome?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Fills the panel in, by the labels of its fields. */
async function signIn(page, way, fields) {
  const panel = page.locator('.signin[open]');
  await panel.waitFor();
  if (way !== 'password') await panel.getByText(way, { exact: true }).click();
  for (const [label, text] of Object.entries(fields)) await panel.getByLabel(label, { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

const names = (page) => page.locator('.node-link').allInnerTexts();

test('a lessee signs in with a password and sees what it leases', { skip }, async () => {
  const opened = await open(chrome, `${service.url}/ui/nodes`);
  const { page } = opened;
  await page.locator('.signin[open]').waitFor();
  assert.deepEqual(await audit(page), []);
  const fields = { 'Name': ADA.name, 'Password': 'wrong', 'Project (empty: the system)': PROJECT };
  await signIn(page, 'password', fields);
  await page.locator('.signin .wrong', { hasText: 'wrong' }).waitFor();
  await signIn(page, 'password', { ...fields, Password: ADA.password });
  await page.locator('.node-link', { hasText: 'leased' }).waitFor();
  assert.deepEqual(await names(page), ['leased']);
  await page.goto(`${service.url}/ui/nodes/leased`);
  await page.locator('.verbs .button').first().waitFor();
  for (const button of await page.locator('.button[aria-disabled="true"]').all()) assert.notEqual(await button.getAttribute('title'), null, await button.innerText());
  await page.goto(`${service.url}/ui/me`);
  await page.locator('.fact', { hasText: 'keystone' }).waitFor();
  // The token that was fetched for it ends with the session: what is left of it opens nothing.
  const key = await page.evaluate(() => localStorage.getItem('corten.key'));
  const [{ name, value }] = await page.context().cookies();
  const kept = { 'Cookie': `${name}=${value}`, 'X-Corten-Key': key };
  assert.equal((await ask(service.url, 'GET', '/corten/v1/me', undefined, kept)).json.project, project);
  await page.getByRole('button', { name: /^Menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.locator('.signin[open]').waitFor();
  assert.equal((await ask(service.url, 'GET', '/corten/v1/me', undefined, kept)).status, 401);
  clean(opened);
  await opened.close();
});

test('a system administrator signs in without a project and sees everything', { skip }, async () => {
  const opened = await open(chrome, `${service.url}/ui/nodes`);
  await signIn(opened.page, 'password', { Name: ADMIN.name, Password: ADMIN.password });
  await opened.page.locator('.node-link', { hasText: 'foreign' }).waitFor();
  assert.deepEqual(await names(opened.page), ['foreign', 'leased']);
  clean(opened);
  await opened.close();
});

test('a token and an application credential are taken, and a token of others is left to them', { skip }, async () => {
  const own = await login(ADA, ofProject(PROJECT));
  const user = own.json.token.user.id;
  const made = await keystone('POST', `/users/${user}/application_credentials`, { application_credential: { name: mark } }, own.token);
  const { id, secret } = made.json.application_credential;
  for (const [way, fields] of [['token', { Token: own.token }], ['application credential', { Id: id, Secret: secret }]]) {
    const opened = await open(chrome, `${service.url}/ui/nodes`);
    const { page } = opened;
    await signIn(page, way, fields);
    await page.locator('.node-link', { hasText: 'leased' }).waitFor();
    assert.deepEqual(await names(page), ['leased']);
    await page.getByRole('button', { name: /^Menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.locator('.signin[open]').waitFor();
    clean(opened);
    await opened.close();
  }
  // Signing out ends tokens that the service had fetched, and no others.
  const check = await fetch(`${KEYSTONE}/auth/tokens`, { headers: { 'X-Auth-Token': admin, 'X-Subject-Token': own.token } });
  assert.equal(check.status, 200);
});
