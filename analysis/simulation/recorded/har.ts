import type { Json, JsonObject } from '../../../src/model/json';
import { originOfUrl } from '../../../src/model/origin';
import type { Moment, Origin } from '../../../src/model/units';
import { list, string, type Parser } from '../../../formats/codec/codec';
import { Fields } from '../../../formats/codec/record';
import { isoTime } from '../../../formats/codec/time';
import type { Recorded } from './recorded-events';

const ELIGIBLE = 'Attribution-Reporting-Eligible';

/** The headers that are read: of a request and of its response. */
const OF_REQUEST = new Set(['referer', 'sec-fetch-dest', ELIGIBLE.toLowerCase()]);
const OF_RESPONSE = /^attribution-reporting-(register-(os-)?(source|trigger)|info)$/;
const NO_PAGE = 'https://unknown.invalid';
const REGISTERS = 'attribution-reporting-register-';

type Headers = ReadonlyMap<string, string>;

interface Entry {
  readonly time: Moment;
  readonly page: string | null;
  readonly url: string;
  readonly request: Headers;
  readonly response: Headers;
}

/** A request with registration headers: how it becomes an event is in docs/recorded-files.md. */
interface Event {
  readonly entry: Entry;
  /** Null: the page is not in the file, or has no https. */
  readonly context: Origin | null;
  /** Null: the browser sent no such header, and the response may register a trigger alone. */
  readonly eligible: string | null;
}

/** HAR 1.2, as Chrome and Firefox save it: `log` with `pages` and `entries`. */
export const har =
  (user: string): Parser<Recorded> =>
  (place) => {
    const { titles, entries } = new Fields(place).required('log', log, { titles: new Map(), entries: [] });
    const pages = new Pages(titles, entries);
    const registrations = entries.filter(({ response }) =>
      [...response.keys()].some((name) => name.startsWith(REGISTERS)),
    );
    const all = registrations
      .map((entry): Event => ({
        entry,
        context: pages.contextOf(entry),
        eligible: eligibleOf(entry, pages),
      }))
      .toSorted((a, b) => a.entry.time - b.entry.time);
    const events = all.filter(({ context }) => context !== null);
    const unsaid = events.filter(({ entry }) => !entry.request.has(ELIGIBLE.toLowerCase())).length;
    return {
      lines: events.map((event) => lineOf(user, event)),
      withoutPage: all.filter(({ context }) => context === null).map((event) => lineOf(user, event)),
      notes: new Map([
        ['requests with registration headers', registrations.length],
        [
          `without ${ELIGIBLE}: their sources count as navigation sources if the request opened a page, and otherwise as event sources`,
          unsaid,
        ],
        [
          'of them are no events, because their page is not in the file, or has no https',
          all.length - events.length,
        ],
      ]),
    };
  };

const log: Parser<{ readonly titles: ReadonlyMap<string, string>; readonly entries: readonly Entry[] }> = (
  place,
) => {
  const fields = new Fields(place);
  return {
    titles: new Map(fields.optional('pages', list(page), [])),
    entries: fields.required('entries', list(entry), []),
  };
};

const page: Parser<readonly [string, string]> = (place) => {
  const fields = new Fields(place);
  return [fields.required('id', string, ''), fields.optional('title', string, '')];
};

const entry: Parser<Entry> = (place) => {
  const fields = new Fields(place);
  const request = fields.required('request', requestFields, { url: '', headers: new Map<string, string>() });
  return {
    time: fields.required('startedDateTime', isoTime, 0 as Moment),
    page: fields.optional<string | null>('pageref', string, null),
    url: request.url,
    request: request.headers,
    response: fields.required('response', responseHeaders, new Map()),
  };
};

const requestFields: Parser<{ readonly url: string; readonly headers: Headers }> = (place) => {
  const fields = new Fields(place);
  return {
    url: fields.required('url', string, ''),
    headers: fields.optional(
      'headers',
      headersWith((name) => OF_REQUEST.has(name)),
      new Map(),
    ),
  };
};

const responseHeaders: Parser<Headers> = (place) =>
  new Fields(place).optional(
    'headers',
    headersWith((name) => OF_RESPONSE.test(name)),
    new Map(),
  );

/** Fetch, "get": values of the same name are one list. */
const headersWith =
  (isWanted: (name: string) => boolean): Parser<Headers> =>
  (place) => {
    const found = new Map<string, string>();
    for (const [name, value] of list(header)(place)) {
      const key = name.toLowerCase();
      const before = found.get(key);
      if (isWanted(key)) found.set(key, before === undefined ? value : `${before}, ${value}`);
    }
    return found;
  };

const header: Parser<readonly [string, string]> = (place) => {
  const fields = new Fields(place);
  return [fields.required('name', string, ''), fields.required('value', string, '')];
};

/** The pages of a file, in the order in which they were opened. */
class Pages {
  private readonly urls = new Map<string, string>();
  /** The page that was open before. */
  private readonly before = new Map<string, string | null>();
  /** The first request of each page. */
  private readonly first = new Set<Entry>();

  constructor(titles: ReadonlyMap<string, string>, entries: readonly Entry[]) {
    let last: string | null = null;
    for (const each of entries) {
      if (each.page === null) continue;
      if (!this.urls.has(each.page)) {
        this.first.add(each);
        this.before.set(each.page, last);
        last = each.page;
        this.urls.set(each.page, each.url);
      }
      // After redirects, the last document is the page.
      if (this.isOpening(each)) this.urls.set(each.page, each.url);
    }
    // Chrome's title of a page is its URL. Other titles can have a colon, too.
    for (const [id, title] of titles) if (/^https?:\/\//.test(title)) this.urls.set(id, title);
  }

  /** Whether the request opens a page. Fetch Metadata tells it; without, it is the first one of its page. */
  isOpening(entry: Entry): boolean {
    const destination = entry.request.get('sec-fetch-dest');
    return destination === undefined ? this.first.has(entry) : destination === 'document';
  }

  /** The page on which the request began, which opens another one if it was a click. */
  contextOf(entry: Entry): Origin | null {
    const referrer = originIn(entry.request.get('referer'));
    const own = entry.page === null ? null : this.originOf(entry.page);
    if (!this.isOpening(entry)) return own ?? referrer;
    const before = entry.page === null ? null : (this.before.get(entry.page) ?? null);
    return referrer ?? (before === null ? null : this.originOf(before));
  }

  private originOf(id: string): Origin | null {
    return originIn(this.urls.get(id));
  }
}

const originIn = (url: string | undefined): Origin | null => (url === undefined ? null : originOfUrl(url));

function eligibleOf(entry: Entry, pages: Pages): string | null {
  const sent = entry.request.get(ELIGIBLE.toLowerCase());
  if (sent !== undefined) return sent;
  if (!entry.response.has(`${REGISTERS}source`)) return null;
  return pages.isOpening(entry) ? 'navigation-source' : 'event-source';
}

const lineOf = (user: string, { entry, context, eligible }: Event): JsonObject => ({
  user,
  timestamp: String(entry.time),
  registration_request: {
    context_origin: context ?? NO_PAGE,
    ...(eligible === null ? {} : { [ELIGIBLE]: eligible }),
  },
  responses: [{ url: entry.url, response: Object.fromEntries<Json>(entry.response) }],
});
