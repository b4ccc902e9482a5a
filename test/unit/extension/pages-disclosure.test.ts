import { allowedColumns, itemOf, type TableDefinition } from '../../../extension/pages/tables/table';
import { toCsv, toJsonRows } from '../../../extension/pages/tables/export';
import { budget } from '../../../extension/pages/tables/budget';
import type { Spend } from '../../../src/model/spend';
import { tableDefinitions } from '../../../extension/pages/tables';
import { outcomeOf } from '../../../extension/pages/words/outcome';
import { shownConditions } from '../../../extension/pages/words/shown-conditions';
import { whySentence, whySteps } from '../../../extension/pages/explain/why';
import { differenceWords } from '../../../extension/pages/words/words';
import { disclosures, type Check, type CheckId } from '../../../src/model/checks';
import type { LogEntry, SourceDecision, TriggerDecision } from '../../../src/model/decision';
import type { DebugCondition } from '../../../src/model/facts';
import { defaultSettings } from '../../../formats/settings/settings';
import type { Site } from '../../../src/model/units';
import { snapshotToJson } from '../../../extension/pages/data/snapshot/snapshot-json';
import { withoutTruth } from '../../../extension/pages/data/snapshot/without-truth';
import { english } from '../../../words/english';
import { checkIds, checksOf, withoutDisclosure } from '../helpers/checks';
import { ADTECH, NEWS, START } from '../helpers/engine';

const common = {
  id: 1,
  time: START,
  contextOrigin: NEWS,
  contextSite: 'https://news.example' as Site,
  reportingOrigin: ADTECH,
  via: 'header',
  header: '{}',
  warnings: [],
  debug: [],
};
const conversion =
  (decision: TriggerDecision) =>
  (checks: readonly Check[]): LogEntry => ({ ...common, kind: 'trigger', decision, checks });
const source =
  (decision: SourceDecision) =>
  (checks: readonly Check[]): LogEntry => ({
    ...common,
    kind: 'source',
    sourceType: 'event',
    decision,
    checks,
  });

/** Outcomes of a registration that no check states. */
const kinds: readonly (readonly [string, (checks: readonly Check[]) => LogEntry])[] = [
  ['a credited conversion', conversion({ kind: 'attributed', sourceId: 2, reports: [3] })],
  ['a dropped conversion', conversion({ kind: 'dropped', sourceId: 2, reason: 'trigger-event-noise' })],
  [
    'a conversion of no source',
    conversion({ kind: 'dropped', sourceId: null, reason: 'trigger-no-matching-source' }),
  ],
  ['a stored source', source({ kind: 'stored', sourceId: 2, noise: { kind: 'truthful' } })],
  ['a rejected source', source({ kind: 'rejected', reason: 'source-storage-limit', limit: 1 })],
];

/** The parts of a log entry that people can read, search, sort, filter and export. */
function told(entry: LogEntry, truth: boolean): unknown {
  const tables = tableDefinitions.flatMap((definition: TableDefinition<LogEntry>) => {
    const row = definition.from.find(({ table }) => table === 'log')?.project(entry, truth) ?? null;
    if (row === null) return [];
    const item = itemOf(definition, entry.id, row);
    const columns = allowedColumns(definition.columns, truth);
    return [
      {
        found: truth ? item.truthText : item.text,
        shown: columns.map(({ index, label }) => label?.(item.cells[index] ?? null) ?? item.cells[index]),
        csv: toCsv(columns, [item], definition.columns),
        json: toJsonRows(columns, [item], definition.columns),
      },
    ];
  });
  const snapshot = {
    time: START,
    clockAhead: 0,
    truth: true,
    settings: defaultSettings,
    tables: { sources: [], reports: [], finished: [], spends: [], log: [entry] },
  };
  return {
    tables,
    steps: whySteps(entry, truth),
    sentence: whySentence(entry, truth),
    outcome: outcomeOf(entry, truth),
    differences: shownConditions(entry, truth).map(differenceWords),
    file: snapshotToJson(truth ? snapshot : withoutTruth(snapshot)),
  };
}

const before: Check = {
  id: 'matching-source',
  passed: true,
  values: { eligible: 1, all: 1, destination: 'https://shop.example' },
  discloses: 'nothing',
};
/** Shown by itself, but not behind a check that is hidden. */
const after: Check = {
  id: 'value-share',
  passed: true,
  values: { count: 1, values: '4711', source: 5 },
  discloses: 'nothing',
};

/** Different whatever a check tells: each distinct telling once. */
const tellings = (
  entryOf: (checks: readonly Check[]) => LogEntry,
  checks: readonly Check[],
  truth: boolean,
): number =>
  new Set(checks.map((check) => JSON.stringify(told(entryOf([before, check, after]), truth)))).size;

describe.each(kinds)('of %s', (_kind, entryOf) => {
  test.each(checkIds)('the check "%s" tells only what it may outside debug mode', (id: CheckId) => {
    const made = checksOf(id);
    const hidden = made.map(withoutDisclosure);
    // A check that does not say what it tells is hidden, and so is what follows.
    expect(tellings(entryOf, hidden, false)).toBe(1);
    expect(JSON.stringify(told(entryOf([before, ...hidden, after]), false))).not.toContain('4711');
    expect(tellings(entryOf, made, false)).toBe(disclosures[id] === 'truth' ? 1 : made.length);
    // In debug mode everything shows.
    expect(tellings(entryOf, made, true)).toBe(made.length);
    expect(tellings(entryOf, hidden, true)).toBe(made.length);
  });
});

/** Each tells what was drawn: that it was nothing, or what. */
const revealing: readonly DebugCondition[] = [
  { id: 'noise-off' },
  { id: 'state-forced' },
  { id: 'null-reports-forced' },
];
const harmless: readonly DebugCondition[] = [
  { id: 'delay-off' },
  { id: 'noise-seeded' },
  { id: 'clock-stopped' },
  { id: 'clock-moved', by: 60_000 },
  { id: 'limits-changed' },
];

describe.each(kinds)('of %s', (_kind, entryOf) => {
  const tellingsOf = (debugs: readonly (readonly DebugCondition[])[], truth: boolean): ReadonlySet<string> =>
    new Set(debugs.map((debug) => JSON.stringify(told({ ...entryOf([before]), debug }, truth))));
  const production = tellingsOf([[]], false);

  test('debug conditions that would tell what was drawn are not told apart outside debug mode', () => {
    const alone = revealing.map((one) => [one]);
    const hidden = tellingsOf([...alone, revealing], false);
    expect(hidden.size).toBe(1);
    expect(hidden).not.toEqual(production);
    const beside = revealing.map((one) => [one, ...harmless]);
    expect(tellingsOf([...beside, harmless], false).size).toBe(1);
    expect(tellingsOf([[], ...alone], true).size).toBe(1 + revealing.length);
  });

  test('other debug conditions are told outside debug mode', () => {
    const debugs = [[], ...harmless.map((one) => [one])];
    expect(tellingsOf(debugs, false).size).toBe(debugs.length);
  });
});

test('a check of a newer version, in a file, is shown as it stands', () => {
  const newer = {
    id: 'moon',
    passed: true,
    values: { phase: 'full' },
    discloses: 'nothing',
  } as unknown as Check;
  const entry = conversion({ kind: 'attributed', sourceId: 2, reports: [] })([newer]);
  expect(whySteps(entry, false)).toMatchObject([
    { name: 'moon', detail: '{"phase":"full"}', explanation: null },
  ]);
});

test('the check that a source failed is named in the list of what was refused', () => {
  const [failed] = checksOf('channel-capacity').filter(({ passed }) => !passed);
  if (failed === undefined) throw new Error('there must be one');
  const entry = source({ kind: 'rejected', reason: 'source-channel-capacity-limit', limit: 1 })([failed]);
  expect(JSON.stringify(told(entry, false))).toContain(english.check(failed));
});

test('a spend for an attribution says that a conversion had candidates, so it is listed with the truth only', () => {
  const [from] = budget.from;
  const listed = (purpose: Spend['purpose'], truth: boolean): boolean =>
    (from?.project({ purpose } as never, truth) ?? null) !== null;
  expect([listed('attribution', false), listed('attribution', true)]).toEqual([false, true]);
  expect([listed('report', false), listed('report', true)]).toEqual([true, true]);
});
