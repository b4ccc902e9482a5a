import type { Page } from 'puppeteer-core';
import type { Json, JsonObject } from '../../../src/model/json';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../../formats/registration/header';
import { catchDownloads, clipboardOf, fill, press } from './internals';
import { recordedFile, withCopies, withLists, type RecordedFile } from './recorded-file';

/** What a person opens and presses, and what of it is shown. */
interface Visit {
  readonly view: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

/** What somebody can write into a file, which a person then opens. */
export interface FileShape {
  readonly what: string;
  /** The file, with something `n` long or many. */
  readonly file: (n: number) => Promise<Json>;
  readonly visits: (file: Json) => readonly Visit[];
  /** What is bounded by more than is tried here. */
  readonly bounded?: RegExp;
  /** In `npm test`, and the largest in `npm run soak`. */
  readonly from: number;
  readonly to: number;
}

const CHARACTERS = { from: 2000, to: 2_048_000 };

type Tables = RecordedFile['tables'];
type Row = Tables['log'][number];

const tablesOf = (file: Json): Tables => (file as RecordedFile).tables;
const visit = (view: string): Visit => ({ view });
const pagesOf = (table: string, rows: readonly Row[], ...tabs: readonly string[]): readonly Visit[] =>
  rows.flatMap(({ id }) => ['', ...tabs].map((tab) => visit(`#/${table}/${Number(id)}${tab && `/${tab}`}`)));

/** The first row of each kind: pages explain each outcome in another way. */
const oneOfEach = (rows: readonly Row[], kindOf: (row: Row) => unknown): readonly Row[] => {
  const found = new Map<string, Row>();
  for (const row of rows) {
    const kind = JSON.stringify(kindOf(row));
    if (!found.has(kind)) found.set(kind, row);
  }
  return [...found.values()];
};

type Decision = Readonly<Record<string, Json>>;
const decisionOf = ({ decision }: Row): Decision => (decision ?? {}) as Decision;
const outcomeOf = (row: Row): unknown => [
  decisionOf(row)['kind'],
  decisionOf(row)['reason'],
  JSON.stringify(row['header'] ?? null).includes('not_filters'),
];
const endOf = ({ end, report }: Row): unknown => [end, (report as Row)['kind']];

const isOfKind =
  (kind: string) =>
  (row: Row): boolean =>
    row['kind'] === kind;

/** Copies and saves what a page shows. */
async function takeAway(page: Page): Promise<void> {
  await clipboardOf(page, '#copy-markdown');
  const downloads = await catchDownloads(page);
  for (const button of ['#save-file', '#save-scenario']) {
    await press(page, button);
    await downloads.next();
  }
  await downloads.end();
}

const copy = (page: Page): Promise<string> => clipboardOf(page, '#copy-markdown');

/** Saves a table. */
async function exportTable(page: Page): Promise<void> {
  const downloads = await catchDownloads(page);
  for (const type of ['CSV', 'JSON']) {
    await page.evaluate((name) => {
      const buttons = [...document.querySelectorAll<HTMLElement>('.sheet button')];
      buttons.find(({ textContent }) => textContent === name)?.click();
    }, type);
    await downloads.next();
  }
  await downloads.end();
}

const search = (page: Page): Promise<void> => fill(page, '#search', 'example');

/** What a page shows and what a person can press there takes longest of many rows. */
const longTables: readonly Visit[] = [
  { view: '#/log', act: exportTable },
  { view: '#/sources?sort=event_id', act: search },
  { view: '#/triggers' },
  { view: '#/reports' },
  { view: '#/refused' },
  { view: '#/budget' },
  { view: '#/overview' },
  { view: '#/leaves' },
  { view: '#/attribution' },
];

const CASES_OF_ROWS = [
  'windows-default-navigation',
  'retry-no-fourth-time',
  'replacement-by-priority',
  'flexible-values-add-up-over-windows',
  'aggregatable-split-credit',
  'header-error-not-json',
];

/** What the engine explains in other ways than those. */
const CASES_OF_LISTS = [
  ...CASES_OF_ROWS,
  'aggregatable-budget-over-reports',
  'debug-report-of-both-halves',
  'filters-every-key-must-match',
  'not-filters-no-value-in-common',
  'scopes-none-matches',
  'scopes-max-event-states-limit',
  'channel-capacity-navigation',
  'trigger-data-exact-custom',
  'windows-passed-after-the-last-end',
  'dedup-before-sending',
  'replacement-not-by-lower-priority',
  'event-trigger-data-none-matches',
  'noised-with-reports',
  'reporting-origin-must-match-exactly',
  'expired-source-does-not-match',
];

/** A file in which only the log holds something, one entry for each of these. */
const logOf = async (more: readonly Readonly<Record<string, Json>>[]): Promise<Json> => {
  const file = await recordedFile(['header-error-not-json']);
  const refused = file.tables.log.find(isOfKind('refused'));
  return {
    ...file,
    tables: { ...file.tables, log: more.map((fields, id) => ({ ...refused, ...fields, id: id + 1 })) },
  };
};

const everyEntry = (file: Json): readonly Visit[] => [
  visit('#/log'),
  visit('#/refused'),
  ...pagesOf('log', tablesOf(file).log),
];

/** So many people saw one campaign or two, and every other one then bought something. */
function journeys(n: number): Json {
  const response = (origin: string, eligible: Json, header: Json): Json => ({
    registration_request: { context_origin: origin, ...(eligible as JsonObject) },
    responses: [{ url: 'https://ads.example/', response: header }],
  });
  // Equally long, because names of more than 15 characters are no IPv4 addresses.
  const originOf = (site: string, person: number): string =>
    `https://${site}-${String(person).padStart(6, '0')}.example`;
  const shown = (person: number, campaign: string): Json =>
    response(
      originOf('news', person),
      { 'Attribution-Reporting-Eligible': 'event-source' },
      {
        [REGISTER_SOURCE]: JSON.stringify({
          destination: originOf('shop', person),
          filter_data: { campaign: [campaign] },
        }),
      },
    );
  const bought = (person: number): Json =>
    response(
      originOf('shop', person),
      {},
      { [REGISTER_TRIGGER]: JSON.stringify({ event_trigger_data: [{ deduplication_key: '1' }] }) },
    );
  const events = Array.from({ length: n }, (_, person) => [
    shown(person, 'first'),
    ...(person % 3 === 0 ? [shown(person, 'second')] : []),
    ...(person % 2 === 0 ? [bought(person)] : []),
  ]).flat();
  return {
    input: {
      registrations: events.map((event, index) => ({
        timestamp: String(1_800_000_000_000 + 60_000 * index),
        ...(event as JsonObject),
      })),
    },
  };
}

export const fileShapes: readonly FileShape[] = [
  {
    what: 'long texts in the log',
    file: (n) =>
      logOf([
        { header: `{"a":"${'x'.repeat(n)}"}` },
        { header: '{"a":'.repeat(n / 5) },
        { errors: [{ code: 'missing', values: {}, path: 'x.'.repeat(n / 2) }] },
        { contextOrigin: `https://${'a.'.repeat(n / 2)}example`, via: 'x'.repeat(n) },
      ]),
    visits: everyEntry,
    ...CHARACTERS,
  },
  {
    what: 'rows with long lists',
    file: async (n) => withLists(await recordedFile(CASES_OF_LISTS), n),
    visits: (file) => {
      const { sources, finished, log, spends } = tablesOf(file);
      const rejected = log.filter(isOfKind('source')).filter((row) => decisionOf(row)['kind'] === 'rejected');
      return [
        ...longTables.filter(({ view }) => view !== '#/attribution'),
        ...pagesOf('sources', sources.slice(0, 1), 'why', 'timeline'),
        ...pagesOf('reports', oneOfEach(finished, endOf)),
        ...pagesOf('triggers', oneOfEach(log.filter(isOfKind('trigger')), outcomeOf)),
        ...pagesOf('log', oneOfEach(rejected, outcomeOf)),
        ...pagesOf('log', rejected.slice(0, 1), 'details'),
        ...pagesOf('budget', spends.slice(0, 1)),
      ];
    },
    from: 32,
    // A file of 11 MB.
    to: 512,
  },
  {
    what: 'many rows, of many sources and of one',
    file: async (n) => withCopies(await recordedFile(CASES_OF_ROWS), n),
    visits: (file) => {
      const { sources, finished, log } = tablesOf(file);
      const replaced = finished.filter(({ end }) => end === 'replaced');
      const [first] = sources;
      return [
        ...longTables,
        ...pagesOf('sources', sources.slice(0, 1), 'why', 'timeline', 'states'),
        { view: `#/sources/${Number(first?.['id'])}`, act: takeAway },
        ...pagesOf('reports', [...finished.slice(0, 1), ...replaced.slice(0, 1)]),
        ...pagesOf('triggers', log.filter(isOfKind('trigger')).slice(0, 1), 'details').map((one) => ({
          ...one,
          act: copy,
        })),
      ];
    },
    // Of at most 2,000 entries, each conversion of a journey with each of its sources.
    bounded: /^analysis\/credits\//,
    from: 32,
    to: 512,
  },
  {
    what: 'a scenario with many journeys, which is replayed',
    file: (n) => Promise.resolve(journeys(n)),
    visits: () => ['#/overview', '#/attribution'].map(visit),
    from: 128,
    to: 2048,
  },
];
