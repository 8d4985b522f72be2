// A button with a list of choices below it, for mouse and keyboard.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './marks.tsx';

export interface Choice {
  label: string;
  about?: string | undefined;
  why?: string | null | undefined;
  danger?: boolean | undefined;
  checked?: boolean | undefined;
  onPick: () => void;
}

export function Menu({ label, choices, kind = 'plain', name, right }: { label: ComponentChildren; choices: Choice[]; kind?: string; name?: string; right?: boolean }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];

  useEffect(() => {
    if (!open) return undefined;
    items()[0]?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && root.current?.contains(event.target) === false) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const move = (step: number) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };

  return (
    <div class="menu" ref={root}>
      <button
        ref={button}
        type="button"
        class={`button button-${kind}`}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={name}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            setOpen(true);
          }
        }}
      >
        {label} <Icon name="down" />
      </button>
      {open && (
        <div
          class={`menu-list${right === true ? ' menu-right' : ''}`}
          role="menu"
          aria-label={name ?? 'Choices'}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Escape' || event.key === 'Tab') close();
            else if (event.key === 'ArrowDown' || event.key === 'j') move(1);
            else if (event.key === 'ArrowUp' || event.key === 'k') move(-1);
            else if (event.key === 'Home') items()[0]?.focus();
            else if (event.key === 'End') items().at(-1)?.focus();
            else return;
            event.preventDefault();
          }}
        >
          {choices.map((choice) => (
            <button
              key={choice.label}
              type="button"
              role={choice.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
              aria-checked={choice.checked}
              aria-disabled={choice.why !== null && choice.why !== undefined}
              tabIndex={-1}
              class={`menu-item${choice.danger === true ? ' menu-danger' : ''}`}
              onClick={() => {
                if (choice.why !== null && choice.why !== undefined) return;
                close();
                choice.onPick();
              }}
            >
              <span class="menu-label">
                {choice.checked !== undefined && <span class="menu-check">{choice.checked ? <Icon name="check" /> : null}</span>}
                {choice.label}
              </span>
              {(choice.why ?? choice.about) !== undefined && (choice.why ?? choice.about) !== null && <span class="menu-about">{choice.why ?? choice.about}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
