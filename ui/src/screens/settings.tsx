// The configuration of the process that answers: every option, its value, and which line, variable or
// flag it is from.

import { useDoc } from '../doc.ts';
import { plural } from '../format.ts';
import { Button, Empty, Failed, Loaded } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Icon } from '../parts/marks.tsx';
import { query, setQuery } from '../router.ts';
import { me } from '../session.ts';
import { curl, mayNot } from '../verbs.ts';

interface Option {
  section: string;
  name: string;
  values: string[];
  is_masked: boolean;
  is_set: boolean;
  source: string;
  default: string | null;
  about: string;
  effect: string | null;
}

interface Config {
  host: string;
  role: string;
  version: string;
  options: Option[];
}

const PATH = '/corten/v1/config';

export function fits(option: Option, typed: string): boolean {
  const text = `[${option.section}] ${option.section}.${option.name} ${option.values.join(' ')} ${option.source} ${option.about}`.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export function SettingsScreen() {
  const refused = mayNot(me.value, 'corten:config:get');
  const doc = useDoc<Config>(refused === null ? PATH : null);
  const typed = query.value.get('q') ?? '';
  const all = query.value.get('all') !== null;
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Settings</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: `corten settings${all ? ' --all' : ''}`, curl: curl('GET', PATH) }} />
        <Button onClick={doc.reload} why={refused}>
          Read again
        </Button>
      </div>
      {refused !== null ? (
        <Empty title="The configuration is for administrators">
          <p>Not now: {refused}.</p>
        </Empty>
      ) : doc.error.value !== undefined && doc.data.value === undefined ? (
        <Failed error={doc.error.value} retry={doc.reload} />
      ) : (
        <>
          <div class="row">
            <input class="input filter-wide" type="search" aria-label="Filter options" placeholder="Filter: section, name, value, file or meaning" value={typed} onInput={(event) => setQuery({ q: event.currentTarget.value }, true)} />
            <div class="segmented" role="radiogroup" aria-label="Which options">
              <label>
                <input type="radio" name="which" checked={!all} onChange={() => setQuery({ all: null }, true)} />
                <span>Set by somebody</span>
              </label>
              <label>
                <input type="radio" name="which" checked={all} onChange={() => setQuery({ all: '1' }, true)} />
                <span>All</span>
              </label>
            </div>
          </div>
          <Loaded doc={doc} lines={10}>
            {(config) => <Options config={config} typed={typed} all={all} />}
          </Loaded>
        </>
      )}
    </div>
  );
}

function Options({ config, typed, all }: { config: Config; typed: string; all: boolean }) {
  const found = config.options.filter((option) => (all || option.is_set) && (typed === '' || fits(option, typed)));
  const sections = [...new Set(found.map((option) => option.section))];
  return (
    <>
      <p class="faint">
        What {config.host === '' ? 'this process' : config.host} ({config.role}, version {config.version}) runs with: {plural(found.length, 'option')}. It is changed in its file and takes effect at the next start; secrets are masked. Other processes of a cluster may have other settings.
      </p>
      {found.length === 0 ? (
        <Empty title={typed === '' ? 'Everything has its default' : 'No option fits'}>
          {all ? (
            <p>Nothing in section, name, value, file or meaning has this.</p>
          ) : (
            <p>
              <Button small onClick={() => setQuery({ all: '1' }, true)}>
                Show all options
              </Button>
            </p>
          )}
        </Empty>
      ) : (
        sections.map((section) => (
          <section class="panel" key={section} aria-labelledby={`section-${section}`}>
            <header class="panel-head">
              <h2 class="panel-title" id={`section-${section}`}>
                [{section}]
              </h2>
            </header>
            <dl class="options">
              {found
                .filter((option) => option.section === section)
                .map((option) => (
                  <div class={`option${option.is_set ? ' option-set' : ''}`} key={option.name}>
                    <dt>
                      <code>{option.name}</code>
                      <span class="option-source" title={option.source}>
                        {option.is_masked && <Icon name="lock" />} {option.source}
                      </span>
                    </dt>
                    <dd>
                      {option.values.length === 0 ? <span class="faint">not set</span> : option.values.map((value, index) => <code key={index}>{value === '' ? '(empty)' : value}</code>)}
                      {option.is_set && option.default !== null && option.values.join() !== option.default && <span class="faint"> default {option.default === '' ? '(empty)' : option.default}</span>}
                      <p class="faint">{option.about}</p>
                      {option.effect !== null && option.is_set && (
                        <p class="warned">
                          <Icon name="warn" /> {option.effect}
                        </p>
                      )}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))
      )}
    </>
  );
}
