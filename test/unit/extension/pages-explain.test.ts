import type { JsonObject } from '../../../src/model/json';
import { explainCheck } from '../../../extension/pages/explain/checks';
import { checks } from '../../../words/english/checks';
import type { CheckId } from '../../../src/model/checks';
import { positionOn, timelineEvents } from '../../../extension/pages/explain/timeline';
import { outcomeOf } from '../../../extension/pages/words/outcome';
import { accountOf } from '../../../extension/pages/explain/source-why';
import { whySentence, whySteps } from '../../../extension/pages/explain/why';
import {
  check,
  benchFrom,
  benchToParameters,
  figuresOf,
  turn,
  type Draft,
} from '../../../extension/pages/explain/workbench';
import { settingGroups, settingsWith, valueAt } from '../../../extension/pages/views/options/entries';
import { withoutDebugMode } from '../../../extension/pages/views/options/presets';
import { parseRoute, routeTo } from '../../../extension/pages/state/route';
import type { LogEntry } from '../../../src/model/decision';
import type { NoiseMode } from '../../../src/work';
import { defaultSettings } from '../../../formats/settings/settings';
import { parseSettings } from '../../../formats/settings/parse-settings';
import { conditions, newEngine, sourceRegistration, START, triggerRegistration } from '../helpers/engine';
import { english } from '../../../words/english';

describe('explanations', () => {
  it('point to the specification, each with a question and a sentence', () => {
    for (const name of Object.keys(checks) as CheckId[]) {
      const { question, failed, section } = explainCheck(name, false);
      expect([name, question]).toEqual([name, expect.stringMatching(/\?$/)]);
      expect([name, failed]).toEqual([name, expect.stringMatching(/[.)]$/)]);
      expect(section).toMatch(
        /^https:\/\/(wicg\.github\.io\/attribution-reporting-api\/#[a-z-]+|github\.com\/WICG)/,
      );
    }
  });

  const registered = async (noise: NoiseMode) => {
    const { engine } = newEngine();
    await engine.register(sourceRegistration(), conditions(noise));
    return engine.register(triggerRegistration(), conditions());
  };

  it('conceal what noise did from whoever may not know', async () => {
    const noised = await registered({ kind: 'forced', state: [[0], ...new Array<number[]>(7).fill([])] });
    const credited = await registered({ kind: 'off' });
    expect(outcomeOf(noised, true).words).toBe('state forced');
    expect(outcomeOf(noised, false)).toEqual(outcomeOf(credited, false));
    expect(whySentence(noised, false)).not.toMatch(/fake/);
    const steps = whySteps(noised, false);
    expect(steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(whySteps(noised, true).find(({ deciding }) => deciding)?.name).toBe('source-not-noised');
  });

  describe('without the truth', () => {
    const flexible = { trigger_specs: [{ trigger_data: [0], summary_buckets: [5] }] };
    /** To a report, and to nothing. */
    const noises = (data: number): NoiseMode[] =>
      [[0], []].map((first) => ({
        kind: 'forced',
        state: [first, ...new Array<number[]>(data - 1).fill([])],
      }));
    const twice = { event_trigger_data: [{ deduplication_key: '1' }] };
    const nowhere = { event_trigger_data: [{ trigger_data: '7', filters: { product: ['shoes'] } }] };

    /** The page's text on two conversions and their source, without the truth. */
    const told = async (noise: NoiseMode, trigger: JsonObject, source: JsonObject) => {
      const { engine, store } = newEngine();
      await engine.register(sourceRegistration(source), conditions(noise));
      const entries: LogEntry[] = [];
      for (let count = 0; count < 2; count++)
        entries.push(await engine.register(triggerRegistration(trigger), conditions()));
      const triggers = entries.flatMap((entry, id) =>
        // Invented reports take numbers, too.
        entry.kind === 'trigger' ? [{ ...entry, id }] : [],
      );
      const [kept] = await store.read((tx) => tx.table('sources').latest(1));
      if (kept === undefined) throw new Error('the source must be kept');
      const account = (truth: boolean) => accountOf(kept, { triggers, reports: [], now: START, truth });
      const of = (truth: boolean) => ({
        why: triggers.map((entry) => [outcomeOf(entry, truth), whySteps(entry, truth)]),
        sentences: triggers.map((entry) => whySentence(entry, truth)),
        timeline: timelineEvents(triggers, [], truth),
        account: account(truth),
      });
      return { without: of(false), withTruth: of(true) };
    };

    it.each([
      ['credited', { event_trigger_data: [{}] }, {}],
      ['deduplicated', twice, {}],
      [
        'without matching data',
        { event_trigger_data: [{ trigger_data: '9' }] },
        { trigger_data_matching: 'exact' },
      ],
      ['without matching configurations', nowhere, {}],
      ['beyond the maximum', { event_trigger_data: [{}] }, { max_event_level_reports: 1 }],
      [
        'before the report window',
        { event_trigger_data: [{}] },
        { event_report_windows: { start_time: 3600, end_times: [7200] } },
      ],
      ['counted towards a bucket', { event_trigger_data: [{ value: 1 }] }, flexible],
    ])(
      'a conversion (%s) is explained the same for a noised and a truthful source',
      async (_, trigger, source) => {
        const truthful = await told({ kind: 'off' }, trigger, source);
        for (const noise of noises(source === flexible ? 1 : 8)) {
          const noised = await told(noise, trigger, source);
          expect(noised.without).toEqual(truthful.without);
          expect(noised.withTruth).not.toEqual(truthful.withTruth);
        }
      },
    );
  });

  it('put times on the line in order, the ends at its ends', () => {
    const at = positionOn(100, 500, 1000);
    expect([at(0), at(100), at(200), at(500), at(900)]).toEqual([0, 0, 500, 1000, 1000]);
  });
});

describe('the workbench', () => {
  const draft = (json: object, as: Draft['as'] = 'navigation'): Draft => ({ as, text: JSON.stringify(json) });
  const plain = draft({ destination: 'https://shop.example' });

  const states = (changed: Draft): string => {
    const { source, errors } = check(changed);
    if (source === null) throw new Error(JSON.stringify(errors));
    return String(figuresOf(source, 'navigation').states);
  };
  const turned = (from: Draft, knob: Parameters<typeof turn>[1], value: number): Draft => {
    const { source } = check(from);
    if (source === null) throw new Error('the draft is not valid');
    return turn(from, knob, value, source);
  };

  // The numbers of field tests of the API: windows × data × reports.
  it.each([
    ['windows', 2, '969'],
    ['windows', 1, '165'],
    ['windows', 3, '2925'],
    ['triggerData', 2, '84'],
    ['reports', 5, '118755'],
    ['reports', 0, '1'],
  ] as const)('%s at %d makes %s states', (knob, value, expected) => {
    expect(states(turned(plain, knob, value))).toBe(expected);
  });

  it.each([1, 2, 3, 4, 5])('%d windows are valid at any expiry', (windows) => {
    for (const expiry of [86_400, 100_000, 2_592_000]) {
      const source = draft({ destination: 'https://shop.example', expiry });
      const { source: kept, errors } = check(turned(source, 'windows', windows));
      expect(kept).not.toBeNull();
      // With four or five windows the default trigger data exceed the channel capacity.
      expect(errors.map(({ code }) => code)).toEqual(windows > 3 ? ['channel-capacity'] : []);
    }
  });

  it('turns buckets on and off again', () => {
    const flexible = turned(plain, 'buckets', 2);
    expect(check(flexible).source).toMatchObject({
      flexible: true,
      triggerSpecs: [{ summaryBuckets: [10, 20] }],
    });
    expect(check(turned(flexible, 'triggerData', 3)).source?.triggerSpecs[0]?.triggerData).toEqual([0, 1, 2]);
    expect(check(turned(flexible, 'buckets', 0)).source?.flexible).toBe(false);
  });

  it('says where a mistake is', () => {
    expect(
      check(
        draft({ destination: 'https://shop.example', event_report_windows: { end_times: [7200, 'x'] } }),
      ).errors.map(english.worded),
    ).toEqual([
      { path: 'event_report_windows.end_times[1]', message: expect.stringContaining('was "x"') as string },
    ]);
    expect(check({ as: 'trigger', text: '{' }).errors.map(english.worded)).toEqual([
      { path: '', message: expect.stringMatching(/^must be JSON/) as string },
    ]);
  });

  it('travels in a link', () => {
    const odd: Draft = { as: 'event', text: '{"ε": "…?&#/+=", "n": 1}' };
    for (const bench of [
      { draft: odd, kept: null },
      { draft: odd, kept: { as: 'navigation', text: '{' } },
    ] as const)
      expect(benchFrom(new URLSearchParams(benchToParameters(bench).toString()))).toEqual(bench);
    expect(benchFrom(new URLSearchParams('as=event&json=%%%'))).toBeNull();
  });
});

describe('the options', () => {
  const entries = settingGroups.flatMap((group) => group.entries);

  it.each(entries.map(({ path: at }) => at))(
    '"%s" is a setting that is read and written by its path',
    (at) => {
      const value = valueAt(defaultSettings, at);
      expect(value).not.toBeUndefined();
      expect(parseSettings(settingsWith(at, value))).toEqual({
        value: defaultSettings,
        errors: [],
        warnings: [],
      });
    },
  );

  it('leave out no setting but the rules, which have an editor', () => {
    const named = new Set(entries.map(({ path: at }) => at.split('.')[0]));
    expect(Object.keys(defaultSettings).filter((name) => !named.has(name))).toEqual(['rules']);
    const inDebug = entries.flatMap(({ path: at }) => (at.startsWith('debug.') ? [at.slice(6)] : []));
    expect(inDebug.sort()).toEqual(Object.keys(defaultSettings.debug).sort());
  });

  it.each([
    [true, false, false, true],
    [true, true, true, false],
    [false, true, false, false],
    [false, false, false, false],
  ])('a file with debug mode %s, where it is %s, leaves it %s (said: %s)', (inFile, now, then, said) => {
    const withDebug = (enabled: boolean, seed: string | null) => ({
      ...defaultSettings,
      debug: { ...defaultSettings.debug, enabled, seed },
    });
    expect(withoutDebugMode(withDebug(inFile, 'of the file'), withDebug(now, null))).toEqual({
      settings: withDebug(then, 'of the file'),
      leavesOutDebug: said,
    });
  });

  it('keep what is beside a setting', () => {
    const changed = settingsWith('debug.noise', false);
    expect(
      parseSettings(changed, { ...defaultSettings, collector: 'https://c.example' }).value,
    ).toMatchObject({
      collector: 'https://c.example',
      debug: { enabled: false, noise: false, delay: true },
    });
  });
});

describe('addresses', () => {
  it.each([
    ['', [], ''],
    ['#/sources/17', ['sources', '17'], ''],
    ['#/log?q=a%20b', ['log'], 'a b'],
    ['#/a%2Fb', ['a/b'], ''],
    ['#/%E0%A4%A', ['%E0%A4%A'], ''],
  ])('%s', (hash, parts, query) => {
    const route = parseRoute(hash);
    expect(route.path).toEqual(parts);
    expect(route.parameters.get('q') ?? '').toBe(query);
  });

  it('are written as they are read', () => {
    expect(parseRoute(routeTo(['a/b', 7], new URLSearchParams({ q: 'x&y' })))).toMatchObject({
      path: ['a/b', '7'],
    });
  });
});
