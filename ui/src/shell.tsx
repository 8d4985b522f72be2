// The frame around all screens: navigation, connection, notices, sign-in, palette and keys.

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { signInNeeded } from './api/http.ts';
import { now, utc, duration } from './format.ts';
import { help, knownKeys, onKey, palette, useKeys } from './keys.ts';
import { connection, lastWord, retryNow } from './live.ts';
import { Button } from './parts/base.tsx';
import { Dialog } from './parts/dialog.tsx';
import { Icon } from './parts/marks.tsx';
import { Menu } from './parts/menu.tsx';
import { Notices } from './parts/notices.tsx';
import { Palette } from './palette.tsx';
import { followLinks, go, href, path } from './router.ts';
import { SignIn } from './screens/signin.tsx';
import { me, meName, signOut } from './session.ts';
import { letters, setTheme, theme } from './settings.ts';
import { complain } from './parts/notices.tsx';

export const SCREENS = [
  { word: '', label: 'Fleet', key: 'f' },
  { word: 'nodes', label: 'Nodes', key: 'n' },
  { word: 'events', label: 'Events', key: 'e' },
  { word: 'conductors', label: 'Conductors', key: 'c' },
  { word: 'allocations', label: 'Allocations', key: 'a' },
] as const;

const MORE = [
  { word: 'batches', label: 'Batches', about: 'one verb over many machines, in waves' },
  { word: 'enrol', label: 'Enrol machines', about: 'tell the service of one machine, or of a table of them' },
  { word: 'templates', label: 'Deploy templates', about: 'steps that deployments have for a trait' },
  { word: 'runbooks', label: 'Runbooks', about: 'steps for cleaning and servicing, under a name' },
  { word: 'rules', label: 'Inspection rules', about: 'what is done about what inspection finds' },
  { word: 'images', label: 'Images', about: 'images under names, and what is cached' },
  { word: 'boot', label: 'Boot services', about: 'networks, leases, machines that boot from here' },
  { word: 'webhooks', label: 'Webhooks', about: 'addresses that events are posted to' },
  { word: 'settings', label: 'Settings', about: 'the configuration, and where each value is from' },
  { word: 'shadow', label: 'Shadow', about: 'how answers compare with those of an Ironic' },
] as const;

export const ALL_SCREENS = [...SCREENS, ...MORE, { word: 'me', label: 'Me and my rules' }];

export function Shell({ children }: { children: ComponentChildren }) {
  const here = path.value[0] ?? '';
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    document.addEventListener('click', followLinks);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('click', followLinks);
    };
  }, []);
  const place = path.value.join('/');
  useEffect(() => {
    const screen = ALL_SCREENS.find((one) => one.word === here);
    if (path.value[1] === undefined) document.title = screen === undefined ? 'Corten' : `${screen.label} · Corten`;
    // Where the bar is narrow, it shows where one is.
    document.querySelector('.nav-link[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // What had the focus may be gone with the screen before.
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [place]);
  useKeys([
    ...SCREENS.map((screen) => ({
      keys: `g ${screen.key}`,
      about: `go to ${screen.label.toLowerCase()}`,
      run: () => go(href(screen.word === '' ? [] : [screen.word])),
    })),
    { keys: '?', about: 'show these keys', run: () => (help.value = true) },
  ]);
  const other = MORE.find((screen) => screen.word === here);
  const stale = connection.value === 'lost';
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={href([])}>
          <span class="brand-mark" aria-hidden="true">
            <i /><i /><i />
          </span>
          Corten
        </a>
        <div class="nav-row">
          <nav class="nav" aria-label="Screens">
            {SCREENS.map((screen) => (
              <a key={screen.word} class="nav-link" href={href(screen.word === '' ? [] : [screen.word])} aria-current={here === screen.word ? 'page' : undefined}>
                {screen.label}
              </a>
            ))}
          </nav>
          <Menu
            kind={other === undefined ? 'quiet' : 'here'}
            right
            name={other === undefined ? 'More screens' : `${other.label}: more screens`}
            label={other?.label ?? 'More'}
            choices={MORE.map((screen) => ({ label: screen.label, about: screen.about, onPick: () => go(href([screen.word])) }))}
          />
        </div>
        <div class="bar-end">
          <button type="button" class="button button-quiet find" onClick={() => (palette.value = true)}>
            <Icon name="search" /> <span class="find-word">Find</span> <kbd>Ctrl K</kbd>
          </button>
          <Live />
          <WhoMenu />
        </div>
      </header>
      {me.value?.mode === 'noauth' && (
        <p class="banner">
          <Icon name="lock" /> No sign-in is set up: everybody who reaches this service may do everything.
        </p>
      )}
      {stale && <Lost />}
      <main id="main" class={stale ? 'main main-stale' : 'main'} tabIndex={-1}>
        {children}
      </main>
      <Notices />
      {palette.value && <Palette />}
      {help.value && <Help />}
      {signInNeeded.value && <SignIn />}
    </>
  );
}

function Live() {
  const words = { connecting: 'connecting', live: 'live', lost: 'connection lost', paused: 'paused' };
  return (
    <span class={`live live-${connection.value}`} title={words[connection.value]}>
      <span class="live-dot" aria-hidden="true" />
      <span class="live-word">{words[connection.value]}</span>
    </span>
  );
}

function Lost() {
  const seconds = (now.value - lastWord.value) / 1_000;
  return (
    <div class="lost" role="alert">
      <Icon name="warn" />
      <span>
        The service does not answer. What you see is from{' '}
        <time dateTime={new Date(lastWord.value).toISOString()} title={utc(new Date(lastWord.value).toISOString())}>
          {duration(seconds)} ago
        </time>
        .
      </span>
      <Button small onClick={retryNow}>
        Try now
      </Button>
    </div>
  );
}

function WhoMenu() {
  const who = me.value;
  const choices = [
    { label: 'Me and my rules', onPick: () => go(href(['me'])) },
    { label: 'Light', checked: theme.value === 'light', onPick: () => setTheme('light') },
    { label: 'Dark', checked: theme.value === 'dark', onPick: () => setTheme('dark') },
    { label: 'As the system', checked: theme.value === 'system', onPick: () => setTheme('system') },
    { label: 'Letters are keys', checked: letters.value, onPick: () => (letters.value = !letters.value) },
    { label: 'Keyboard', onPick: () => (help.value = true) },
    ...(who !== undefined && who.mode !== 'noauth' ? [{ label: 'Sign out', onPick: () => void signOut().catch((error: unknown) => complain('Signing out failed', error)) }] : []),
  ];
  const name = meName(who);
  return <Menu kind="quiet" right name={name === '' ? 'Menu' : `Menu of ${name}`} label={<span class="who">{name === '' ? 'Menu' : name}</span>} choices={choices} />;
}

const ALWAYS: [string, string][] = [
  ['Ctrl K', 'find a node, a screen or a command'],
  ['Esc', 'close, then clear'],
];

function Help() {
  const rows = new Map<string, string>(ALWAYS);
  for (const key of knownKeys()) rows.set(key.keys === ' ' ? 'Space' : key.keys, key.about);
  return (
    <Dialog title="Keys of this screen" onClose={() => (help.value = false)}>
      <dl class="keys">
        {[...rows].map(([keys, about]) => (
          <div class="keys-row" key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      {!letters.value && <p class="faint">Single letters are switched off; the menu switches them on.</p>}
    </Dialog>
  );
}
