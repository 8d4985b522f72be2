// The plan of a verb, and the choice of a disk.

import type { ApiError } from '../api/http.ts';
import type { Change } from '../acts.ts';
import type { Plan } from '../api/shapes.ts';
import { bytes } from '../format.ts';
import { Field, Skeleton } from '../parts/base.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import { href } from '../router.ts';

export interface Planned {
  plan: Plan | null;
  error: ApiError | null;
  /** Whether a newer plan is awaited. */
  asked: boolean;
}

export function Disks({ plan, hint, wrong, onHint }: { plan: Plan | null; hint: string; wrong: string | null; onHint: (hint: string) => void }) {
  const disks = plan?.disks ?? null;
  return (
    <fieldset class="choice">
      <legend>Disk</legend>
      {disks === null ? (
        <p class="faint">The machine was not inspected, so its disks are not known. Without a hint the service takes the smallest disk that fits.</p>
      ) : (
        <div class="disks">
          {disks.map((disk) => {
            const own = disk.hint === null ? null : JSON.stringify(disk.hint);
            return (
              <label key={disk.name} class={`disk${disk.fits === true ? ' disk-fits' : ''}`}>
                <input type="radio" name="disk" checked={own !== null && own === hint} disabled={own === null} onChange={() => own !== null && onHint(own)} />
                <span>
                  <strong>{disk.name.replace('/dev/', '')}</strong> {bytes(disk.size)} {disk.rotational === true ? 'spinning' : disk.rotational === false ? 'SSD' : ''}{' '}
                  <span class="faint">{disk.model ?? ''}</span>
                  {disk.fits === true && <span class="chip">the hint means this one</span>}
                </span>
              </label>
            );
          })}
        </div>
      )}
      <Field label="Root device hint" error={wrong ?? plan?.root_device?.error} hint="Empty: the service chooses.">
        {(id) => <input id={id} class="input" spellcheck={false} placeholder='{"size": ">= 900"}' value={hint} onInput={(event) => onHint(event.currentTarget.value)} />}
      </Field>
    </fieldset>
  );
}

export function PlanPanel({ plan, error, asked, changes, ident }: Planned & { changes: Change[]; ident: string }) {
  return (
    <section class={`plan${asked ? ' plan-old' : ''}`} aria-label="Plan" aria-busy={asked}>
      <h3>Plan</h3>
      {plan === null && error === null && <Skeleton lines={3} />}
      {error !== null && <p class="wrong">{error.message}</p>}
      {plan !== null && (
        <>
          <p class={plan.is_accepted ? 'good' : 'wrong'}>
            {plan.is_accepted ? <Icon name="check" /> : <Mark look="failed" />} {plan.is_accepted ? 'accepted' : (plan.refusal?.text ?? 'refused')}
          </p>
          {plan.states.length > 0 && (
            <p class="plan-states">
              {plan.states.map((state, index) => (
                <span key={index}>
                  {index > 0 && ' → '}
                  {state}
                </span>
              ))}
            </p>
          )}
          {plan.steps.length > 0 && (
            <ol class="plan-steps">
              {plan.steps.map((step, index) => (
                <li key={index}>
                  {step.interface}.{step.step} <span class="faint">({step.source})</span>
                </li>
              ))}
            </ol>
          )}
          {plan.more_steps !== null && <p class="faint">{plan.more_steps}</p>}
          {(plan.validation ?? [])
            .filter((one) => one.result === false)
            .map((one) => (
              <p key={one.interface} class="wrong">
                <Mark look="failed" /> {one.interface}: {one.reason} <a href={href(['nodes', ident], { tab: 'settings' })}>set it</a>
              </p>
            ))}
        </>
      )}
      {changes.length > 0 && (
        <p class="faint">
          Before that, {changes.length === 1 ? 'one field of the node is written' : `${changes.length} fields of the node are written`}: {changes.map((one) => one.path.slice(1)).join(', ')}. The plan takes the node as it is now.
        </p>
      )}
    </section>
  );
}
