import { slicesBy, type SummarySlice } from '../../../../analysis/estimate/result/campaigns';
import { FLOOD } from '../../../../analysis/estimate/join/source-outputs';
import { JoinedGroups } from '../../../../analysis/estimate/join/joined-groups';
import { parentsFirst, treeRows } from '../../../../cli/aggregate/tree';
import { aligned } from '../../../../cli/io/aligned';
import { trainingRows } from '../../../../collector/questions/training-rows';
import { anySource } from '../../../../collector/store/source-filter';
import type { IdentifiedConfiguration } from '../../../../collector/sources/definition';
import { loggedSource } from '../../../../collector/sources/logged-source';
import { SlidingPool } from '../../../../extension/background/deliver/sliding-pool';
import { changeFor } from '../../../../extension/pages/explain/change';
import { rowsOf } from '../../../../extension/pages/explain/timeline';
import { snapshotReader } from '../../../../extension/pages/data/reader';
import { noTables, type Snapshot } from '../../../../extension/pages/data/snapshot/snapshot';
import type { Json, JsonObject } from '../../../../src/model/json';
import type { LogEntry } from '../../../../src/model/decision';
import { nextEnd } from '../../../../extension/window-ends';
import { parse } from '../../../../formats/codec/issues';
import { collectedReport } from '../../../../formats/reports/report-line';
import { parseSource } from '../../../../formats/registration/source';
import { chromiumLimits } from '../../../../src/model/limits';
import type { Source } from '../../../../src/model/records';
import { epsilon, moment } from '../../../../src/model/units';
import { seeds } from '../fuzz/parsers';

/** A function of rows that others supplied, or caused to be stored. */
export interface RowCost {
  readonly run: (rows: unknown) => unknown;
  readonly shapes: Readonly<Record<string, (count: number) => unknown>>;
  /** Rows for each character of a text, because most rows take less than the least text. */
  readonly perCharacter: number;
}

function cost<Rows>(
  run: (rows: Rows) => unknown,
  perCharacter: number,
  shapes: Readonly<Record<string, (count: number) => Rows>>,
): RowCost {
  return { run: (rows) => run(rows as Rows), shapes, perCharacter };
}

const listOf = <Row>(count: number, row: (index: number) => Row): readonly Row[] =>
  Array.from({ length: Math.ceil(count) }, (_, index) => row(index));

/** Buckets of a file, and what was measured of each. */
const treeOf = (parent: (index: number) => number | null) => (count: number) =>
  listOf(count, (index) => ({
    bucket: BigInt(index),
    parent: index === 0 ? null : BigInt(parent(index) ?? 0),
    unit: 1,
    slices: [String(index % 2)],
  }));

const keysOf = (key: (index: number) => string, holder: (index: number) => string) => (count: number) =>
  listOf(count, (index) => [key(index), holder(index)] as const);

const one = (): string => 'one';
const own = (index: number): string => `own ${index}`;

const { value: shape } = parseSource({ destination: 'https://shop.example' }, 'event', chromiumLimits);
if (shape === null) throw new Error('no registration');

/** Sources that all have one id, and as many reports for it. */
function reused(count: number) {
  const known = new Map<string, IdentifiedConfiguration>();
  // With randomized response, because to find an unbiased randomizer takes a second, whatever the rows.
  const logged = parse({ ...seeds.row, mechanism: { kind: 'rr' } }, loggedSource(known)).value;
  const report = parse(seeds.arrived, collectedReport).value;
  if (logged === null || report === null) throw new Error('no source and report');
  const { sourceEventId, reportingOrigin, destinations, sourceType } = logged.source;
  const eventLevel = { ...report, triggerData: 0n, sourceEventId, destinations, sourceType };
  return {
    configurations: () => Promise.resolve([logged.configuration]),
    // As the store: the first of each id, at most so many.
    reportsOf: () => Promise.resolve(listOf(Math.min(count, FLOOD), () => ({ reportingOrigin, eventLevel }))),
    async *sources() {
      yield await Promise.resolve(listOf(count, (id) => ({ ...logged.source, id })));
    },
  };
}

/** A conversion that matches none of these sources, and what it asks of them. */
const unmatched =
  (sources: (count: number) => readonly Partial<Source>[], header: (count: number) => JsonObject) =>
  (count: number) => ({
    entry: {
      ...{ id: 1, kind: 'trigger', time: moment(1), decision: { kind: 'dropped', sourceId: null } },
      ...{ contextOrigin: 'https://shop.example', reportingOrigin: 'https://adtech.example', checks: [] },
      header: JSON.stringify(header(Math.ceil(count))),
    } as unknown as LogEntry,
    sources: sources(Math.ceil(count)).map((fields, id) => ({
      ...{ id, sourceType: 'event', reportingOrigin: 'https://adtech.example', registration: shape },
      ...{ time: moment(0), expiryTime: moment(2), attributionScopes: null },
      ...fields,
    })) as unknown as readonly Source[],
  });

const numbered = (count: number, value: Json): JsonObject =>
  Object.fromEntries(listOf(count, (index) => [`key ${index}`, value]));
const withFilterData = (data: JsonObject): Partial<Source> => ({
  registration: { ...shape, filterData: new Map(Object.entries(data)) as never },
});

const sliceRows =
  (slice: (index: number) => string) =>
  (count: number): readonly SummarySlice[] =>
    listOf(count, (index) => ({ slice: slice(index), estimate: 1, error: 1, low: 0, high: 2 }));

/** Functions of many rows, by where these come from. */
export const rowCosts: Readonly<Record<string, RowCost>> = {
  'slices of a summary': cost((rows: readonly SummarySlice[]) => slicesBy(rows, 'campaign'), 0.25, {
    'of one column': sliceRows((index) => `campaign=${index}`),
    'of other columns': sliceRows((index) => `${index}=`),
  }),
  'reports that are sent': cost(
    async (tasks: readonly (readonly [string, string])[]) => {
      const pool = new SlidingPool(10, () => 2);
      await Promise.all(tasks.map(([key, holder]) => pool.run(key, holder, () => Promise.resolve())));
    },
    0.25,
    {
      'of one site to one server': keysOf(one, one),
      'of many sites to one server': keysOf(one, own),
      'of one site to many servers': keysOf(own, one),
      'of many sites to many servers': keysOf(own, own),
    },
  ),
  'rows of an opened file': cost(
    async (rows: readonly LogEntry[]) => {
      const reader = snapshotReader({ tables: { ...noTables, log: rows } } as Snapshot);
      for (const id of await reader.ids('log')) await reader.get('log', id);
      for (let first = 0; first < rows.length; first += 100) await reader.range('log', first, first + 99);
    },
    0.1,
    { 'each by its id': (count) => listOf(count, (id) => ({ id }) as LogEntry) },
  ),
  'marks of a timeline': cost((places: readonly number[]) => rowsOf(places, 20), 0.5, {
    'at one place': (count) => listOf(count, () => 0),
    'side by side': (count) => listOf(count, (place) => place),
  }),
  'stored sources': cost((sources: readonly Source[]) => nextEnd(sources, moment(0)), 4, {
    'with windows of their own': (count) =>
      listOf(count, (time) => ({ time: moment(time), registration: shape }) as Source),
  }),
  'what a conversion needs to match a source': cost(
    ({ entry, sources }: ReturnType<ReturnType<typeof unmatched>>) =>
      changeFor(entry, { name: 'filters' }, sources),
    0.1,
    {
      'of many, with many filters': unmatched(
        (count) => listOf(count, () => ({ sourceType: 'navigation' })),
        (count) => ({ filters: listOf(count, () => ({ source_type: ['event'], other: ['1'] })) }),
      ),
      'with many filters that differ': unmatched(
        (count) => [withFilterData(numbered(count, ['1']))],
        (count) => ({ filters: numbered(count, ['2']) }),
      ),
      'with many filters that must not match': unmatched(
        (count) => [withFilterData(numbered(count, ['1']))],
        (count) => ({ not_filters: numbered(count, ['1']) }),
      ),
      'with many values': unmatched(
        (count) => [withFilterData({ key: listOf(count, String) })],
        (count) => ({ filters: { key: listOf(count, (index) => `other ${index}`) } }),
      ),
      'with many scopes': unmatched(
        (count) => [{ attributionScopes: { values: listOf(count, String) } as never }],
        (count) => ({ attribution_scopes: listOf(count, (index) => `other ${index}`) }),
      ),
    },
  ),
  'a tree of buckets': cost(
    (buckets: ReturnType<ReturnType<typeof treeOf>>) => {
      const tree = parentsFirst('it', new Map(buckets.map((node) => [node.bucket, node])));
      const rows = tree.map(({ bucket }) => ({ bucket, value: 1, standardError: 1 }));
      return treeRows(rows as never, { buckets: tree, columns: ['half'] }, 0.95);
    },
    0.1,
    { 'below one': treeOf(() => 0), 'in twos': treeOf((index) => (index - 1) >> 1) },
  ),
  'parents of buckets': cost(
    (buckets: ReturnType<ReturnType<typeof treeOf>>) =>
      parentsFirst('it', new Map([...buckets].reverse().map((node) => [node.bucket, node]))),
    1,
    { 'one below the other': treeOf((index) => index - 1) },
  ),
  'lines of a table': cost(aligned, 16, { 'of a group each': (count) => listOf(count, () => ['a', '1']) }),
  'groups of a log': cost(
    (epsilons: readonly number[]) => {
      const groups = new JoinedGroups();
      const numbers = epsilons.map((value) =>
        groups.numberOf(
          {
            configuration: {
              name: null,
              configuration: { shape, epsilon: epsilon(value), mechanism: { kind: 'rr' } },
            },
            group: [],
          },
          () => false,
        ),
      );
      return groups.tallies(new Map(numbers.map((number) => [number, new Map([['0', 1]])])), () => undefined);
    },
    0.05,
    { 'with a configuration each': (count) => listOf(count, (index) => 1 + index / 1e6) },
  ),
  'training rows': cost(
    async (store: ReturnType<typeof reused>) => {
      for await (const row of trainingRows(store, anySource, new Date())) void row;
    },
    0.25,
    { 'with one id': reused },
  ),
};
