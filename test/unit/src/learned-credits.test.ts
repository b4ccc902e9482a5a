import { readFileSync } from 'node:fs';
import { replay } from '../../../analysis/scenario/replay';
import { parseScenario } from '../../../analysis/scenario/scenario';
import { eventLine } from '../../../analysis/simulation/event-line';
import { main } from '../../../cli/main';
import { modelsBeside } from '../../../analysis/credits/models';
import { campaignCredits } from '../../../extension/pages/explain/campaign-credits';
import { channelColumns, learnedCredits } from '../../../extension/pages/explain/learned-credits';
import { journeyEvents } from '../../../scenarios/demo/journeys';
import type { LogEntry, TriggerDecision } from '../../../src/model/decision';
import type { Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import type { AttributionModel } from '../../../src/model/mechanisms';
import type { SourceNoise } from '../../../src/model/records';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import { epsilon, moment } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { useCommands } from '../helpers/command';

const HOUR = 3_600_000;

const lines = journeyEvents().map(({ hour, register, contextOrigin, reportingOrigin, header }) =>
  eventLine('person', moment(hour * HOUR), {
    context: contextOrigin,
    eligible: register === 'event' ? 'event-source' : 'trigger',
    url: `${reportingOrigin}/`,
    header: {
      [`Attribution-Reporting-Register-${register === 'event' ? 'Source' : 'Trigger'}`]: {
        ...header,
      } as Json,
    },
  }),
);

/** What the log of a device has after these events. */
let entries: readonly LogEntry[];
beforeAll(async () => {
  const found: LogEntry[] = [];
  const { value } = parseScenario({ input: { registrations: lines } }, chromiumLimits);
  if (value === null) throw new Error('the events are no scenario');
  await replay(value, {
    random: (stream) => seededRandomSource('journeys', stream),
    noise: false,
    observe: (outcome) => {
      if (outcome.kind !== 'ignored') found.push(outcome);
    },
  });
  entries = found;
});

const withModel = (attribution: AttributionModel): Settings => ({ ...defaultSettings, attribution });
const learn = (
  of: readonly LogEntry[],
  column = 'campaign',
  truth = true,
  settings: Settings = defaultSettings,
): ReturnType<typeof learnedCredits> => learnedCredits(of, column, settings, truth);

describe('credits on the page Attribution', () => {
  const { file, pathOf } = useCommands();

  /** What the command says of the same journeys, as the page shows it. */
  async function compared(channel: string): Promise<readonly object[]> {
    const path = pathOf('credits.ndjson');
    const options = ['--no-noise', '--threads', '1', '--seed', '1', '--channel', channel];
    const files = ['--input', file('log.ndjson', lines), '--output', path];
    expect(await main(['simulate', 'compare', ...files, ...options])).toBe(0);
    const rows = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<'model' | 'from' | 'channel' | 'credit', unknown>>)
      .filter(({ from }) => from === 'log');
    const creditOf = (model: string, of: unknown): unknown =>
      rows.find((row) => row.model === model && row.channel === of)?.credit;
    return [...new Set(rows.map((row) => row.channel))].map((of) => ({
      channel: of,
      rule: creditOf('priority', of),
      shapley: creditOf('shapley', of),
      logistic: creditOf('logistic', of),
    }));
  }

  test.each(['campaign', 'reporting_origin', 'source_type'])(
    'are those of the command, by %s',
    async (column) => {
      expect(learn(entries, column)).toEqual({
        kind: 'learned',
        journeys: 74,
        conversions: 19,
        rule: 'priority',
        rows: await compared(column),
        mayRepeat: false,
      });
    },
  );

  test('give campaigns their Shapley values', () => {
    const learned = learn(entries);
    // Of the 12 with both: (3/32 + 7/12 − 9/30)/2 and (9/30 + 7/12 − 3/32)/2.
    const [first, reminder] = [3 / 32, 9 / 30];
    const expected = [3 + 6 * (first + 7 / 12 - reminder), 9 + 6 * (reminder + 7 / 12 - first)];
    const found = learned.kind === 'learned' ? learned.rows.map(({ shapley }) => shapley) : [];
    found.forEach((credit, index) => {
      expect(credit).toBeCloseTo(expected[index] ?? NaN, 9);
    });
    expect(found).toHaveLength(2);
  });

  test('do not depend on the order of the log', () => {
    expect(learn([...entries].reverse())).toEqual(learn(entries));
  });

  test.each<[AttributionModel, string]>([
    [{ kind: 'first-touch' }, 'first-touch'],
    [
      { kind: 'exponential', epsilon: epsilon(1), score: 'linear', unit: 'hours', tau: 1, gap: null },
      'last-touch',
    ],
  ])('stand beside the model in force, or if that is private, last touch: %j', (model, rule) => {
    expect(learn(entries, 'campaign', true, withModel(model))).toMatchObject({ rule });
  });

  test('need 30 journeys with the same channels, and conversions', () => {
    const sources = entries.filter(({ kind }) => kind === 'source');
    expect(learn([])).toEqual({ kind: 'few', most: 0, least: 30 });
    expect(learn(sources.slice(0, 29))).toEqual({ kind: 'few', most: 29, least: 30 });
    expect(learn(sources)).toEqual({ kind: 'unconverted', journeys: 74 });
  });

  test('are left out for more channels than can be enumerated exactly', () => {
    const named = entries.map((entry, index): LogEntry =>
      index < 13 ? { ...entry, header: entry.header.replace('first look', `campaign ${index}`) } : entry,
    );
    expect(learn(named)).toEqual({ kind: 'many', channels: 15 });
  });

  describe('outside debug mode', () => {
    /** Changes all that noise hides. */
    const otherwise = (decision: TriggerDecision, noise: SourceNoise): readonly LogEntry[] =>
      entries.map((entry): LogEntry => {
        if (entry.kind === 'trigger') return { ...entry, decision, checks: [] };
        return entry.kind === 'source' && entry.decision.kind === 'stored'
          ? { ...entry, decision: { ...entry.decision, noise } }
          : entry;
      });
    const decisions: readonly TriggerDecision[] = [
      { kind: 'attributed', sourceId: 1, reports: [1] },
      { kind: 'dropped', sourceId: 1, reason: 'trigger-event-noise' },
      { kind: 'dropped', sourceId: 1, reason: 'trigger-event-deduplicated' },
    ];
    const noises: readonly SourceNoise[] = [
      { kind: 'truthful' },
      { kind: 'replaced', reports: 0, state: 0n },
    ];

    test('are the same whatever noise did, and say that repetitions count', () => {
      const shown = learn(entries, 'campaign', false);
      expect(shown).toMatchObject({ kind: 'learned', conversions: 20, mayRepeat: true });
      for (const decision of decisions)
        for (const noise of noises)
          expect(learn(otherwise(decision, noise), 'campaign', false)).toEqual(shown);
    });

    test('are others than in debug mode only by repetitions', () => {
      const [attributed, , repeated] = decisions.map((decision) => otherwise(decision, { kind: 'truthful' }));
      expect(learn(attributed ?? [])).toMatchObject({ conversions: 20 });
      expect(learn(repeated ?? [])).toMatchObject({ kind: 'unconverted' });
    });
  });
});

test('channels are filter data with one value, campaigns first, then what each source has', () => {
  const source = (filterData: object): LogEntry =>
    ({ kind: 'source', header: JSON.stringify({ filter_data: filterData }) }) as unknown as LogEntry;
  expect(channelColumns([])).toEqual(['reporting_origin', 'source_type']);
  expect(
    channelColumns([
      source({ line: ['1'], size: ['big'], campaign: ['a'] }),
      source({ size: ['small'], line: ['1', '2'] }),
      source({ reporting_origin: ['x'], size: ['big'] }),
    ]),
  ).toEqual(['campaign', 'size', 'line', 'reporting_origin', 'source_type']);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, key) => [`key ${key}`, ['a']]));
  expect(channelColumns([source(many)])).toHaveLength(12);
});

describe('campaigns by model', () => {
  const models = modelsBeside({ kind: 'last-touch' });
  const conversions = (): Extract<LogEntry, { kind: 'trigger' }>[] =>
    entries.flatMap((entry) => (entry.kind === 'trigger' ? [entry] : []));
  const placeOf = (kind: AttributionModel['kind']): number =>
    models.findIndex((model) => model.kind === kind);

  /** By what the log says of the candidates at one end. */
  function counted(end: 0 | -1): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { considered = [] } of conversions()) {
      const source = [...considered].sort((a, b) => a.time - b.time || a.id - b.id).at(end);
      if (source === undefined) continue;
      const entry = entries.find(
        (one) =>
          one.kind === 'source' && one.decision.kind === 'stored' && one.decision.sourceId === source.id,
      );
      const [, campaign = ''] = /"campaign":\["([^"]*)"\]/.exec(entry?.header ?? '') ?? [];
      counts.set(campaign, (counts.get(campaign) ?? 0) + 1);
    }
    return counts;
  }

  test('each model credits what happened, and all conversions', () => {
    const { rows, conversions: all, winners } = campaignCredits(conversions(), entries, 'campaign', models);
    expect(all).toBeGreaterThan(10);
    for (const [place] of models.entries())
      expect(rows.reduce((sum, { credits }) => sum + (credits[place] ?? 0), 0)).toBeCloseTo(all, 6);
    for (const [kind, end] of [
      ['last-touch', -1],
      ['first-touch', 0],
    ] as const) {
      const credits = rows.map((row) => [row.campaign, row.credits[placeOf(kind)]] as const);
      expect(new Map(credits.filter(([, credit]) => credit !== 0))).toEqual(counted(end));
      const most = Math.max(...counted(end).values());
      expect(winners[placeOf(kind)]).toEqual(
        rows.filter((row) => row.credits[placeOf(kind)] === most).map(({ campaign }) => campaign),
      );
    }
  });

  test('sources that the log has lost have a row of their own, and nothing is lost with them', () => {
    const kept = entries.filter(({ kind }) => kind === 'trigger');
    const { rows, conversions: all } = campaignCredits(conversions(), kept, 'campaign', models);
    expect(rows.map(({ campaign }) => campaign)).toEqual([null]);
    const { winners, verdict } = campaignCredits(conversions(), kept, 'campaign', models);
    expect([verdict, ...winners]).toEqual(['unknown', ...models.map(() => [])]);
    expect(rows[0]?.credits.every((credit) => Math.abs(credit - all) < 1e-6)).toBe(true);
  });

  test('the verdict is about all campaigns that win', () => {
    const byCampaign = new Map<string | null, ReturnType<typeof conversions>[number][]>();
    for (const one of conversions().filter(({ considered = [] }) => considered.length === 1)) {
      const [name = null] = campaignCredits([one], entries, 'campaign', models).rows.map(
        (row) => row.campaign,
      );
      byCampaign.set(name, [...(byCampaign.get(name) ?? []), one]);
    }
    const [[a1, a2] = [], [b1] = []] = [...byCampaign.values()].sort((a, b) => b.length - a.length);
    if (a1 === undefined || a2 === undefined || b1 === undefined) throw new Error('too few conversions');
    const verdictOn = (chosen: ReturnType<typeof conversions>): string =>
      campaignCredits(chosen, entries, 'campaign', models).verdict;
    expect([[a1], [a1, b1], [a1, a2, b1]].map(verdictOn)).toEqual(['alone', 'tied', 'same']);
    expect(verdictOn(conversions())).toBe('differs');
  });
});
