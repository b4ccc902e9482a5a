import { isGap } from '../../formats/csv/gap';
import type { Json } from '../../src/model/json';
import { Memory } from '../../src/model/remembered';
import { parseUrl } from '../../src/model/origin';
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
    private readonly sites: SitesOfCells,
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
    const { columns, rest } = placesOf(text);
    const host = HOST.exec(text)?.[1]?.replace(/:\d+$/, '');
    const site = host?.includes('{') === true ? new SiteFromColumns(text, host, this.sites) : null;
    this.written.push((cells) => {
      let filled = '';
      for (const place of columns) filled += place.before + valueOf(place, cells);
      filled += rest;
      site?.check(filled, cells);
      return JSON.stringify(filled);
    });
    this.constants.push('');
  }
}

/** A column in a text, with what stands between the one before and it. */
interface Place {
  readonly before: string;
  readonly column: string;
  readonly part: string | undefined;
}

function placesOf(text: string): { readonly columns: readonly Place[]; readonly rest: string } {
  let end = 0;
  const columns = [...text.matchAll(COLUMN)].map(({ 0: whole, 1: column = '', 2: part, index }) => {
    const before = text.slice(end, index);
    end = index + whole.length;
    return { before, column, part };
  });
  return { columns, rest: text.slice(end) };
}

/** @throws CellError */
function valueOf({ column, part }: Place, cells: Cells): string {
  const cell = plainCell(column, cells(column));
  if (part === undefined) return cell;
  return part === 'ceil' ? roundedUp(column, cell) : cell.slice(0, Number(part));
}

const HOST = /^https?:\/\/([^/?#]*)/;

/** How many names of sites are kept. */
const MOST_SITES = 1000;
/** How many sites are compared. */
const MOST_SPELLINGS = 100_000;

/** These end a host or are decoded in it. All others make another host or none, or one that an earlier row wrote in another way. */
const DELIMITER = /[/\\?#@:%]/;
/** What may follow a domain. */
const AFTER_HOST = /(:\d+)?([/?#].*)?$/s;
/** In the constant text of a host, the colon before the port. Others are in a password or an IPv6 address. */
const PORT = /:[^:@\]]*$/;
/** Which of these it is makes no difference to browsers. */
const DOT = /[.\u3002\uFF0E\uFF61]/;

/** Templates may divide the same text into constant text and cells in different ways, so the normalised spelling may differ where the text agrees. */
interface Spelling {
  readonly normalised: string;
  readonly filled: string;
}

/** The sites that the cells of a log name, in all templates of a map. */
export class SitesOfCells {
  /** The first spelling of each site: normalised, and as it was filled. */
  private readonly spellings = new Map<string, Spelling>();

  /** @param names gets the sites. */
  constructor(private readonly names: Set<string>) {}

  add(site: string): void {
    if (this.names.size < MOST_SITES) this.names.add(site);
  }

  /** The first spelling of a site, which is this one if there was none. */
  spellingOf(site: string, spelling: Spelling): Spelling {
    const first = this.spellings.get(site);
    if (first === undefined && this.spellings.size < MOST_SPELLINGS) this.spellings.set(site, spelling);
    return first ?? spelling;
  }
}

/**
 * The last parts of a name make its site. A dot in a cell before the end of the name would divide it: `300.5` in `c-{campaign}.example` gives
 * the site 5.example, the same for many campaigns. A slash would end it, and names that differ only in capitals are one.
 */
class SiteFromColumns {
  /** Before the port, which is no part of a site. */
  private readonly columns: readonly Place[];
  private readonly rest: string;
  private readonly ofPort: readonly Place[];
  /** The cells that were checked. A site takes longer to find than the rest of an event. */
  private readonly checked = new Memory<true>();

  constructor(
    private readonly text: string,
    host: string,
    private readonly sites: SitesOfCells,
  ) {
    const { columns, rest } = placesOf(host);
    const constants = [...columns.map(({ before }) => before), rest];
    const last = constants.findLastIndex((constant) => /[:@\]]/.test(constant));
    const hasPort = PORT.test(constants[last] ?? '');
    this.columns = hasPort ? columns.slice(0, last) : columns;
    this.rest = hasPort ? (constants[last] ?? '').replace(PORT, '') : rest;
    this.ofPort = columns.slice(this.columns.length);
  }

  /** @throws CellError */
  check(filled: string, cells: Cells): void {
    const [first, ...others] = [...this.columns, ...this.ofPort].map(({ column }) => cells(column));
    const key = others.length === 0 ? (first ?? '') : JSON.stringify([first, ...others]);
    if (this.checked.get(key) === true) return;
    this.find(filled, cells);
    this.checked.put(key, true);
  }

  private find(filled: string, cells: Cells): void {
    const site = siteOfUrl(filled);
    const labels = site === null ? 0 : labelsIn(site);
    for (const place of this.ofPort) this.checkCell(place, valueOf(place, cells), cells);
    const ofSite: string[] = [];
    // From its end. What people may write in any way is in lower case: the constant text, and a domain in the last cell.
    let host = this.rest.toLowerCase();
    let written = this.rest;
    for (const place of this.columns.toReversed()) {
      const domain = host === '' ? this.domainIn(valueOf(place, cells)) : null;
      const value = domain ?? valueOf(place, cells);
      this.checkCell(place, value, cells);
      const after = labelsIn(host) - 1;
      if (domain === null && labels > after) {
        if (labels < after + labelsIn(value)) throw this.refused(place, 'without a dot', cells);
        ofSite.unshift(place.column);
      }
      host = place.before.toLowerCase() + (domain?.toLowerCase() ?? value) + host;
      written = place.before + value + written;
    }
    if (parseUrl(filled) === null) {
      const columns = [...this.columns, ...this.ofPort].map(({ column }) => column);
      throw new CellError(columns.join(AND), `part of a URL, ${this.naming}`, host);
    }
    if (site === null) return;
    const end = (name: string): string => name.split(DOT).slice(-labels).join('.');
    if (ofSite.length > 0) this.checkSpelling(ofSite, site, { normalised: end(host), filled: end(written) });
    this.sites.add(site);
  }

  /** A cell at the end of the host, without the port and path that may follow; null if it is only a part of a name. */
  private domainIn(value: string): string | null {
    const host = value.replace(AFTER_HOST, '');
    const isWhole = this.columns.length === 1 && this.columns[0]?.before === '' && this.rest === '';
    return isWhole || DOT.test(host) ? host : null;
  }

  /** @throws CellError for a cell that is missing, or that would end the host. */
  private checkCell(place: Place, value: string, cells: Cells): void {
    if (isGap(plainCell(place.column, cells(place.column)))) throw this.refused(place, 'given', cells);
    if (DELIMITER.test(value))
      throw this.refused(place, 'without "/", "\\", "?", "#", "@", ":" and "%"', cells);
  }

  private refused({ column }: Place, expected: string, cells: Cells): CellError {
    return new CellError(column, `${expected}, ${this.naming}`, cells(column));
  }

  private get naming(): string {
    return `because it names a site in ${JSON.stringify(this.text)}`;
  }

  /** @throws CellError if an earlier row wrote the same site in another way. */
  private checkSpelling(columns: readonly string[], site: string, spelling: Spelling): void {
    const first = this.sites.spellingOf(site, spelling);
    if (first.normalised === spelling.normalised || first.filled === spelling.filled) return;
    const same = `both name the same site in ${JSON.stringify(this.text)}`;
    throw new CellError(
      columns.join(AND),
      `written as in an earlier row, which made ${JSON.stringify(first.normalised)}, because ${same}`,
      spelling.normalised,
    );
  }
}

/** Between the names of columns, in a message that sets the quotes around all. */
const AND = '" and "';

const labelsIn = (text: string): number => text.split(DOT).length;

function roundedUp(column: string, cell: string): string {
  if (!/^\d{1,15}(\.\d*)?$/.test(cell)) throw new CellError(column, 'a number of at least 0', cell);
  return String(Math.ceil(Number(cell)));
}
