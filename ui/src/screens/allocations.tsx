// Requests for any machine that fits: what was found, and why nothing was.

import { useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { useDoc } from '../doc.ts';
import { Age, Button, Empty, Field, Loaded } from '../parts/base.tsx';
import { Confirm, Dialog, ShowCommand } from '../parts/dialog.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import { complain, say } from '../parts/notices.tsx';
import { href } from '../router.ts';
import { me } from '../session.ts';
import { curl, mayNot, mayNotOwn } from '../verbs.ts';

interface Allocation {
  uuid: string;
  name: string | null;
  state: string;
  resource_class: string | null;
  traits: string[];
  candidate_nodes: string[];
  node_uuid: string | null;
  last_error: string | null;
  created_at: string;
}

export function Allocations() {
  const [every, setEvery] = useState<number | undefined>(undefined);
  const doc = useDoc<{ allocations: Allocation[] }>('/v1/allocations', { every });
  const list = doc.data.value?.allocations ?? [];
  const working = list.some((one) => one.state === 'allocating');
  if (working !== (every !== undefined)) setEvery(working ? 5_000 : undefined);
  const [creating, create] = useState(false);
  const [removed, remove] = useState<Allocation | null>(null);
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Allocations</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: 'corten allocation list', curl: curl('GET', '/v1/allocations') }} />
        <Button kind="main" why={mayNot(me.value, 'baremetal:allocation:create')} onClick={() => create(true)}>
          <Icon name="plus" /> Allocate
        </Button>
      </div>
      <Loaded doc={doc} lines={6}>
        {(data) =>
          data.allocations.length === 0 ? (
            <Empty title="No allocations">
              <p>An allocation asks for any free machine with a resource class and traits, and reserves it.</p>
            </Empty>
          ) : (
            <div class="panel scroll-x">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">name</th>
                    <th scope="col">state</th>
                    <th scope="col">wants</th>
                    <th scope="col">node</th>
                    <th scope="col">age</th>
                    <th scope="col" />
                  </tr>
                </thead>
                <tbody>
                  {data.allocations.map((one) => (
                    <tr key={one.uuid}>
                      <th scope="row">{one.name ?? one.uuid.slice(0, 8)}</th>
                      <td>
                        <span class="state">
                          <Mark look={one.state === 'active' ? 'in_use' : one.state === 'error' ? 'failed' : 'working'} /> {one.state}
                        </span>
                        {one.last_error !== null && <p class="wrong wrap">{one.last_error}</p>}
                      </td>
                      <td>
                        {one.resource_class} {one.traits.map((trait) => <span class="chip" key={trait}>{trait}</span>)}
                      </td>
                      <td>{one.node_uuid === null ? <span class="faint">–</span> : <a href={href(['nodes', one.node_uuid])}>{one.node_uuid.slice(0, 8)}</a>}</td>
                      <td>
                        <Age at={one.created_at} />
                      </td>
                      <td>
                        <Button small kind="quiet" label={`Delete ${one.name ?? one.uuid}`} why={mayNotOwn(me.value, 'baremetal:allocation:delete')} onClick={() => remove(one)}>
                          Delete
                        </Button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
      {creating && (
        <Create
          onClose={() => create(false)}
          onDone={() => {
            create(false);
            doc.reload();
          }}
        />
      )}
      {removed !== null && (
        <Confirm
          title={`Delete allocation ${removed.name ?? removed.uuid}`}
          text={<p>The machine is free again, if it is not deployed.</p>}
          word={removed.name ?? removed.uuid.slice(0, 8)}
          action="Delete"
          onClose={() => remove(null)}
          onYes={() => {
            send('DELETE', `/v1/allocations/${part(removed.uuid)}`).then(
              () => {
                remove(null);
                say('The allocation is deleted.');
                doc.reload();
              },
              (error: unknown) => complain('It could not be deleted', error),
            );
          }}
        />
      )}
    </div>
  );
}

function Create({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState('');
  const [traits, setTraits] = useState('');
  const [candidates, setCandidates] = useState('');
  const list = (text: string) => text.split(/[\s,]+/).filter((one) => one !== '');
  const submit = async () => {
    try {
      const body = { resource_class: kind, ...(name === '' ? {} : { name }), ...(list(traits).length === 0 ? {} : { traits: list(traits) }), ...(list(candidates).length === 0 ? {} : { candidate_nodes: list(candidates) }) };
      await send('POST', '/v1/allocations', body);
      say('A machine is being looked for.');
      onDone();
    } catch (error) {
      complain('The allocation was refused', error);
    }
  };
  return (
    <Dialog
      title="Allocate a machine"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" why={kind === '' ? 'a resource class is missing' : null} onClick={() => void submit()}>
            Allocate
          </Button>
        </>
      }
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (kind !== '') void submit();
        }}
      >
        <Field label="Resource class">{(id) => <input id={id} class="input" autofocus value={kind} onInput={(event) => setKind(event.currentTarget.value.trim())} />}</Field>
        <Field label="Name" hint="Optional.">{(id) => <input id={id} class="input" value={name} onInput={(event) => setName(event.currentTarget.value.trim())} />}</Field>
        <Field label="Traits" hint="All of them are needed; separated by spaces.">{(id) => <input id={id} class="input" value={traits} onInput={(event) => setTraits(event.currentTarget.value)} />}</Field>
        <Field label="Candidates" hint="Names or UUIDs; empty for all machines.">{(id) => <input id={id} class="input" value={candidates} onInput={(event) => setCandidates(event.currentTarget.value)} />}</Field>
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
