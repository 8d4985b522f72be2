// The panel that asks who is there. It covers the page, so that address and unsaved input stay.

import { useEffect, useState } from 'preact/hooks';
import { ApiError, get } from '../api/http.ts';
import { Button, Field } from '../parts/base.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { type Session, signIn } from '../session.ts';

type Way = 'password' | 'token' | 'credential';

export function SignIn() {
  const [session, setSession] = useState<Session | undefined>();
  const [way, setWay] = useState<Way>('password');
  const [form, setForm] = useState<Record<string, string>>({ user_domain: 'Default', project_domain: 'Default' });
  const [wrong, setWrong] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    get<Session>('/corten/v1/session').then(setSession, () => setSession({ mode: 'http_basic', is_signed_in: false }));
  }, []);

  const field = (name: string, label: string, kind: 'text' | 'password' = 'text', first = false) => (
    <Field label={label} key={name}>
      {(id) => (
        <input
          id={id}
          class="input"
          type={kind as 'text'}
          name={name}
          autofocus={first}
          autocomplete={kind === 'password' ? 'current-password' : name === 'username' ? 'username' : 'off'}
          value={form[name] ?? ''}
          onInput={(event) => {
            const { value } = event.currentTarget;
            setForm((before) => ({ ...before, [name]: value }));
          }}
        />
      )}
    </Field>
  );

  const body = (): Record<string, unknown> => {
    if (session?.mode !== 'keystone') {
      const local = { username: form['username'], password: form['password'] };
      const place = form['project'] ?? '';
      return session?.mode === 'local' && place !== '' ? { ...local, project: place } : local;
    }
    if (way === 'token') return { token: form['token'] };
    if (way === 'credential') return { application_credential: { id: form['id'], secret: form['secret'] } };
    const who = { username: form['username'], password: form['password'], user_domain: form['user_domain'] };
    const project = form['project'] ?? '';
    return project === '' ? { ...who, system: true } : { ...who, project, project_domain: form['project_domain'] };
  };

  const submit = async () => {
    setBusy(true);
    setWrong(null);
    try {
      await signIn(body());
    } catch (error) {
      setWrong(error instanceof ApiError && error.status === 401 ? 'Name or password is wrong.' : error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };

  return (
    <Dialog title="Sign in to Corten" onClose={() => undefined} class="signin">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {session?.mode === 'keystone' && (
          <div class="segmented" role="radiogroup" aria-label="Sign in by">
            {(['password', 'token', 'credential'] as const).map((one) => (
              <label key={one}>
                <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
                <span>{one === 'credential' ? 'application credential' : one}</span>
              </label>
            ))}
          </div>
        )}
        {(session?.mode !== 'keystone' || way === 'password') && (
          <>
            {field('username', 'Name', 'text', true)}
            {field('password', 'Password', 'password')}
          </>
        )}
        {session?.mode === 'local' && field('project', 'Project (empty: as your roles say)')}
        {session?.mode === 'keystone' && way === 'password' && (
          <div class="pair">
            {field('user_domain', 'Domain of the user')}
            {field('project', 'Project (empty: the system)')}
            {(form['project'] ?? '') !== '' && field('project_domain', 'Domain of the project')}
          </div>
        )}
        {session?.mode === 'keystone' && way === 'token' && field('token', 'Token', 'password', true)}
        {session?.mode === 'keystone' && way === 'credential' && (
          <>
            {field('id', 'Id', 'text', true)}
            {field('secret', 'Secret', 'password')}
          </>
        )}
        {wrong !== null && (
          <p class="wrong" role="alert">
            {wrong}
          </p>
        )}
        <Button local kind="main" type="submit" busy={busy}>
          Sign in
        </Button>
      </form>
    </Dialog>
  );
}
