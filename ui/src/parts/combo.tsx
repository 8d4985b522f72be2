// A text field that offers what is known, with what it means. Anything else can be typed too.

import { useId, useRef, useState } from 'preact/hooks';

export interface Offer {
  value: string;
  about?: string | undefined;
}

interface ComboProps {
  id?: string;
  label?: string;
  described?: string | undefined;
  value: string;
  offers: readonly Offer[];
  onValue: (value: string) => void;
  /** Called when an offer was taken, or typed as a whole. */
  onPick?: ((value: string) => void) | undefined;
  wrong?: boolean;
  placeholder?: string;
  autofocus?: boolean;
  code?: boolean;
}

const MOST = 60;

/** Offers that fit, those first that begin with what was typed. */
export function fitting(offers: readonly Offer[], typed: string): Offer[] {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const fits = offers.filter((offer) => {
    const text = `${offer.value} ${offer.about ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = (offer: Offer) => (offer.value.toLowerCase().startsWith(typed.toLowerCase()) ? 0 : 1);
  return fits.sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

export function Combo(props: ComboProps) {
  const own = useId();
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const list = useRef<HTMLUListElement>(null);
  const exact = props.offers.some((offer) => offer.value === props.value);
  // A whole name is no filter: whoever comes back to the field wants to see the others.
  const found = open ? fitting(props.offers, exact ? '' : props.value) : [];
  const move = (to: number) => {
    setOpen(true);
    setChosen(to);
    requestAnimationFrame(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }));
  };
  const pick = (index: number) => {
    const offer = found[index];
    if (offer === undefined) return;
    setOpen(false);
    setChosen(-1);
    props.onValue(offer.value);
    props.onPick?.(offer.value);
  };
  return (
    <span class="combo">
      <input
        id={props.id}
        class={`input${props.code === true ? ' input-code' : ''}`}
        role="combobox"
        aria-label={props.label}
        aria-describedby={props.described}
        aria-expanded={found.length > 0}
        aria-controls={`${own}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 && found[chosen] !== undefined ? `${own}-${chosen}` : undefined}
        aria-invalid={props.wrong === true}
        autocomplete="off"
        autofocus={props.autofocus}
        spellcheck={false}
        placeholder={props.placeholder}
        value={props.value}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          // A whole name needs no more offers, and what they would cover is wanted next.
          setOpen(!props.offers.some((offer) => offer.value === typed));
          setChosen(-1);
          props.onValue(typed);
        }}
        onClick={() => setOpen(true)}
        onBlur={() => {
          setOpen(false);
          setChosen(-1);
          if (exact) props.onPick?.(props.value);
        }}
        onKeyDown={(event) => {
          if (event.altKey || event.ctrlKey || event.metaKey) return;
          if (event.key === 'ArrowDown') move(open ? Math.min(chosen + 1, found.length - 1) : 0);
          else if (event.key === 'ArrowUp') move(Math.max(chosen - 1, -1));
          else if (event.key === 'Enter' && chosen >= 0) pick(chosen);
          else if (event.key === 'Escape' && open && found.length > 0) {
            setOpen(false);
            setChosen(-1);
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <ul class="offers" id={`${own}-list`} role="listbox" aria-label={`Known: ${props.label ?? 'values'}`} hidden={found.length === 0} ref={list}>
        {found.map((offer, index) => (
          <li
            key={offer.value}
            id={`${own}-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="offer"
            onPointerDown={(event) => {
              event.preventDefault();
              pick(index);
            }}
          >
            <span class="offer-value">{offer.value}</span>
            {offer.about !== undefined && <span class="faint">{offer.about}</span>}
          </li>
        ))}
      </ul>
    </span>
  );
}
