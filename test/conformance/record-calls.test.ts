import { accept } from '../../cli/io/input';
import { chromiumLimits } from '../../src/model/limits';
import type { Json, JsonObject } from '../../src/model/json';
import { uniformBelow } from '../../src/privacy/uniform';
import type { RandomSource } from '../../src/privacy/random-source';
import { seededRandomSource } from '../../analysis/random/sources';
import { recordScenario } from '../../analysis/scenario/record';
import { replayCalls } from '../../analysis/scenario/calls/replay-calls';
import type { ScenarioCall } from '../../analysis/scenario/calls/scenario-calls';
import { firstOtherHistogram } from '../../analysis/scenario/compare';
import { parseScenario, scenarioSettings, type Scenario } from '../../analysis/scenario/scenario';
import { english } from '../../words/english';
import type { ConversionWhy } from '../../w3c/engine';
import { defaultLimits } from '../../w3c/limits';
import type { CallEntry } from '../../w3c/log';
import { callerOf } from '../../w3c/matching';

/* What pages did with W3C Attribution, as a scenario. */

const DAY = 86_400_000;
const START = 1_767_225_600_000;
const hosts = ['news.example', 'blog.example', 'shop.example', 'ads.example'];

const scenarioOf = (document: Json): Scenario =>
  accept('a scenario', parseScenario(document, chromiumLimits));

/** Three weeks of calls, most with credit that chance divides. */
function randomCalls(random: RandomSource): readonly JsonObject[] {
  const below = (count: number): number => Number(uniformBelow(random, BigInt(count)));
  const host = (): string => hosts[below(hosts.length)] ?? '';
  let time = START;
  return Array.from({ length: 30 }, () => {
    time += below(DAY);
    const at = { timestamp: String(time), site: host(), ...(below(3) === 0 ? { caller: host() } : {}) };
    return below(2) === 0
      ? { ...at, call: 'saveImpression', options: { histogramIndex: below(5), priority: below(2) } }
      : {
          ...at,
          call: 'measureConversion',
          options: { histogramSize: 4, value: 3, maxValue: 9, credit: [1, 1, 1].slice(below(3)) },
        };
  });
}

/** What the extension's log would have of them. */
function logged(calls: readonly ScenarioCall[], whys: ReadonlyMap<ScenarioCall, ConversionWhy>): CallEntry[] {
  return calls.flatMap((step, index) => {
    if (step.kind !== 'saveImpression' && step.kind !== 'measureConversion') return [];
    const why = whys.get(step);
    const entry = {
      id: index + 1,
      time: step.time,
      via: 'script' as const,
      call: step.kind,
      site: step.call.topLevelSite,
      caller: callerOf(step.call),
      options: { ...step.asked, aggregationService: 'https://any.example/' },
    };
    return why === undefined
      ? { ...entry, outcome: { kind: 'saved' as const } }
      : { ...entry, outcome: { kind: 'measured' as const, why, holds: null } };
  });
}

test('replays with the same histograms, whatever chance decided', () => {
  let drawn = 0;
  for (let seed = 0; seed < 100; seed++) {
    const input = { registrations: [], w3c: randomCalls(seededRandomSource(`calls ${seed}`, 0)) };
    const scenario = scenarioOf({ w3c: { epoch_start: String(START - 5 * DAY) }, input }).w3c;
    const whys = new Map<ScenarioCall, ConversionWhy>();
    const histograms = replayCalls(scenario, {
      random: (call) => seededRandomSource(`draws ${seed}`, call),
      observe: (call, why) => whys.set(call, why),
    });
    const written = recordScenario(
      {
        log: [],
        reports: [],
        finished: [],
        w3c: {
          state: { epochStart: scenario.epochStart, lastClear: null },
          limits: defaultLimits,
          log: logged(scenario.calls, whys),
        },
      },
      { settings: scenarioSettings, limits: chromiumLimits, debug: false },
    );
    const again = scenarioOf(JSON.parse(JSON.stringify(written)) as Json).w3c;
    expect(again.histograms).toEqual(histograms);
    expect(replayCalls(again, { random: null })).toEqual(histograms);
    // Without the draws, chance decides otherwise.
    const calls = again.calls.map((call) =>
      call.kind === 'measureConversion' ? { ...call, credit: null } : call,
    );
    const others = replayCalls({ ...again, calls }, { random: null });
    if (JSON.stringify(others) !== JSON.stringify(histograms)) drawn += 1;
  }
  expect(drawn).toBeGreaterThan(50);
});

/** What was recorded of calls of which the log lacks some. */
const recordedWithout = (
  { calls, epochStart }: Scenario['w3c'],
  isLogged: (call: ScenarioCall) => boolean,
): JsonObject => {
  const whys = new Map<ScenarioCall, ConversionWhy>();
  replayCalls(
    { calls, epochStart, limits: defaultLimits, histograms: [] },
    { random: (call) => seededRandomSource('draws', call), observe: (call, why) => whys.set(call, why) },
  );
  const w3c = {
    state: { epochStart, lastClear: null },
    limits: defaultLimits,
    log: logged(calls.filter(isLogged), whys),
  };
  return recordScenario(
    { log: [], reports: [], finished: [], w3c },
    { settings: scenarioSettings, limits: chromiumLimits, debug: false },
  );
};

test('states no histogram that a replay cannot give, because the log lacks what decided it', () => {
  let unstated = 0;
  for (let seed = 0; seed < 50; seed++) {
    const calls = [...randomCalls(seededRandomSource(`calls ${seed}`, 0))];
    const time = calls[14]?.['timestamp'];
    calls.splice(
      15,
      0,
      ...hosts.map((site) => ({ timestamp: time, call: 'clearImpressions', site }) as JsonObject),
    );
    const scenario = scenarioOf({
      w3c: { epoch_start: String(START - 5 * DAY) },
      input: { registrations: [], w3c: calls },
    }).w3c;
    // The oldest left the log, and it never has what sites cleared.
    const cut = scenario.calls[seed % 10]?.time ?? 0;
    const written = recordedWithout(scenario, (call) => call.kind !== 'clearImpressions' && call.time >= cut);
    const again = scenarioOf(JSON.parse(JSON.stringify(written)) as Json).w3c;
    const made = replayCalls(again, { random: null });
    expect(firstOtherHistogram(again.histograms, made)).toBeNull();
    unstated += again.histograms.filter(({ histogram }) => histogram === null).length;
  }
  expect(unstated).toBeGreaterThan(50);
});

const impression = {
  timestamp: '1000',
  call: 'saveImpression',
  site: 'news.example',
  options: { histogramIndex: 1 },
};
const conversion = {
  timestamp: '2000',
  call: 'measureConversion',
  site: 'shop.example',
  options: { histogramSize: 4, value: 2, maxValue: 2 },
};

test.each<readonly [string, JsonObject, string]>([
  ['no timestamp', { call: 'erase' }, 'input.w3c[0]: must have the field "timestamp"'],
  ['an unknown call', { ...impression, call: 'save' }, 'input.w3c[0].call: must be'],
  ['no site', { ...impression, site: 'a/b' }, 'input.w3c[0].site: must be'],
  [
    'an option out of its range',
    { ...impression, options: { histogramIndex: -1 } },
    'histogramIndex: must be',
  ],
  ['no options', { ...conversion, options: {} }, 'histogramSize'],
  ['credit that is none', { ...conversion, credit: [0.5] }, 'input.w3c[0].credit[0]: must be'],
])('refuses %s, with its place', (_, call, said) => {
  const { errors } = parseScenario({ input: { registrations: [], w3c: [call] } }, chromiumLimits);
  expect(english.issuesText(errors)).toContain(said);
});

test('refuses calls that are not in order, and credit that the impressions cannot get', () => {
  const { errors } = parseScenario(
    { input: { registrations: [], w3c: [conversion, impression] } },
    chromiumLimits,
  );
  expect(english.issuesText(errors)).toContain('input.w3c: ');
  for (const credit of [[1], [1, 1], []]) {
    const { w3c } = scenarioOf({
      input: { registrations: [], w3c: [impression, { ...conversion, credit }] },
    });
    expect(() => replayCalls(w3c, { random: null })).toThrow(
      `must be 1 whole number with the sum 2, one for each impression that matches, was ${JSON.stringify(credit)}; impressions may be missing`,
    );
    const said: string[] = [];
    const [made] = replayCalls(w3c, { random: null, misfit: ({ path }) => said.push(path) });
    expect([made?.histogram, said]).toEqual([{ 1: 2 }, ['input.w3c[1]']]);
  }
});

test('warns of a field that a call does not have', () => {
  const { warnings } = parseScenario(
    { input: { registrations: [], w3c: [{ ...impression, credit: [1] }] } },
    chromiumLimits,
  );
  expect(english.issuesText(warnings)).toContain('input.w3c[0].credit');
});
