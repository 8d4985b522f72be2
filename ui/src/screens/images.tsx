// Images: those that are kept under names, and what conductors have in their caches.

import { useState } from 'preact/hooks';
import { useDoc } from '../doc.ts';
import { bytes, duration, number, percent, plural } from '../format.ts';
import { Age, Button, Empty, Facts, Loaded, Meter, Panel } from '../parts/base.tsx';
import { ShowCommand } from '../parts/dialog.tsx';
import { Mark } from '../parts/marks.tsx';
import { query, setQuery } from '../router.ts';
import { curl } from '../verbs.ts';

interface Copy {
  file: string;
  source: string | null;
  bytes: number;
  fetched_at: string | null;
  used_at: string | null;
  users: number;
}

interface Cache {
  purpose: string;
  folder: string;
  bytes: number;
  most_bytes: number;
  ttl_s: number;
  free_bytes: number | null;
  files: number;
  copies: Copy[];
  downloads: { source: string; since: string; bytes: number; total: number | null }[];
}

interface Caches {
  at: string;
  conductors: { host: string; error: string | null; caches?: Cache[] }[];
}

interface Image {
  uuid: string;
  name: string;
  state: string;
  url: string | null;
  size: number | null;
  done_bytes: number;
  total_bytes: number | null;
  last_error: string | null;
  fetched_at: string | null;
}

const PATH = '/corten/v1/image-caches';
const PURPOSES: Record<string, string> = {
  instance: 'Images of instances',
  boot: 'Kernels and ramdisks',
  iso: 'Discs for virtual drives',
};

export function Images() {
  const [every, setEvery] = useState(10_000);
  const doc = useDoc<Caches>(PATH, { every, keep: true });
  const named = useDoc<{ images: Image[] }>('/corten/v1/images', { every: 10_000, keep: true });
  const caches = doc.data.value?.conductors.flatMap((one) => one.caches ?? []) ?? [];
  const wanted = caches.some((cache) => cache.downloads.length > 0) ? 1_000 : 10_000;
  if (wanted !== every) setEvery(wanted);
  const typed = query.value.get('q') ?? '';
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Images</h1>
        <span class="spring" />
        <ShowCommand commands={{ corten: 'corten image cache', curl: curl('GET', PATH) }} />
      </div>
      <Panel title="Under names">
        <Loaded doc={named} lines={2}>
          {(data) =>
            data.images.length === 0 ? (
              <Empty title="No images under names">
                <p>An image under a name is fetched and checked once; nodes then say image://NAME.</p>
                <code>corten image add debian-13</code>
              </Empty>
            ) : (
              <Named images={data.images} />
            )
          }
        </Loaded>
      </Panel>
      <div class="page-head">
        <h2>Caches</h2>
        <span class="spring" />
        <input class="input filter-wide" type="search" aria-label="Filter copies" placeholder="Filter by address or file" value={typed} onInput={(event) => setQuery({ q: event.currentTarget.value }, true)} />
      </div>
      <Loaded doc={doc} lines={6}>
        {(data) =>
          data.conductors.length === 0 ? (
            <Empty title="No conductor is alive">
              <p>Caches are on the disks of conductors.</p>
            </Empty>
          ) : (
            data.conductors.map((one) => (
              <section class="stack" key={one.host} aria-label={`Conductor ${one.host}`}>
                <h3>{one.host}</h3>
                {one.error !== null && <p class="wrong">It does not tell: {one.error}</p>}
                {one.error === null && (one.caches ?? []).length === 0 && <p class="faint">It keeps no images.</p>}
                {(one.caches ?? []).map((cache) => (
                  <CachePanel key={cache.purpose} cache={cache} typed={typed} />
                ))}
              </section>
            ))
          )
        }
      </Loaded>
    </div>
  );
}

function Named({ images }: { images: Image[] }) {
  return (
    <div class="scroll-x" role="region" aria-label="Images under names" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">state</th>
            <th scope="col" class="num">size</th>
            <th scope="col">from</th>
            <th scope="col">fetched</th>
          </tr>
        </thead>
        <tbody>
          {images.map((one) => (
            <tr key={one.uuid}>
              <th scope="row">{one.name}</th>
              <td>
                <span class="state">
                  <Mark look={one.last_error !== null ? 'failed' : one.state === 'ready' || one.state === 'available' ? 'in_use' : 'working'} /> {one.state}
                </span>
                {one.state !== 'ready' && one.total_bytes !== null && one.total_bytes > 0 && <Meter value={percent(one.done_bytes, one.total_bytes)} label={`${one.name}: how much has arrived`} />}
                {one.last_error !== null && <p class="wrong wrap">{one.last_error}</p>}
              </td>
              <td class="num">{bytes(one.size)}</td>
              <td class="wrap">
                <code>{one.url ?? 'uploaded'}</code>
              </td>
              <td>
                <Age at={one.fetched_at} ago />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CachePanel({ cache, typed }: { cache: Cache; typed: string }) {
  const [most, setMost] = useState(20);
  const text = typed.toLowerCase();
  const found = cache.copies.filter((copy) => `${copy.source ?? ''} ${copy.file}`.toLowerCase().includes(text));
  const full = percent(cache.bytes, cache.most_bytes);
  return (
    <Panel class="cache" title={PURPOSES[cache.purpose] ?? cache.purpose} level={3}>
      <Meter value={full} label={`How full this cache is: ${Math.round(full)} %`} />
      <Facts
        rows={[
          ['In use', `${bytes(cache.bytes)} of ${bytes(cache.most_bytes)} in ${plural(cache.files, 'file')}`],
          ['Free on its disk', bytes(cache.free_bytes)],
          ['Kept unused for', duration(cache.ttl_s)],
          ['Folder', <code>{cache.folder}</code>],
        ]}
      />
      {cache.downloads.length > 0 && (
        <ul class="downloads" aria-label="Downloads">
          {cache.downloads.map((one) => (
            <li key={one.source + one.since}>
              <Mark look="working" /> <code>{one.source}</code> {bytes(one.bytes)}
              {one.total !== null && <> of {bytes(one.total)}</>}, since <Age at={one.since} />
              {one.total !== null && <Meter value={percent(one.bytes, one.total)} label={`${one.source}: how much has arrived`} />}
            </li>
          ))}
        </ul>
      )}
      {found.length === 0 ? (
        <p class="faint">{cache.copies.length === 0 ? 'It is empty: an image comes here when it is first needed.' : 'No copy fits.'}</p>
      ) : (
        <div class="scroll-x" role="region" aria-label="Copies" tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">image</th>
                <th scope="col" class="num">size</th>
                <th scope="col">age</th>
                <th scope="col">last used</th>
                <th scope="col" class="num">users</th>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, most).map((copy) => (
                <tr key={copy.file}>
                  <th scope="row" class="wrap">
                    <code title={copy.file}>{copy.source ?? copy.file}</code>
                  </th>
                  <td class="num">{bytes(copy.bytes)}</td>
                  <td>
                    <Age at={copy.fetched_at} />
                  </td>
                  <td>
                    <Age at={copy.used_at} ago />
                  </td>
                  <td class="num">{copy.users === 0 ? <span class="faint">none</span> : number(copy.users)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > most && (
        <Button small onClick={() => setMost(most * 4)}>
          Show more of {number(found.length)}
        </Button>
      )}
      {cache.files > cache.copies.length && <p class="faint">The {number(cache.copies.length)} largest are shown.</p>}
    </Panel>
  );
}
