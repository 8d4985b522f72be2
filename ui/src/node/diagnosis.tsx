// What is the matter with a machine, why, and what to do.

import type { Diagnosis } from '../api/shapes.ts';
import { age } from '../format.ts';
import { Clock, Words } from '../parts/base.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import { href } from '../router.ts';
import type { NodeTabProps } from '../screens/node.tsx';

const TABS: Record<string, string> = { timeline: 'timeline', boot_log: 'boot', recorder: 'bmc', history: 'history', validation: 'settings' };
const TITLES: Record<string, string> = {
  failed: 'Failed',
  fault: 'The service found a fault',
  stuck: 'Waiting for too long,',
  error: 'The last thing asked of it failed',
  maintenance: 'In maintenance',
  held: 'Held',
};

export function Matter({ diagnosis, node }: NodeTabProps & { diagnosis: Diagnosis }) {
  const title = TITLES[diagnosis.kind];
  if (title === undefined) return null;
  const ident = node.name ?? node.uuid;
  const isBad = diagnosis.kind !== 'maintenance' && diagnosis.kind !== 'held';
  return (
    <section class={`panel matter${isBad ? ' matter-bad' : ''}`} aria-label="What is the matter">
      <div class="matter-mark">{isBad ? <Mark look="failed" /> : <Icon name="pause" />}</div>
      <div class="matter-words">
        <p class="matter-kind">
          {title}
          {diagnosis.since !== null && (
            <>
              {' '}
              since <Clock at={diagnosis.since} /> ({age(diagnosis.since)})
            </>
          )}
        </p>
        <h2 class="matter-cause">{diagnosis.cause?.sentence ?? diagnosis.meaning}</h2>
        {diagnosis.cause?.sentence !== undefined && diagnosis.cause !== null && <p class="faint">{diagnosis.meaning}</p>}
        {diagnosis.cause?.advice !== null && diagnosis.cause?.advice !== undefined && (
          <p class="matter-advice">
            <strong>What to do:</strong> <Words text={diagnosis.cause.advice} />
            {diagnosis.cause.docs !== null && (
              <>
                {' '}
                More in <code>{diagnosis.cause.docs}</code>.
              </>
            )}
          </p>
        )}
        {diagnosis.finding !== null && <blockquote class="finding">{diagnosis.finding}</blockquote>}
        {diagnosis.maintenance !== null && (
          <p>
            {diagnosis.maintenance.reason !== null && diagnosis.maintenance.reason !== '' ? `Maintenance: ${diagnosis.maintenance.reason}. ` : 'No reason for the maintenance was given. '}
            {diagnosis.maintenance.fault !== null && `Fault: ${diagnosis.maintenance.fault}.`}
          </p>
        )}
        {diagnosis.waiting !== null && (
          <p>
            Waits {age(diagnosis.waiting.since)} for {diagnosis.waiting.for}.
          </p>
        )}
        {diagnosis.evidence.length > 0 && (
          <ul class="evidence" aria-label="Evidence">
            {diagnosis.evidence.map((one) => (
              <li key={one.kind + one.text}>
                <a href={href(['nodes', ident], { tab: TABS[one.kind] ?? 'json' })}>{one.kind.replace('_', ' ')}</a> {one.text}
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
