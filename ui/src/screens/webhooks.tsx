// Addresses that events are posted to: how far each is, what it could not deliver, and trying again.

import { useState } from 'preact/hooks';
import { part, send } from '../api/http.ts';
import { useDoc } from '../doc.ts';
import { age, number, plural } from '../format.ts';
import { cursor } from '../live.ts';
import { Age, Button, Empty, Facts, Field, Loaded, Panel } from '../parts/base.tsx';
import { CommandLine, Dialog, ShowCommand } from '../parts/dialog.tsx';
import { Mark } from '../parts/marks.tsx';
import { complain, say } from '../parts/notices.tsx';
import { me } from '../session.ts';
import { curl, mayNot } from '../verbs.ts';

interface Webhook {
  uuid: string;
  description: string | null;
  url: string;
  kinds: string[];
  node: string | null;
  project: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  cursor: number;
  failures: number;
  next_attempt: string | null;
  last_error: string | null;
  last_success: string | null;
  sender: string | null;
}

interface DeadLetter {
  cursor: number;
  event: { kind?: string; text?: string; node_name?: string | null };
  attempts: number;
  last_error: string;
  replay: boolean;
  created_at: string;
}

export function Webhooks() {
  const doc = useDoc<{ webhooks: Webhook[] }>('/corten/v1/webhooks', { every: 5_000 });
  const [shown, show] = useState<Webhook | null>(null);
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Webhooks</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: 'corten webhook list', curl: curl('GET', '/corten/v1/webhooks') }} />
      </div>
      <Loaded doc={doc} lines={5}>
        {(data) =>
          data.webhooks.length === 0 ? (
            <Empty title="No webhooks">
              <p>A webhook has every event posted to an address of yours, in order and at least once.</p>
              <code>corten webhook create URL</code>
            </Empty>
          ) : (
            <div class="cards">
              {data.webhooks.map((one) => (
                <WebhookCard key={one.uuid} one={one} onLetters={() => show(one)} reload={doc.reload} />
              ))}
            </div>
          )
        }
      </Loaded>
      {shown !== null && <Letters webhook={shown} onClose={() => show(null)} />}
    </div>
  );
}

function WebhookCard({ one, onLetters, reload }: { one: Webhook; onLetters: () => void; reload: () => void }) {
  const [busy, setBusy] = useState(false);
  const path = `/corten/v1/webhooks/${part(one.uuid)}`;
  const behind = Math.max(0, cursor.value - one.cursor);
  const look = !one.enabled ? 'held' : one.failures > 0 ? 'failed' : 'in_use';
  const test = async () => {
    setBusy(true);
    try {
      const answer = await send<{ delivered: boolean; status: number | null; error: string | null; duration_ms: number }>('POST', `${path}/test`);
      if (answer?.delivered === true) say(`Delivered: status ${answer.status ?? ''}, ${answer.duration_ms} ms.`);
      else complain('The test was not delivered', new Error(answer?.error ?? 'no reason is known'));
    } catch (error) {
      complain('The test was refused', error);
    }
    setBusy(false);
  };
  const enable = async () => {
    try {
      await send('PATCH', path, { enabled: !one.enabled });
      reload();
    } catch (error) {
      complain('The change was refused', error);
    }
  };
  return (
    <Panel
      level={3}
      title={
        <>
          <Mark look={look} /> {one.description ?? one.url}
        </>
      }
    >
      <Facts
        rows={[
          ['Address', <code>{one.url}</code>],
          ['State', one.enabled ? (one.failures > 0 ? `failed ${plural(one.failures, 'time')}` : 'delivering') : `disabled${one.disabled_reason === null ? '' : `: ${one.disabled_reason}`}`],
          ['Behind', behind === 0 ? 'nothing' : plural(behind, 'event')],
          ['Kinds', one.kinds.length === 0 ? 'all' : one.kinds.join(', ')],
          ['Node', one.node],
          ['Project', one.project],
          ['Last success', one.last_success === null ? null : <Age at={one.last_success} ago />],
          ['Next attempt', one.next_attempt === null ? null : `in ${age(new Date().toISOString(), Date.parse(one.next_attempt))}`],
          ['Last error', one.last_error === null ? null : <span class="wrong">{one.last_error}</span>],
          ['Sender', one.sender],
        ]}
      />
      <p class="row">
        <Button small busy={busy} why={mayNot(me.value, 'corten:webhook:test')} onClick={() => void test()}>
          Test
        </Button>
        <Button small onClick={onLetters}>
          Dead letters
        </Button>
        <Button small kind="quiet" why={mayNot(me.value, 'corten:webhook:update')} onClick={() => void enable()}>
          {one.enabled ? 'Disable' : 'Enable'}
        </Button>
      </p>
    </Panel>
  );
}

function Letters({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const path = `/corten/v1/webhooks/${part(webhook.uuid)}`;
  const doc = useDoc<{ dead_letters: DeadLetter[] }>(`${path}/dead-letters`);
  const replay = async (body: Record<string, unknown>) => {
    try {
      await send('POST', `${path}/replay`, body);
      say('They are delivered once more.');
      doc.reload();
    } catch (error) {
      complain('The replay was refused', error);
    }
  };
  const why = mayNot(me.value, 'corten:webhook:replay');
  const [after, setAfter] = useState('');
  const wrong = /^\d*$/.test(after) ? null : 'A cursor is a whole number.';
  const count = doc.data.value?.dead_letters.length ?? 0;
  return (
    <Dialog
      wide
      title={`Dead letters of ${webhook.description ?? webhook.url}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="main" why={why ?? (count === 0 ? 'there are none' : null)} onClick={() => void replay({ dead_letters: true })}>
            Deliver all again
          </Button>
        </>
      }
    >
      <Loaded doc={doc}>
        {(data) =>
          data.dead_letters.length === 0 ? (
            <Empty title="Everything was delivered">Events that could not be delivered after all attempts are put aside here.</Empty>
          ) : (
            <div class="scroll-x">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col" class="num">cursor</th>
                    <th scope="col">event</th>
                    <th scope="col" class="num">attempts</th>
                    <th scope="col">why not</th>
                    <th scope="col" />
                  </tr>
                </thead>
                <tbody>
                  {data.dead_letters.map((letter) => (
                    <tr key={letter.cursor}>
                      <td class="num">{number(letter.cursor)}</td>
                      <td>
                        {letter.event.node_name ?? ''} {letter.event.kind ?? ''} {letter.event.text ?? ''}
                      </td>
                      <td class="num">{letter.attempts}</td>
                      <td class="wrong wrap">{letter.last_error}</td>
                      <td>
                        <Button small kind="quiet" why={why ?? (letter.replay ? 'it is being delivered' : null)} onClick={() => void replay({ dead_letter: letter.cursor })}>
                          Again
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
      <form
        class="row replay"
        onSubmit={(event) => {
          event.preventDefault();
          if (why === null && wrong === null && after !== '') void replay({ after: Number(after) });
        }}
      >
        <Field label="Deliver everything again that came after the cursor" error={wrong} hint={`It is at ${webhook.cursor} now. Receivers hear of the same events once more.`}>
          {(id, described) => <input id={id} class="input input-number" inputMode="numeric" aria-describedby={described} value={after} onInput={(event) => setAfter(event.currentTarget.value.trim())} />}
        </Field>
        <Button type="submit" why={why ?? wrong ?? (after === '' ? 'a cursor is missing' : null)}>
          Replay
        </Button>
      </form>
      <CommandLine label="corten" text={`corten webhook replay ${webhook.uuid} ${after === '' ? '--dead-letters' : `--after ${after}`}`} />
    </Dialog>
  );
}
