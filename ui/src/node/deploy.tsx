// The dialog for verbs that need more than a click: what to do, on which disk, with which steps; and
// the plan, which says what would happen before anything does.

import { useEffect, useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { type Change, patch, provision } from '../acts.ts';
import type { Plan } from '../api/shapes.ts';
import { asError, useDoc } from '../doc.ts';
import { Button, Field } from '../parts/base.tsx';
import { CommandLine, Dialog } from '../parts/dialog.tsx';
import { complain, say } from '../parts/notices.tsx';
import type { NodeTabProps } from '../screens/node.tsx';
import { lately } from '../settings.ts';
import { type Action, curl, quoted, whyNot } from '../verbs.ts';
import { Disks, PlanPanel, type Planned } from './plan.tsx';

const WAIT_MS = 400;

type Drive = 'none' | 'user data' | 'JSON' | 'address';
type Sum = 'checksum' | 'file' | 'none';

export function DeployDialog({ action, node, me, onClose, reload }: NodeTabProps & { action: Action; onClose: () => void }) {
  const info = node.instance_info;
  const known = (key: string) => (typeof info[key] === 'string' ? (info[key] as string) : '');
  const before = known('image_os_hash_value') !== '' ? `${known('image_os_hash_algo')}:${known('image_os_hash_value')}` : known('image_checksum');
  const [image, setImage] = useState(known('image_source'));
  const [sumKind, setSumKind] = useState<Sum>(before === '' && known('image_source') !== '' ? 'none' : /^\w+:\/\//.test(before) ? 'file' : 'checksum');
  const [sum, setSum] = useState(before);
  const [hint, setHint] = useState(JSON.stringify(node.properties['root_device'] ?? {}) === '{}' ? '' : JSON.stringify(node.properties['root_device']));
  const [drive, setDrive] = useState<Drive>('none');
  const [driveText, setDriveText] = useState('');
  const [steps, setSteps] = useState('');
  const [runbook, setRunbook] = useState('');
  const [password, setPassword] = useState('');
  const [typed, setTyped] = useState('');
  const [planned, setPlanned] = useState<Planned>({ plan: null, error: null, asked: true });
  const [busy, setBusy] = useState(false);
  const name = node.name ?? node.uuid;
  const writes = action.verb === 'deploy' || action.verb === 'rebuild';
  const takesSteps = writes || action.verb === 'clean' || action.verb === 'service';
  const runbooks = useDoc<{ runbooks: { uuid: string; name: string }[] }>(action.verb === 'clean' || action.verb === 'service' ? '/v1/runbooks' : null);

  const stepList = parsed(steps);
  const hintValue = parsed(hint === '' ? '{}' : hint);
  const wrongSteps = steps !== '' && !Array.isArray(stepList) ? 'Steps are a JSON list, such as [{"interface": "deploy", "step": "…", "args": {}}].' : null;
  const wrongHint = hint !== '' && (typeof hintValue !== 'object' || hintValue === null) ? 'Hints are a JSON object, such as {"wwn": "0x…"}.' : null;
  const driveValue = parsed(driveText);
  const wrongDrive =
    !writes || drive === 'none'
      ? null
      : driveText.trim() === ''
        ? 'The config drive is empty; choose none to do without.'
        : drive === 'JSON' && !isObject(driveValue)
          ? 'The config drive is a JSON object, such as {"meta_data": {}, "user_data": "…"}.'
          : null;

  const configdrive = (): unknown => {
    if (!writes || drive === 'none' || wrongDrive !== null) return undefined;
    if (drive === 'user data') return { user_data: driveText };
    if (drive === 'JSON') return driveValue;
    return driveText;
  };
  const body = (): Record<string, unknown> => {
    const found: Record<string, unknown> = { target: action.target };
    const config = configdrive();
    if (config !== undefined) found['configdrive'] = config;
    if (runbook !== '') found['runbook'] = runbook;
    else if (Array.isArray(stepList) && (stepList.length > 0 || action.verb === 'clean' || action.verb === 'service')) {
      found[action.verb === 'clean' ? 'clean_steps' : action.verb === 'service' ? 'service_steps' : 'deploy_steps'] = stepList;
    }
    if (action.verb === 'rescue') found['rescue_password'] = password;
    return found;
  };
  const changes = (): Change[] => {
    if (!writes) return [];
    const found: Change[] = [];
    const set = (key: string, value: string) => {
      if (known(key) === value) return;
      found.push(value === '' ? { op: 'remove', path: `/instance_info/${key}` } : { op: 'add', path: `/instance_info/${key}`, value });
    };
    set('image_source', image);
    const [algorithm, digest] = split(sum);
    if (sumKind === 'checksum' && algorithm !== null) {
      set('image_os_hash_algo', algorithm);
      set('image_os_hash_value', digest);
      set('image_checksum', '');
    } else {
      set('image_checksum', sumKind === 'none' ? '' : sum);
      set('image_os_hash_algo', '');
      set('image_os_hash_value', '');
    }
    const root = node.properties['root_device'];
    if (hint === '' && root !== undefined) found.push({ op: 'remove', path: '/properties/root_device' });
    else if (hint !== '' && hintValue !== null && JSON.stringify(root) !== JSON.stringify(hintValue)) found.push({ op: 'add', path: '/properties/root_device', value: hintValue });
    return found;
  };

  const asked = JSON.stringify(body());
  useEffect(() => {
    setPlanned((last) => ({ ...last, asked: true }));
    const timer = window.setTimeout(() => {
      send<Plan>('POST', `/corten/v1/nodes/${part(node.uuid)}/plan`, JSON.parse(asked)).then(
        (plan) => setPlanned({ plan, error: null, asked: false }),
        (error: unknown) => setPlanned({ plan: null, error: asError(error), asked: false }),
      );
    }, WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [asked, node.updated_at]);

  const pending = changes();
  const why =
    whyNot(node, action, me) ??
    wrongSteps ??
    wrongHint ??
    wrongDrive ??
    (action.verb === 'rescue' && password === '' ? 'a password is missing' : null) ??
    ((action.verb === 'clean' || action.verb === 'service') && steps === '' && runbook === '' ? 'steps or a runbook are missing' : null) ??
    (action.destroys === true && typed !== name ? `type ${name} first` : null);

  const submit = async () => {
    setBusy(true);
    try {
      if (pending.length > 0) await patch(node.uuid, pending);
      await provision(node.uuid, body(), (error) => say(`Waiting: ${error.message}`));
      if (image !== '') lately.value = [image, ...lately.value.filter((one) => one !== image)].slice(0, 8);
      say(`${action.label}: asked for.`);
      reload();
      onClose();
    } catch (error) {
      complain(`${action.label} was refused`, error);
      reload();
    }
    setBusy(false);
  };

  const command = [
    ...(pending.length > 0 ? [`corten node set ${quoted(name)}${pending.filter((one) => one.op === 'add').map((one) => ` ${one.path.startsWith('/properties/') ? '--property' : '--instance-info'} ${quoted(`${one.path.split('/')[2] ?? ''}=${typeof one.value === 'string' ? one.value : JSON.stringify(one.value)}`)}`).join('')}`] : []),
    `corten node ${action.command} ${quoted(name)}`,
  ].join(' && ');

  return (
    <Dialog
      wide
      title={`${action.label} ${name}`}
      onClose={onClose}
      foot={
        <>
          <span class="spring" />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={action.destroys === true ? 'danger' : 'main'} why={why} busy={busy} onClick={() => void submit()}>
            {action.label}
          </Button>
        </>
      }
    >
      <div class="form">
        {writes && (
          <>
            <Field label="Image" hint="Address of a disk image, or the id of one in Glance.">
              {(id, described) => (
                <>
                  <input id={id} class="input" list="lately" autofocus spellcheck={false} aria-describedby={described} placeholder="https://images.example/debian-13.qcow2" value={image} onInput={(event) => setImage(event.currentTarget.value.trim())} />
                  <datalist id="lately">
                    {lately.value.map((one) => (
                      <option key={one} value={one} />
                    ))}
                  </datalist>
                </>
              )}
            </Field>
            <fieldset class="choice">
              <legend>Checksum</legend>
              <div class="segmented">
                {(['checksum', 'file', 'none'] as const).map((one) => (
                  <label key={one}>
                    <input type="radio" name="sum" checked={sumKind === one} onChange={() => setSumKind(one)} />
                    <span>{one === 'checksum' ? 'value' : one === 'file' ? 'checksum file' : 'none (not advised)'}</span>
                  </label>
                ))}
              </div>
              {sumKind !== 'none' && (
                <input class="input" aria-label={sumKind === 'file' ? 'Address of the checksum file' : 'Checksum'} spellcheck={false} placeholder={sumKind === 'file' ? 'https://images.example/SHA256SUMS' : 'sha256:…'} value={sum} onInput={(event) => setSum(event.currentTarget.value.trim())} />
              )}
            </fieldset>
            <Disks plan={planned.plan} hint={hint} wrong={wrongHint} onHint={setHint} />
            <fieldset class="choice">
              <legend>Config drive</legend>
              <div class="segmented">
                {(['none', 'user data', 'JSON', 'address'] as const).map((one) => (
                  <label key={one}>
                    <input type="radio" name="drive" checked={drive === one} onChange={() => setDrive(one)} />
                    <span>{one}</span>
                  </label>
                ))}
              </div>
              {drive !== 'none' && (
                <Field label={`Config drive: ${drive}`} error={driveText === '' ? null : wrongDrive}>
                  {(id, described) => <textarea id={id} class="area" aria-describedby={described} spellcheck={false} value={driveText} onInput={(event) => setDriveText(event.currentTarget.value)} />}
                </Field>
              )}
            </fieldset>
          </>
        )}
        {action.verb === 'rescue' && (
          <Field label="Password of the rescue system">{(id) => <input id={id} class="input" type="password" autofocus autocomplete="new-password" value={password} onInput={(event) => setPassword(event.currentTarget.value)} />}</Field>
        )}
        {(runbooks.data.value?.runbooks.length ?? 0) > 0 && (
          <Field label="Runbook">
            {(id) => (
              <select id={id} class="select" value={runbook} onChange={(event) => setRunbook(event.currentTarget.value)}>
                <option value="">none: steps below</option>
                {runbooks.data.value?.runbooks.map((one) => (
                  <option key={one.uuid} value={one.name}>
                    {one.name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        {takesSteps && runbook === '' && (
          <details open={steps !== '' || action.verb === 'clean' || action.verb === 'service'}>
            <summary>Steps{writes ? ' besides the usual ones' : ''}</summary>
            <Field label="Steps as JSON" error={wrongSteps} hint={'[{"interface": "deploy", "step": "erase_devices_metadata"}]'}>
              {(id) => <textarea id={id} class="area" spellcheck={false} value={steps} onInput={(event) => setSteps(event.currentTarget.value)} />}
            </Field>
          </details>
        )}
        <PlanPanel {...planned} changes={pending} ident={name} />
        {action.destroys === true && (
          <Field label={`What is on its disks is lost. Type ${name} to go on`}>
            {(id) => <input id={id} class="input" autocomplete="off" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />}
          </Field>
        )}
        <details>
          <summary>Show command</summary>
          <div class="stack">
            <CommandLine label="corten" text={command} />
            <CommandLine label="curl" text={curl('PUT', `/v1/nodes/${part(node.uuid)}/states/provision`, action.verb === 'rescue' ? { ...body(), rescue_password: '…' } : body())} />
          </div>
        </details>
      </div>
    </Dialog>
  );
}

function parsed(text: string): unknown {
  if (text.trim() === '') return [];
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `sha256:…` as its two parts; without an algorithm it is the old kind of checksum. */
export function split(sum: string): [string | null, string] {
  const match = /^(sha\d+|md5):(.+)$/i.exec(sum);
  return match === null ? [null, sum] : [(match[1] ?? '').toLowerCase(), match[2] ?? ''];
}
