// The commands that store the same.

import type { Commands } from '../parts/dialog.tsx';
import { curl, quoted } from '../verbs.ts';
import { type Change, type Kind, NOUNS, PATHS } from './model.ts';

const OPTIONS: Record<string, string> = {
  name: '--name',
  steps: '--steps',
  description: '--description',
  owner: '--owner',
  public: '--public',
  disable_ramdisk: '--disable-ramdisk',
  priority: '--priority',
  sensitive: '--sensitive',
  conditions: '--conditions',
  actions: '--actions',
};

function option(kind: Kind, name: string, value: unknown, creates: boolean): string {
  if (value === null || value === undefined) return '';
  if (name === 'extra') {
    return Object.entries(value as object).map(([key, one]) => ` --extra ${quoted(`${key}=${typeof one === 'string' ? one : JSON.stringify(one)}`)}`).join('');
  }
  if (name === 'name' && kind === 'templates' && creates) return ` ${quoted(String(value))}`;
  if (name === 'disable_ramdisk' && creates) return value === true ? ' --disable-ramdisk' : '';
  if (creates && value === false) return '';
  return ` ${OPTIONS[name] ?? `--${name}`} ${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`;
}

export function createCommands(kind: Kind, body: Record<string, unknown>, traits: string[]): Commands {
  const options = Object.entries(body).map(([name, value]) => option(kind, name, value, true)).join('');
  const then = traits.length === 0 ? '' : ` && corten runbook trait add ${quoted(String(body['name']))} ${traits.map(quoted).join(' ')}`;
  return { corten: `corten ${NOUNS[kind]} create${options}${then}`, curl: curl('POST', PATHS[kind], body) };
}

export function changeCommands(kind: Kind, uuid: string, changes: Change[]): Commands {
  const set = changes.filter((one) => one.op !== 'remove').map((one) => option(kind, one.path.slice(1), one.value, false)).join('');
  const unset = changes.filter((one) => one.op === 'remove').map((one) => ` ${OPTIONS[one.path.slice(1)] ?? ''}`).join('');
  const lines = [set === '' ? '' : `corten ${NOUNS[kind]} set ${uuid}${set}`, unset === '' ? '' : `corten ${NOUNS[kind]} unset ${uuid}${unset}`];
  return { corten: lines.filter((one) => one !== '').join(' && ') || `corten ${NOUNS[kind]} show ${uuid}`, curl: curl('PATCH', `${PATHS[kind]}/${uuid}`, changes) };
}
