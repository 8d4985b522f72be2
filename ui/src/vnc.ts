// The screen of a machine, by noVNC, in a document of its own: pictures come as `data:` addresses, which
// the rest of the page may not load. The address is that of Ironic: `path` holds the node and a token.

import RFB from '@novnc/novnc';

/** Shown while there is nothing better. */
const UNKNOWN = 'The address of this page names no screen. Open it from the console of a node.';

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as T;
};
const button = (id: string) => byId<HTMLButtonElement>(id);

interface Place {
  node: string;
  token: string;
}

/** What the address says; null if it is not that of a screen. */
function place(): Place | null {
  const path = new URLSearchParams(location.search).get('path') ?? '';
  const asked = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  const node = asked.get('node') ?? '';
  const token = asked.get('token') ?? '';
  return /^[0-9a-f-]{36}$/.test(node) && token !== '' ? { node, token } : null;
}

const target = byId('screen');
const state = byId('state');
const reason = byId('reason');
let rfb: RFB | null = null;

function tell(text: string | null): void {
  reason.hidden = text === null;
  reason.textContent = text;
}

function show(line: 'connecting' | 'open' | 'ended'): void {
  const words = { connecting: 'connecting …', open: button('watch').ariaPressed === 'true' ? 'you watch' : 'connected', ended: 'not connected' };
  state.textContent = words[line];
  state.dataset['line'] = line;
  button('connect').hidden = line !== 'ended';
  button('cad').disabled = line !== 'open';
}

/** A browser does not tell why a connection was refused; an ordinary request does. */
async function explain(path: string): Promise<string> {
  try {
    const answer = await fetch(path, { cache: 'no-store' });
    const text = await answer.text();
    const outer = JSON.parse(text) as { error_message?: string };
    const inner = JSON.parse(outer.error_message ?? '{}') as { faultstring?: string };
    // An ordinary request is no WebSocket, which is asked about first.
    if (answer.status !== 426 && inner.faultstring !== undefined) return inner.faultstring;
  } catch {
    return 'The service does not answer.';
  }
  return 'The token of this console is wrong or has ended, the console is off, or its VNC server does not answer. Switch the console off and on for a new one.';
}

function connect({ node, token }: Place): void {
  rfb?.disconnect();
  target.replaceChildren();
  tell(null);
  show('connecting');
  const path = `/corten/v1/nodes/${node}/screen?token=${encodeURIComponent(token)}`;
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  // With the key of a session the event log names who looked.
  const key = localStorage.getItem('corten.key');
  const protocols = ['corten.console', ...(key === null ? [] : [`corten.key.${key}`])];
  const socket = new WebSocket(`${scheme}://${location.host}${path}`, protocols);
  let opened = false;
  let said: string | null = null;
  socket.addEventListener('open', () => {
    opened = true;
  });
  socket.addEventListener('message', (message) => {
    if (typeof message.data !== 'string') return;
    const told = JSON.parse(message.data) as { type: string; reason?: string };
    if (told.type === 'ended') said = `The console ended: ${told.reason ?? ''}.`;
  });
  const mine = new RFB(target, socket, { shared: true });
  rfb = mine;
  mine.background = 'transparent';
  mine.viewOnly = button('watch').ariaPressed === 'true';
  mine.scaleViewport = button('scale').ariaPressed === 'true';
  mine.addEventListener('connect', () => {
    show('open');
    mine.focus();
  });
  mine.addEventListener('desktopname', (event) => {
    const name = (event as CustomEvent<{ name: string }>).detail.name;
    document.title = `${name} · Screen · Corten`;
  });
  mine.addEventListener('disconnect', () => {
    if (rfb !== mine) return;
    rfb = null;
    show('ended');
    if (opened) tell(said);
    else void explain(path).then((text) => rfb === null && tell(text));
  });
}

function toggle(id: string, act: (pressed: boolean) => void): void {
  const one = button(id);
  one.addEventListener('click', () => {
    one.ariaPressed = one.ariaPressed === 'true' ? 'false' : 'true';
    act(one.ariaPressed === 'true');
  });
}

const asked = place();
button('connect').addEventListener('click', () => asked !== null && connect(asked));
button('cad').addEventListener('click', () => {
  rfb?.sendCtrlAltDel();
  rfb?.focus();
});
toggle('watch', (pressed) => {
  if (rfb !== null) rfb.viewOnly = pressed;
  if (state.dataset['line'] === 'open') show('open');
});
toggle('scale', (pressed) => {
  if (rfb !== null) rfb.scaleViewport = pressed;
});
button('full').addEventListener('click', () => {
  void byId('screen').requestFullscreen();
  rfb?.focus();
});
addEventListener(
  'keydown',
  (event) => {
    if (!event.ctrlKey || !event.altKey || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // noVNC lets all keys go then, so that none stays down in the machine.
    dispatchEvent(new Event('blur'));
    rfb?.blur();
    button('watch').focus();
  },
  true,
);
if (asked === null) {
  show('ended');
  button('connect').hidden = true;
  tell(UNKNOWN);
} else {
  byId('name').textContent = `Screen of ${asked.node}`;
  connect(asked);
}
