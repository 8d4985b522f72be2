// Dialogs: the browser's own keep the focus, close by Escape and give the focus back.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Copy, Field } from './base.tsx';

interface DialogProps {
  title: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
  foot?: ComponentChildren;
  wide?: boolean;
  class?: string;
}

export function Dialog({ title, onClose, children, foot, wide, class: name }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  // Before the next key is pressed: what is typed right after the dialog was asked for belongs to it.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element !== null && !element.open) element.showModal();
    return () => {
      gone.current = true;
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog${wide === true ? ' dialog-wide' : ''} ${name ?? ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // A second Escape closes even a dialog that wants to stay.
        if (gone.current) return;
        onClose();
        requestAnimationFrame(() => {
          const element = dialog.current;
          if (!gone.current && element !== null && !element.open) element.showModal();
        });
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" small label="Close" onClick={onClose}>
            ✕
          </Button>
        </header>
        <div class="dialog-body">{children}</div>
        {foot !== undefined && <footer class="dialog-foot">{foot}</footer>}
      </div>
    </dialog>
  );
}

/** Asks before something is lost: the name, or the number of nodes, has to be typed. */
export function Confirm(props: { title: string; text: ComponentChildren; word: string; action: string; onClose: () => void; onYes: () => void; children?: ComponentChildren }) {
  const [typed, type] = useState('');
  const fits = typed.trim() === props.word;
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      foot={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="danger" why={fits ? null : `type ${props.word} first`} onClick={props.onYes}>
            {props.action}
          </Button>
        </>
      }
    >
      <div>{props.text}</div>
      {props.children}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fits) props.onYes();
        }}
      >
        <Field label={`Type ${props.word} to go on`}>
          {(id) => <input id={id} class="input" autofocus autocomplete="off" spellcheck={false} value={typed} onInput={(event) => type(event.currentTarget.value)} />}
        </Field>
      </form>
    </Dialog>
  );
}

export interface Commands {
  corten: string;
  curl: string;
}

/** The commands that do or show the same as the page. */
export function CommandDialog({ commands, onClose }: { commands: Commands; onClose: () => void }) {
  return (
    <Dialog title="The same by command" onClose={onClose}>
      <CommandLine label="corten" text={commands.corten} />
      <CommandLine label="curl" text={commands.curl} />
    </Dialog>
  );
}

export function CommandLine({ label, text }: { label: string; text: string }) {
  return (
    <div class="command">
      <span class="command-label">{label}</span>
      <code class="command-text" tabIndex={0}>{text}</code>
      <Copy text={text} label={`Copy the ${label} command`} />
    </div>
  );
}

export function ShowCommand({ commands }: { commands: Commands }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" small onClick={() => setOpen(true)}>
        Show command
      </Button>
      {open && <CommandDialog commands={commands} onClose={() => setOpen(false)} />}
    </>
  );
}
