// Who is asking, and what they may do.

import { useState } from 'preact/hooks';
import { Empty, Facts, Panel, Skeleton } from '../parts/base.tsx';
import { me, meName } from '../session.ts';
import { Clock } from '../parts/base.tsx';
import { letters, setTheme, theme } from '../settings.ts';

export function MeScreen() {
  const who = me.value;
  const [filter, setFilter] = useState('');
  if (who === undefined) return <Skeleton lines={6} />;
  const rules = who.rules.filter((rule) => rule.includes(filter.trim()));
  return (
    <div class="stack">
      <div class="page-head">
        <h1>{meName(who)}</h1>
      </div>
      <div class="cards">
        <Panel title="Who I am" level={3}>
          <Facts
            rows={[
              ['Sign-in', who.mode],
              ['User', who.user_name ?? who.user],
              ['Project', who.project_name ?? who.project],
              ['System scope', who.system_scope],
              ['Roles', who.roles.join(', ')],
              ['Session ends', who.session === null ? null : <Clock at={who.session.expires_at} />],
              ['Service', `version ${who.version}, API up to ${who.api_version}`],
            ]}
          />
        </Panel>
        <Panel title="This browser" level={3}>
          <div class="form">
            <div class="segmented" role="radiogroup" aria-label="Theme">
              {(['light', 'dark', 'system'] as const).map((one) => (
                <label key={one}>
                  <input type="radio" name="theme" checked={theme.value === one} onChange={() => setTheme(one)} />
                  <span>{one === 'system' ? 'as the system' : one}</span>
                </label>
              ))}
            </div>
            <label class="check-line">
              <input type="checkbox" checked={letters.value} onChange={(event) => (letters.value = event.currentTarget.checked)} /> single letters are keys
            </label>
            <p>
              <a href="/ui/licences.txt" target="_blank" rel="noopener">
                Licences of what is in this page
              </a>
            </p>
          </div>
        </Panel>
      </div>
      <Panel
        title={`Rules granted · ${rules.length}`}
        level={3}
        actions={<input class="input filter" aria-label="Filter rules" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />}
      >
        {who.is_open && <p class="faint">In this mode everybody who gets in may do everything.</p>}
        {rules.length === 0 ? (
          <Empty title="No rule matches" />
        ) : (
          <ul class="rules">
            {rules.map((rule) => (
              <li key={rule}>
                <code>{rule}</code>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}
