// The serial console of a machine. All who are connected see its output, one of them types.

import { useEffect, useRef, useState } from 'preact/hooks';
import { get, pageKey, part, send } from '../api/http.ts';
import { chunk } from '../chunk.ts';
import { Button, Empty, Failed } from '../parts/base.tsx';
import { Dialog, ShowCommand } from '../parts/dialog.tsx';
import { complain, say } from '../parts/notices.tsx';
import type { NodeTabProps } from '../screens/node.tsx';
import { save } from '../screens/csv.ts';
import { fontSize } from '../settings.ts';
import { RULES, mayNot, quoted } from '../verbs.ts';
import { asError } from '../doc.ts';
import type { ApiError } from '../api/http.ts';
import type * as TerminalChunk from './terminal.ts';

type Tools = typeof TerminalChunk;

interface Screen {
  tools: Tools;
  terminal: TerminalChunk.Terminal;
  fit: TerminalChunk.FitAddon;
}

type Line = 'connecting' | 'open' | 'ended';

export function ConsoleTab(props: NodeTabProps) {
  const { node, me, reload } = props;
  const [busy, setBusy] = useState(false);
  const name = node.name ?? node.uuid;
  const why = mayNot(me, RULES.switchConsole);
  const turn = async (enabled: boolean) => {
    setBusy(true);
    try {
      await send('PUT', `/v1/nodes/${part(node.uuid)}/states/console`, { enabled });
      say(enabled ? 'The console is being switched on.' : 'The console is being switched off.');
      reload();
    } catch (error) {
      complain('The console could not be switched', error);
    }
    setBusy(false);
  };
  if (!node.console_enabled) {
    return (
      <Empty title="The console is off">
        <p>
          The console interface of {name} is <code>{String(node['console_interface'])}</code>.
        </p>
        <Button kind="main" why={why} busy={busy} onClick={() => void turn(true)}>
          Switch it on
        </Button>
        <code>corten node console enable {quoted(name)}</code>
      </Empty>
    );
  }
  const refused = mayNot(me, RULES.console);
  if (refused !== null) return <Empty title="You may not use the console">{refused}</Empty>;
  if (String(node['console_interface']).endsWith('-graphical')) return <ScreenPanel node={node} onOff={() => void turn(false)} why={why} />;
  return <Console {...props} key={node.uuid} onOff={() => void turn(false)} why={why} />;
}

/** A graphical console: its screen is in a document of its own. */
function ScreenPanel({ node, onOff, why }: { node: NodeTabProps['node']; onOff: () => void; why: string | null }) {
  const [busy, setBusy] = useState(false);
  const open = async () => {
    setBusy(true);
    try {
      const { console_info: info } = await get<{ console_info: { url: string } }>(`/v1/nodes/${part(node.uuid)}/states/console`);
      const url = new URL(info.url, location.href);
      if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('the address of the console is no web page');
      window.open(url, '_blank', 'noopener');
    } catch (error) {
      complain('The screen could not be opened', error);
    }
    setBusy(false);
  };
  const name = node.name ?? node.uuid;
  return (
    <Empty title="The console is on">
      <p>It shows the screen of {name}, in a window of its own, until its token ends.</p>
      <Button kind="main" busy={busy} onClick={() => void open()}>
        Open the screen
      </Button>
      <Button kind="quiet" why={why} onClick={onOff}>
        Switch off
      </Button>
      <code>corten node console show {quoted(name)}</code>
    </Empty>
  );
}

/** What the service says, in a way that the machine cannot. */
function notice(text: string): string {
  const safe = [...text].filter((sign) => sign >= ' ' && sign !== '\u007f').join('');
  return `\r\n\u001b[0;7m ${safe} \u001b[0m\r\n`;
}

function Console({ node, onOff, why }: NodeTabProps & { onOff: () => void; why: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | null>(null);
  const socket = useRef<WebSocket | null>(null);
  const found = useRef(0);
  const [line, setLine] = useState<Line>('connecting');
  const [writer, setWriter] = useState(false);
  const [readOnly, setReadOnly] = useState(false);
  const [textMode, setTextMode] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [paste, setPaste] = useState<string | null>(null);
  const [words, setWords] = useState('');
  const [again, setAgain] = useState(0);
  const name = node.name ?? node.uuid;

  const type = (text: string) => {
    if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(new TextEncoder().encode(text));
  };

  useEffect(() => {
    let gone = false;
    let observer: ResizeObserver | undefined;
    chunk(() => import('./terminal.ts')).then(
      (tools) => {
        if (gone || box.current === null) return;
        const made = tools.terminal(box.current, fontSize.value, textMode);
        screen.current = { tools, ...made };
        made.terminal.onData(type);
        made.terminal.attachCustomKeyEventHandler((event) => {
          if (event.type !== 'keydown' || !event.ctrlKey || !event.altKey || event.key !== 'Escape') return true;
          made.terminal.blur();
          frame.current?.querySelector<HTMLElement>('.console-bar button')?.focus();
          return false;
        });
        observer = new ResizeObserver(() => made.fit.fit());
        observer.observe(box.current);
        made.fit.fit();
        made.terminal.focus();
        setAgain((count) => count + 1);
      },
      (caught: unknown) => setError(asError(caught)),
    );
    return () => {
      gone = true;
      observer?.disconnect();
      screen.current?.terminal.dispose();
      screen.current = null;
    };
  }, [textMode]);

  useEffect(() => {
    const made = screen.current;
    if (made === null) return undefined;
    let gone = false;
    setLine('connecting');
    setError(null);
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const path = `/corten/v1/nodes/${part(node.uuid)}/console?mode=${readOnly ? 'read' : 'write'}`;
    const mine = new WebSocket(`${scheme}://${location.host}${path}`, ['corten.console', `corten.key.${pageKey()}`]);
    mine.binaryType = 'arraybuffer';
    socket.current = mine;
    let opened = false;
    mine.onopen = () => {
      opened = true;
      setLine('open');
    };
    mine.onmessage = (message) => {
      if (message.data instanceof ArrayBuffer) {
        made.terminal.write(new Uint8Array(message.data));
        return;
      }
      const told = JSON.parse(String(message.data)) as { type: string; writer?: boolean; bytes?: number; reason?: string };
      if (told.type === 'writer') setWriter(told.writer === true);
      else if (told.type === 'lost') made.terminal.write(notice(`${told.bytes ?? 0} characters were lost here`));
      else if (told.type === 'ended') made.terminal.write(notice(`The console ended: ${told.reason ?? ''}`));
    };
    mine.onclose = () => {
      if (gone) return;
      setLine('ended');
      setWriter(false);
      // A browser does not tell why a connection was refused; an ordinary request does.
      if (!opened) void explain(path).then((caught) => !gone && setError(caught));
    };
    return () => {
      gone = true;
      mine.close();
    };
  }, [again, readOnly, node.uuid]);

  const size = (step: number) => {
    fontSize.value = Math.max(9, Math.min(28, fontSize.value + step));
    const made = screen.current;
    if (made === null) return;
    made.terminal.options.fontSize = fontSize.value;
    made.fit.fit();
  };
  const tell = (kind: string) => {
    if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(JSON.stringify({ type: kind }));
    screen.current?.terminal.focus();
  };
  const off = line !== 'open' ? 'the console is not connected' : null;
  return (
    <div class="console" ref={frame}>
      <div class="console-bar" role="toolbar" aria-label="Console">
        <span class={`console-state console-${line}`} role="status">
          {line === 'connecting' ? 'connecting …' : line === 'ended' ? 'not connected' : readOnly ? 'you watch' : writer ? 'you type' : 'another user types'}
        </span>
        {line === 'ended' && (
          <Button small kind="main" onClick={() => setAgain(again + 1)}>
            Connect
          </Button>
        )}
        {!writer && !readOnly && line === 'open' && (
          <Button small onClick={() => tell('take_over')}>
            Take over
          </Button>
        )}
        <Button small kind="quiet" why={off ?? (writer ? null : 'you do not type')} onClick={() => tell('break')}>
          Break
        </Button>
        <Button small kind="quiet" pressed={readOnly} onClick={() => setReadOnly(!readOnly)}>
          Read only
        </Button>
        <Button small kind="quiet" pressed={textMode} onClick={() => setTextMode(!textMode)} label="Text mode, for screen readers">
          Text mode
        </Button>
        <Button small kind="quiet" label="A−: smaller text" onClick={() => size(-1)}>
          A−
        </Button>
        <Button small kind="quiet" label="A+: larger text" onClick={() => size(1)}>
          A+
        </Button>
        <form
          class="console-find"
          onSubmit={(event) => {
            event.preventDefault();
            const made = screen.current;
            if (made === null || words === '') return;
            const at = made.tools.find(made.terminal, words, found.current === 0 ? made.terminal.buffer.active.length : found.current);
            if (at < 0) say('Not found.');
            else found.current = at;
          }}
        >
          <input class="input filter" aria-label="Search the output" placeholder="Search" value={words} onInput={(event) => {
            found.current = 0;
            setWords(event.currentTarget.value);
          }} />
        </form>
        <span class="spring" />
        <Button small kind="quiet" onClick={() => screen.current !== null && save(`${name}.txt`, new Blob([screen.current.tools.textOf(screen.current.terminal)], { type: 'text/plain' }))}>
          Save
        </Button>
        <Button small kind="quiet" onClick={() => void frame.current?.requestFullscreen?.()}>
          Full screen
        </Button>
        <ShowCommand commands={{ corten: `corten node console ${quoted(name)}`, curl: `# a WebSocket: ${location.host}/corten/v1/nodes/${node.uuid}/console` }} />
        <Button small kind="quiet" why={why} onClick={onOff}>
          Switch off
        </Button>
      </div>
      {error !== null && <Failed error={error} />}
      <div
        class="console-screen"
        ref={box}
        onPasteCapture={(event) => {
          const text = event.clipboardData?.getData('text') ?? '';
          if (!/[\r\n]/.test(text.trimEnd())) return;
          event.preventDefault();
          event.stopPropagation();
          setPaste(text);
        }}
      />
      <p class="faint console-hint">
        <kbd>Ctrl</kbd> <kbd>Alt</kbd> <kbd>Esc</kbd> gives the keyboard back to the page.
      </p>
      {paste !== null && (
        <Dialog
          title="Paste several lines?"
          onClose={() => setPaste(null)}
          foot={
            <>
              <Button onClick={() => setPaste(null)}>Cancel</Button>
              <Button
                kind="main"
                onClick={() => {
                  screen.current?.terminal.paste(paste);
                  setPaste(null);
                }}
              >
                Paste
              </Button>
            </>
          }
        >
          <p>Each line may run a command on the machine.</p>
          <pre class="json">{paste}</pre>
        </Dialog>
      )}
    </div>
  );
}

async function explain(path: string): Promise<ApiError> {
  try {
    await send('GET', path);
  } catch (error) {
    const known = asError(error);
    // 426 is what an ordinary request gets where a WebSocket is welcome.
    if (known.status !== 426) return known;
  }
  return asError(new Error('The console cannot be joined now: the machine or its BMC does not offer it.'));
}
