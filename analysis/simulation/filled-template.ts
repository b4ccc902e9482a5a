import type { Json } from '../../src/model/json';
import { siteOfUrl } from '../../src/model/site';
import { CellError, plainCell, type Cells } from './cells';

export const COLUMN = /\{([^{}"]+?)(?::(ceil|[1-9]\d?))?\}/g;

/** Fills the cells of a row into the texts of an event. @throws CellError */
export function filledIn(value: Json, cells: Cells, sites: Set<string>): Json {
  if (typeof value === 'string') return filledText(value, cells, sites);
  if (Array.isArray(value)) return value.map((item: Json) => filledIn(item, cells, sites));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, filledIn(item, cells, sites)]),
  );
}

function filledText(text: string, cells: Cells, sites: Set<string>): string {
  const filled = text.replace(COLUMN, (_, column: string, part: string | undefined) => {
    const cell = plainCell(column, cells(column));
    if (part === undefined) return cell;
    return part === 'ceil' ? roundedUp(column, cell) : cell.slice(0, Number(part));
  });
  const host = HOST.exec(text)?.[1];
  if (host?.includes('{') === true) siteFromColumns(text, host, filled, cells, sites);
  return filled;
}

const HOST = /^https?:\/\/([^/?#]*)/;

/** How tables write a missing value. All rows with one would have the same site. */
const GAP = /^(nan|<na>|none|null)?$/i;

/** So many names of sites are kept. */
const MOST_SITES = 1000;

/**
 * The last parts of a name make its site. A dot in a cell before the end of the name would divide it: `300.5` in `c-{campaign}.example` gives
 * the site 5.example, the same for many campaigns.
 * @throws CellError
 */
function siteFromColumns(text: string, host: string, filled: string, cells: Cells, sites: Set<string>): void {
  const site = siteOfUrl(filled);
  const length = site === null ? 0 : site.length - site.indexOf('//') - 2;
  for (const match of host.matchAll(COLUMN)) {
    const [whole, column = ''] = match;
    const after = host.slice(match.index + whole.length);
    const cell = plainCell(column, cells(column));
    const names = `because it names a site in ${JSON.stringify(text)}`;
    if (GAP.test(cell)) throw new CellError(column, `given, ${names}`, cell);
    const rest = after.replace(/^\./, '').length;
    if (after !== '' && cell.includes('.') && length > rest && length < cell.length + after.length)
      throw new CellError(column, `without a dot, ${names}`, cell);
  }
  if (site !== null && sites.size < MOST_SITES) sites.add(site);
}

function roundedUp(column: string, cell: string): string {
  if (!/^\d{1,15}(\.\d*)?$/.test(cell)) throw new CellError(column, 'a number of at least 0', cell);
  return String(Math.ceil(Number(cell)));
}
