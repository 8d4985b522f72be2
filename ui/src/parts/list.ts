// Arithmetic of a list of which only the rows in sight exist. Rows have one height, so the scroll bar
// is true for any number of them.

export interface Sight {
  /** First row that is drawn. */
  first: number;
  /** One behind the last row that is drawn. */
  end: number;
}

const SPARE = 8;

/** Which rows are in sight, with some to spare. */
export function sight(top: number, height: number, row: number, total: number): Sight {
  const first = Math.max(0, Math.floor(top / row) - SPARE);
  const end = Math.min(total, Math.ceil((top + height) / row) + SPARE);
  return { first: Math.min(first, Math.max(0, total - 1)), end: Math.max(end, 0) };
}

export const PAGE = 100;

/** The pages that hold these rows. */
export function pagesOf({ first, end }: Sight): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) pages.push(page);
  return pages;
}

/** Where to scroll so that a row is in sight; null if it is. */
export function reveal(index: number, top: number, height: number, row: number): number | null {
  if (index * row < top) return index * row;
  if ((index + 1) * row > top + height) return (index + 1) * row - height;
  return null;
}
