// All matching nodes as a file for spreadsheets. Cells that a spreadsheet would take for a formula get
// an apostrophe.

import { get, part } from '../api/http.ts';
import type { Page, Row } from '../api/shapes.ts';
import { complain, say } from '../parts/notices.tsx';

const FIELDS = [
  'name', 'uuid', 'provision_state', 'target_provision_state', 'provision_updated_at', 'power_state', 'maintenance', 'fault',
  'resource_class', 'driver', 'conductor', 'conductor_group', 'owner', 'lessee', 'instance_uuid', 'cause',
] as const;

export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : typeof value === 'object' ? String((value as { sentence?: unknown }).sentence ?? '') : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvRows(rows: Row[]): string {
  return rows.map((row) => FIELDS.map((field) => csvCell(row[field])).join(',') + '\r\n').join('');
}

export async function saveCsv(q: string, sort: string): Promise<void> {
  try {
    const parts: string[] = [FIELDS.join(',') + '\r\n'];
    let count = 0;
    for (;;) {
      const page = await get<Page>(`/corten/v1/nodes?q=${part(q)}&sort=${part(sort)}&limit=1000&offset=${count}&fields=${FIELDS.join(',')}`);
      parts.push(csvRows(page.nodes));
      count += page.nodes.length;
      if (page.nodes.length === 0 || count >= page.total) break;
    }
    save('nodes.csv', new Blob(parts, { type: 'text/csv' }));
    say(`${count} rows saved.`);
  } catch (error) {
    complain('The file could not be made', error);
  }
}

export function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
