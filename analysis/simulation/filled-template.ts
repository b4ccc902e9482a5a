import type { Json } from '../../src/model/json';
import { Memory } from '../../src/model/remembered';
import { siteOfUrl } from '../../src/model/site';
import { CellError, plainCell, type Cells } from './cells';

export const COLUMN = /\{([^{}"]+?)(?::(ceil|[1-9]\d?))?\}/g;

/** Writes a part of an event as JSON, with the cells of a row. @throws CellError */
type Writer = (cells: Cells) => string;

/**
 * The object of an event, as JSON whose texts are filled with the cells of a row. It is taken apart once, because a log has many rows.
 * @param sites gets the sites that cells name.
 */
export class EventTemplate {
  /** In turn what is the same in all rows, and what is written for each. */
  private readonly constants: string[] = [''];
  private readonly written: Writer[] = [];

  constructor(
    value: Json,
    private readonly sites: Set<string>,
  ) {
    this.add(value);
  }

  /** @throws CellError */
  filled(cells: Cells): string {
    let text = this.constants[0] ?? '';
    for (let index = 0; index < this.written.length; index++)
      text += `${this.written[index]?.(cells) ?? ''}${this.constants[index + 1] ?? ''}`;
    return text;
  }

  private add(value: Json): void {
    if (Array.isArray(value)) this.addAll('[', value as readonly Json[], ']', (item) => this.add(item));
    else if (typeof value === 'object' && value !== null)
      this.addAll('{', Object.entries(value), '}', ([name, item]) => {
        this.addConstant(`${JSON.stringify(name)}:`);
        this.add(item);
      });
    else if (typeof value === 'string' && value.search(COLUMN) >= 0) this.addWriter(value);
    else this.addConstant(JSON.stringify(value));
  }

  private addAll<Item>(begin: string, items: readonly Item[], end: string, add: (item: Item) => void): void {
    this.addConstant(begin);
    for (const [index, item] of items.entries()) {
      if (index > 0) this.addConstant(',');
      add(item);
    }
    this.addConstant(end);
  }

  private addConstant(text: string): void {
    this.constants.push(`${this.constants.pop() ?? ''}${text}`);
  }

  private addWriter(text: string): void {
    const fill = filler(text);
    const host = HOST.exec(text)?.[1];
    const site = host?.includes('{') === true ? new SiteFromColumns(text, host, this.sites) : null;
    this.written.push((cells) => {
      const filled = fill(cells);
      site?.check(filled, cells);
      return JSON.stringify(filled);
    });
    this.constants.push('');
  }
}

function filler(text: string): Writer {
  const places = [...text.matchAll(COLUMN)];
  const end = ({ 0: whole, index }: RegExpExecArray): number => index + whole.length;
  const last = places.at(-1);
  const rest = last === undefined ? text : text.slice(end(last));
  const columns = places.map((place, index) => {
    const [, column = '', part] = place;
    const before = places[index - 1];
    return { before: text.slice(before === undefined ? 0 : end(before), place.index), column, part };
  });
  return (cells) => {
    let filled = '';
    for (const { before, column, part } of columns) {
      const cell = plainCell(column, cells(column));
      filled += before;
      filled +=
        part === undefined ? cell : part === 'ceil' ? roundedUp(column, cell) : cell.slice(0, Number(part));
    }
    return filled + rest;
  };
}

const HOST = /^https?:\/\/([^/?#]*)/;

/** How tables write a missing value. All rows with one would have the same site. */
const GAP = /^(nan|<na>|none|null)?$/i;

/** So many names of sites are kept. */
const MOST_SITES = 1000;

/**
 * The last parts of a name make its site. A dot in a cell before the end of the name would divide it: `300.5` in `c-{campaign}.example` gives
 * the site 5.example, the same for many campaigns.
 */
class SiteFromColumns {
  private readonly columns: readonly { readonly column: string; readonly after: string }[];
  /** The cells that were checked. A site takes longer to find than the rest of an event. */
  private readonly checked = new Memory<true>();

  constructor(
    private readonly text: string,
    host: string,
    private readonly sites: Set<string>,
  ) {
    this.columns = [...host.matchAll(COLUMN)].map(({ 0: whole, 1: column = '', index }) => ({
      column,
      after: host.slice(index + whole.length),
    }));
  }

  /** @throws CellError */
  check(filled: string, cells: Cells): void {
    const [first, ...others] = this.columns.map(({ column }) => cells(column));
    const key = others.length === 0 ? (first ?? '') : JSON.stringify([first, ...others]);
    if (this.checked.get(key) === true) return;
    this.find(filled, cells);
    this.checked.put(key, true);
  }

  private find(filled: string, cells: Cells): void {
    const site = siteOfUrl(filled);
    const length = site === null ? 0 : site.length - site.indexOf('//') - 2;
    for (const { column, after } of this.columns) {
      const cell = plainCell(column, cells(column));
      const names = `because it names a site in ${JSON.stringify(this.text)}`;
      if (GAP.test(cell)) throw new CellError(column, `given, ${names}`, cell);
      const rest = after.replace(/^\./, '').length;
      if (after !== '' && cell.includes('.') && length > rest && length < cell.length + after.length)
        throw new CellError(column, `without a dot, ${names}`, cell);
    }
    if (site !== null && this.sites.size < MOST_SITES) this.sites.add(site);
  }
}

function roundedUp(column: string, cell: string): string {
  if (!/^\d{1,15}(\.\d*)?$/.test(cell)) throw new CellError(column, 'a number of at least 0', cell);
  return String(Math.ceil(Number(cell)));
}
