// Operations as bars: phases beside each other as long as they took, steps, waits, errors.

import type { Flow, Timeline } from '../api/shapes.ts';
import type { Doc } from '../doc.ts';
import { age, bytes, duration, now, percent } from '../format.ts';
import { Age, Clock, Empty, Loaded, Meter } from '../parts/base.tsx';
import { Icon, Mark } from '../parts/marks.tsx';
import type { Look } from '../api/states.ts';

const LOOK: Record<string, Look> = { running: 'working', done: 'in_use', failed: 'failed', aborted: 'held', waiting: 'waiting', pending: 'ready' };

function who(flow: Flow): string | null {
  const by = flow.requested_by;
  return by === null ? null : (by.user ?? by.project);
}

/** The operation that runs now, above the tabs. */
export function Running({ flow }: { flow: Flow }) {
  const user = who(flow);
  return (
    <section class="panel running" aria-label="Under way">
      <header class="running-head">
        <h2>
          <Mark look="working" /> {flow.verb}
        </h2>
        <span class="faint">
          {user !== null && `asked by ${user} `}
          <Age at={flow.started_at} ago />
          {flow.requested_by?.request_id != null && (
            <>
              {' · '}
              <code>{flow.requested_by.request_id}</code>
            </>
          )}
        </span>
        {flow.restarts > 0 && <span class="chip">taken up again {flow.restarts} times</span>}
      </header>
      <Phases flow={flow} />
      <ProgressLine flow={flow} />
      <Steps flow={flow} />
    </section>
  );
}

function ProgressLine({ flow }: { flow: Flow }) {
  const { progress, waiting } = flow;
  const of = (name: string) => {
    const found = progress?.[name];
    return typeof found === 'number' ? found : null;
  };
  const [done, total, rate, eta] = [of('bytes'), of('total'), of('rate'), of('eta')];
  return (
    <>
      {done !== null && total !== null && total > 0 && (
        <div class="progress-line">
          <Meter value={percent(done, total)} label="Bytes written" />
          <span>
            {bytes(done)} of {bytes(total)}
            {rate !== null && ` · ${bytes(rate)}/s`}
            {eta !== null && ` · ${duration(eta)} left`}
          </span>
        </div>
      )}
      {waiting !== null && (
        <p class="waits">
          <Mark look="waiting" /> waits {age(waiting.since ?? waiting.started_at)} for {waiting.for ?? waiting.what ?? 'the machine'}
        </p>
      )}
    </>
  );
}

function seconds(flow: Flow, index: number): number {
  const phase = flow.phases[index];
  if (phase === undefined) return 0;
  if (phase.duration !== null) return phase.duration;
  const next = flow.phases[index + 1];
  const end = next === undefined ? (flow.ended_at === null ? now.value : Date.parse(flow.ended_at)) : Date.parse(next.started_at);
  return Math.max(0, (end - Date.parse(phase.started_at)) / 1_000);
}

function Phases({ flow }: { flow: Flow }) {
  if (flow.phases.length === 0) return null;
  const all = flow.phases.map((_, index) => seconds(flow, index));
  const sum = all.reduce((a, b) => a + b, 0);
  return (
    <ol class="phases">
      {flow.phases.map((phase, index) => {
        const took = all[index] ?? 0;
        const isLast = index === flow.phases.length - 1;
        const state = isLast && flow.state === 'running' ? 'running' : isLast && flow.state === 'failed' ? 'failed' : 'done';
        return (
          <li key={`${index}-${phase.name}`} class={`phase phase-${state}`} style={{ flexGrow: sum === 0 ? 1 : Math.max(took / sum, 0.04) }} title={`${phase.name}: ${duration(took)} (${phase.by})`}>
            <span class="phase-name">{phase.name}</span>
            <span class="phase-time">{duration(took)}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Steps({ flow }: { flow: Flow }) {
  if (flow.steps.length === 0) return null;
  const done = flow.steps.filter((step) => step.state === 'done').length;
  return (
    <div class="steps">
      <span class="faint">
        steps {done} of {flow.steps.length}
      </span>
      {flow.steps.map((step, index) => (
        <span key={`${index}-${step.name}`} class={`step step-${step.state}`} title={`${step.state}${step.duration === null ? '' : `, ${duration(step.duration)}`}`}>
          <Mark look={LOOK[step.state] ?? 'ready'} /> {step.name} <span class="hidden-text">{step.state}</span>
        </span>
      ))}
    </div>
  );
}

export function TimelineTab({ doc }: { doc: Doc<Timeline> }) {
  return (
    <Loaded doc={doc} lines={6}>
      {(timeline) =>
        timeline.flows.length === 0 ? (
          <Empty title="Nothing was done to this machine yet">Operations appear here with their phases, steps and waits.</Empty>
        ) : (
          <ol class="flows">
            {timeline.flows.map((flow) => (
              <li key={flow.started_at + flow.verb} class="flow">
                <header class="flow-head">
                  <Mark look={LOOK[flow.state] ?? 'ready'} />
                  <h3>{flow.verb}</h3>
                  <span>
                    {flow.state}
                    {flow.result !== null && ` → ${flow.result}`}
                  </span>
                  <span class="faint">
                    <Clock at={flow.started_at} /> · {flow.ended_at === null ? age(flow.started_at) : duration(flow.duration ?? 0)}
                    {who(flow) !== null && ` · by ${who(flow) ?? ''}`}
                    {flow.restarts > 0 && ` · taken up again ${flow.restarts} times`}
                  </span>
                </header>
                <Phases flow={flow} />
                {flow.state === 'running' && <ProgressLine flow={flow} />}
                <Steps flow={flow} />
                {flow.warnings.map((warning, index) => (
                  <p key={index} class="flow-warning">
                    <Icon name="warn" /> {typeof warning === 'string' ? warning : JSON.stringify(warning)}
                  </p>
                ))}
                {flow.error !== null && <blockquote class="finding">{flow.error}</blockquote>}
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}
