// The verbs of a node: those that its state accepts in sight, the others in a menu with the reason why
// not.

import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../api/http.ts';
import { part } from '../api/http.ts';
import { maintain, power, provision } from '../acts.ts';
import { Button, Field } from '../parts/base.tsx';
import { CommandLine, Confirm, Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { complain, say } from '../parts/notices.tsx';
import { go, href, query, setQuery } from '../router.ts';
import type { NodeTabProps } from '../screens/node.tsx';
import { ACTIONS, type Action, POWER, RULES, curl, isLikely, mayNot, near, quoted, whoWorks, whyNot } from '../verbs.ts';
import { send } from '../api/http.ts';

type Asked = { kind: 'verb'; action: Action } | { kind: 'power'; target: string; label: string } | { kind: 'maintenance' } | { kind: 'remove' };

export function Actions({ node, me, reload }: NodeTabProps) {
  const [asked, ask] = useState<Asked | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const name = node.name ?? node.uuid;
  const now = near(node.provision_state);
  const far = ACTIONS.filter((action) => !now.includes(action));

  // What was asked for shows until the service tells of a change.
  useEffect(() => setWanted(null), [node.provision_state, node.power_state, node.maintenance, node.reservation]);

  const doing = async (label: string, work: (onWait: (error: ApiError) => void) => Promise<unknown>) => {
    ask(null);
    setWanted(label);
    try {
      await work((error) => say(`Waiting: ${error.message}`));
      say(`${label}: asked for.`);
      reload();
    } catch (error) {
      setWanted(null);
      complain(`${label} was refused`, error);
    }
  };
  const start = (action: Action) => {
    if (action.asks === true) setQuery({ do: action.verb });
    else if (action.destroys === true) ask({ kind: 'verb', action });
    else void doing(action.label, (onWait) => provision(node.uuid, { target: action.target }, onWait));
  };

  const toDo = query.value.get('do');
  useEffect(() => {
    const action = ACTIONS.find((one) => one.verb === toDo);
    if (action === undefined || action.asks === true) return;
    setQuery({ do: null }, true);
    const why = whyNot(node, action, me);
    if (why === null) start(action);
    else say(`Not now: ${why}.`);
  }, [toDo]);

  const powerWhy = mayNot(me, RULES.power) ?? whoWorks(node);
  return (
    <div class="verbs">
      {now.map((action) => (
        <Button
          key={action.verb}
          kind={isLikely(node.provision_state, action.verb) ? 'main' : action.destroys === true ? 'danger' : 'plain'}
          why={whyNot(node, action, me)}
          onClick={() => start(action)}
        >
          {action.label}
          {action.asks === true || action.destroys === true ? '…' : ''}
        </Button>
      ))}
      <Menu
        label="Power"
        choices={POWER.map((one) => ({
          label: one.label,
          why: powerWhy,
          danger: 'destroys' in one,
          onPick: () => ('destroys' in one && node.provision_state === 'active' ? ask({ kind: 'power', target: one.target, label: one.label }) : void doing(one.label, (onWait) => power(node.uuid, one.target, onWait))),
        }))}
      />
      <Menu
        label="More"
        choices={[
          {
            label: node.maintenance ? 'End maintenance' : 'Maintenance…',
            why: mayNot(me, node.maintenance ? RULES.resume : RULES.maintain),
            about: node.maintenance ? 'let the service work on it again' : 'keep the service from working on it',
            onPick: () => (node.maintenance ? void doing('End of maintenance', () => maintain(node.uuid, false, '')) : ask({ kind: 'maintenance' })),
          },
          { label: 'Forget this node…', danger: true, why: mayNot(me, RULES.remove), about: 'delete it from the service', onPick: () => ask({ kind: 'remove' }) },
          ...far.map((action) => ({ label: action.label, why: whyNot(node, action, me), about: action.about, onPick: () => start(action) })),
        ]}
      />
      {wanted !== null && (
        <span class="asked" role="status">
          {wanted}: asked for …
        </span>
      )}
      {asked?.kind === 'verb' && (
        <Confirm
          title={`${asked.action.label} ${name}`}
          text={<p>It will {asked.action.about}. What is on its disks is lost.</p>}
          word={name}
          action={asked.action.label}
          onClose={() => ask(null)}
          onYes={() => void doing(asked.action.label, (onWait) => provision(node.uuid, { target: asked.action.target }, onWait))}
        >
          <CommandLine label="corten" text={`corten node ${asked.action.command} ${quoted(name)}`} />
          <CommandLine label="curl" text={curl('PUT', `/v1/nodes/${part(node.uuid)}/states/provision`, { target: asked.action.target })} />
        </Confirm>
      )}
      {asked?.kind === 'power' && (
        <Confirm
          title={`${asked.label}: ${name}`}
          text={<p>The machine is in use. Whatever runs on it stops at once.</p>}
          word={name}
          action={asked.label}
          onClose={() => ask(null)}
          onYes={() => void doing(asked.label, (onWait) => power(node.uuid, asked.target, onWait))}
        />
      )}
      {asked?.kind === 'maintenance' && <MaintenanceDialog name={name} onClose={() => ask(null)} onYes={(reason) => void doing('Maintenance', () => maintain(node.uuid, true, reason))} />}
      {asked?.kind === 'remove' && (
        <Confirm
          title={`Forget ${name}`}
          text={<p>The service forgets the machine with its ports and its history. The machine itself stays as it is.</p>}
          word={name}
          action="Forget"
          onClose={() => ask(null)}
          onYes={() => {
            ask(null);
            send('DELETE', `/v1/nodes/${part(node.uuid)}`).then(
              () => {
                say(`${name} is forgotten.`);
                go(href(['nodes']));
              },
              (error: unknown) => complain(`${name} could not be deleted`, error),
            );
          }}
        />
      )}
    </div>
  );
}

function MaintenanceDialog({ name, onClose, onYes }: { name: string; onClose: () => void; onYes: (reason: string) => void }) {
  const [reason, setReason] = useState('');
  return (
    <Dialog
      title={`Maintenance of ${name}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" onClick={() => onYes(reason)}>
            Begin maintenance
          </Button>
        </>
      }
    >
      <p>The service does not work on the machine until maintenance ends.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onYes(reason);
        }}
      >
        <Field label="Reason" hint="Others see it.">
          {(id) => <input id={id} class="input" autofocus value={reason} onInput={(event) => setReason(event.currentTarget.value)} />}
        </Field>
      </form>
    </Dialog>
  );
}
