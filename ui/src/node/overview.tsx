// Who and what a machine is, and the things about it that people change.

import { useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { type Change, patch } from '../acts.ts';
import { useDoc } from '../doc.ts';
import { Age, Button, Facts, Field, Panel } from '../parts/base.tsx';
import { Dialog, ShowCommand } from '../parts/dialog.tsx';
import { complain, say } from '../parts/notices.tsx';
import { href } from '../router.ts';
import type { NodeTabProps } from '../screens/node.tsx';
import { RULES, curl, mayNot, quoted } from '../verbs.ts';

type Edited = 'description' | 'traits' | 'protection' | 'retirement' | 'name' | 'class' | 'owner';

export function OverviewTab({ node, me, reload }: NodeTabProps) {
  const [edited, edit] = useState<Edited | null>(null);
  const children = useDoc<{ children: string[] }>(`/v1/nodes/${part(node.uuid)}/children`);
  const name = node.name ?? node.uuid;
  const why = mayNot(me, RULES.update);
  const button = (what: Edited, label: string) => (
    <Button small kind="quiet" why={why} onClick={() => edit(what)} label={`${label} of ${name}`}>
      {label}
    </Button>
  );
  const image = node.instance_info['image_source'];
  const close = () => {
    edit(null);
    reload();
  };
  return (
    <div class="cards">
      <Panel title="Identity" level={3} actions={<ShowCommand commands={{ corten: `corten node show ${quoted(name)}`, curl: curl('GET', `/v1/nodes/${part(node.uuid)}`) }} />}>
        <Facts
          rows={[
            ['Name', <span class="edited">{node.name ?? '–'} {button('name', 'Rename')}</span>],
            ['UUID', <code>{node.uuid}</code>],
            ['Resource class', <span class="edited">{node.resource_class ?? '–'} {button('class', 'Change')}</span>],
            ['Driver', node.driver],
            ['Conductor', node.conductor],
            ['Group', node.conductor_group],
            ['Enrolled', <Age at={node['created_at'] as string | null} ago />],
            ['Description', <span class="edited">{node.description ?? '–'} {button('description', 'Edit')}</span>],
          ]}
        />
      </Panel>
      <Panel title="In use by" level={3}>
        {node.instance_uuid === null && image === undefined ? (
          <p class="faint">{node.provision_state === 'active' ? 'No instance or image is recorded.' : 'No instance. Deploy writes an image to the machine and boots it.'}</p>
        ) : (
          <Facts
            rows={[
              ['Instance', node.instance_uuid === null ? null : <code>{node.instance_uuid}</code>],
              ['Name', node.instance_name],
              ['Image', typeof image === 'string' ? <code>{image}</code> : null],
              ['Allocation', node.allocation_uuid === null ? null : <a href={href(['allocations'])}>{node.allocation_uuid}</a>],
            ]}
          />
        )}
        <Facts
          rows={[
            ['Owner', <span class="edited">{node.owner ?? '–'} {button('owner', 'Change')}</span>],
            ['Lessee', node.lessee],
          ]}
        />
      </Panel>
      <Panel title="Traits" level={3} actions={button('traits', 'Edit')}>
        {node.traits.length === 0 ? (
          <p class="faint">None. Allocations can ask for traits.</p>
        ) : (
          <ul class="chips">
            {node.traits.map((trait) => (
              <li class="chip" key={trait}>
                {trait}
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Safety" level={3}>
        <Facts
          rows={[
            ['Protected', <span class="edited">{node.protected ? `yes${node.protected_reason === null ? '' : `: ${node.protected_reason}`}` : 'no'} {button('protection', node.protected ? 'End' : 'Protect')}</span>],
            ['Retired', <span class="edited">{node.retired ? `yes${node.retired_reason === null ? '' : `: ${node.retired_reason}`}` : 'no'} {button('retirement', node.retired ? 'End' : 'Retire')}</span>],
            ['Automated clean', node['automated_clean'] === null ? 'as configured' : String(node['automated_clean'])],
          ]}
        />
      </Panel>
      <Panel title="Belongs to" level={3}>
        <Facts
          all
          rows={[
            ['Parent', node.parent_node === null ? null : <a href={href(['nodes', node.parent_node])}>{node.parent_node}</a>],
            [
              'Children',
              (children.data.value?.children.length ?? 0) === 0 ? null : (
                <ul class="chips">
                  {children.data.value?.children.map((child) => (
                    <li key={child}>
                      <a href={href(['nodes', child])}>{child.slice(0, 8)}</a>
                    </li>
                  ))}
                </ul>
              ),
            ],
            ['Chassis', node['chassis_uuid'] === null ? null : <code>{String(node['chassis_uuid'])}</code>],
            ['Shard', node['shard'] as string | null],
          ]}
        />
      </Panel>
      <Panel title="Properties" level={3}>
        <Facts rows={Object.entries(node.properties).map(([key, value]) => [key, typeof value === 'object' ? <code>{JSON.stringify(value)}</code> : String(value)])} />
        {Object.keys(node.extra).length > 0 && (
          <>
            <h4 class="sub">Extra</h4>
            <Facts rows={Object.entries(node.extra).map(([key, value]) => [key, typeof value === 'object' ? <code>{JSON.stringify(value)}</code> : String(value)])} />
          </>
        )}
      </Panel>
      {edited !== null && <Edit what={edited} node={node} onClose={() => edit(null)} onDone={close} />}
    </div>
  );
}

function Edit({ what, node, onClose, onDone }: { what: Edited; node: NodeTabProps['node']; onClose: () => void; onDone: () => void }) {
  const text: Record<Edited, string> = {
    name: node.name ?? '',
    class: node.resource_class ?? '',
    description: node.description ?? '',
    owner: node.owner ?? '',
    traits: node.traits.join('\n'),
    protection: node.protected_reason ?? '',
    retirement: node.retired_reason ?? '',
  };
  const labels: Record<Edited, [string, string]> = {
    name: ['Name', ''],
    class: ['Resource class', 'Allocations and Nova choose machines by it.'],
    description: ['Description', 'Up to 4,096 characters; everybody who sees the node sees it.'],
    owner: ['Owner', 'Id of the project that owns the machine.'],
    traits: ['Traits, one a line', 'Standard traits, or CUSTOM_ and capitals.'],
    protection: ['Reason', node.protected ? 'Undeploy and rebuild will be possible again.' : 'Undeploy and rebuild will be refused.'],
    retirement: ['Reason', node.retired ? 'The machine can be offered again.' : 'The machine is not offered any more.'],
  };
  const [value, setValue] = useState(text[what]);
  const set = (path: string, next: string): Change => (next === '' ? { op: 'remove', path } : { op: 'add', path, value: next });
  const changes = (): Change[] => {
    if (what === 'name') return [set('/name', value)];
    if (what === 'class') return [set('/resource_class', value)];
    if (what === 'description') return [set('/description', value)];
    if (what === 'owner') return [set('/owner', value)];
    const [flag, reason, on] = what === 'protection' ? ['/protected', '/protected_reason', node.protected] : ['/retired', '/retired_reason', node.retired];
    if (on) return [{ op: 'replace', path: flag, value: false }];
    return [{ op: 'replace', path: flag, value: true }, ...(value === '' ? [] : [set(reason, value)])];
  };
  const submit = async () => {
    try {
      if (what === 'traits') {
        const traits = value.split(/\s+/).filter((trait) => trait !== '');
        await send('PUT', `/v1/nodes/${part(node.uuid)}/traits`, { traits });
      } else await patch(node.uuid, changes());
      say('Changed.');
      onDone();
    } catch (error) {
      complain('The change was refused', error);
    }
  };
  const ends = (what === 'protection' && node.protected) || (what === 'retirement' && node.retired);
  const [label, hint] = labels[what];
  return (
    <Dialog
      title={what === 'protection' ? (ends ? 'End protection' : 'Protect') : what === 'retirement' ? (ends ? 'End retirement' : 'Retire') : label}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" onClick={() => void submit()}>
            Change
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {ends ? (
          <p>{hint}</p>
        ) : (
          <Field label={label} hint={hint}>
            {(id) =>
              what === 'traits' || what === 'description' ? (
                <textarea id={id} class="area" autofocus value={value} onInput={(event) => setValue(event.currentTarget.value)} />
              ) : (
                <input id={id} class="input" autofocus value={value} onInput={(event) => setValue(event.currentTarget.value)} />
              )
            }
          </Field>
        )}
      </form>
    </Dialog>
  );
}
