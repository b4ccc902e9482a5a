import 'fake-indexeddb/auto';
import { W3cApi } from '../../../extension/background/w3c/api';
import { W3cStore } from '../../../extension/store/w3c-store';
import { seededRandomSource, seededRandomStreams } from '../../../analysis/random/sources';
import type { ScenarioEvent } from '../../../analysis/scenario/scenario';
import { scenarioRegistration } from '../../../analysis/scenario/scenario-registration';
import { eventLine } from '../../../analysis/simulation/event-line';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { apiCallOf, type ApiCall } from '../../../analysis/w3c/calls';
import { parseProfile, type Profile } from '../../../analysis/w3c/profile';
import { simulateApiUser } from '../../../analysis/w3c/user';
import { base64 } from '../../../formats/codec/base64';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import type { Json, JsonObject } from '../../../src/model/json';
import { days, moment, type Moment } from '../../../src/model/units';
import type { RandomSource } from '../../../src/privacy/random-source';
import { uniformBelow } from '../../../src/privacy/uniform';
import { callerOf } from '../../../w3c/matching';
import { sealReport } from '../../../w3c/report';
import { AGGREGATION_SERVICE } from '../../../w3c/service';
import { newSealingKey } from '../../e2e/helpers/sealing-key';
import { isLong } from '../helpers/is-long';

/* `simulate w3c --seed` and a device in debug mode with the same seed make the same reports of the same events, to the byte. */

const START = 1_767_225_600_000;
const HOUR = 3_600_000;
const LISTS = isLong ? 1000 : 80;

const below = (random: RandomSource, most: number): number => Number(uniformBelow(random, BigInt(most)));

function pick<T>(random: RandomSource, items: readonly [T, ...T[]]): T {
  return items[below(random, items.length)] ?? items[0];
}

/** Impressions and conversions of a person within eight weeks or less, many of them for the same shop. */
function randomEvents(random: RandomSource): readonly ScenarioEvent[] {
  const step = pick(random, [2, 12, 96]);
  let time = START;
  return Array.from({ length: 2 + below(random, 13) }, () => {
    time += below(random, step * HOUR);
    const ads = pick(random, ['https://ads.example', 'https://news.example']);
    const campaign = pick(random, ['red', 'blue', 'green', 'unknown']);
    const line =
      below(random, 2) === 0
        ? eventLine('ada', moment(time), {
            context: pick(random, ['https://news.example', 'https://blog.example']),
            eligible: pick(random, ['navigation-source', 'event-source']),
            url: `${ads}/ad`,
            header: {
              'Attribution-Reporting-Register-Source': {
                destination: pick<Json>(random, [
                  'https://shop.example',
                  ['https://shop.example', 'https://mall.example'],
                ]),
                filter_data: { campaign: [campaign] },
                priority: String(below(random, 3)),
                expiry: String(86_400 * (1 + below(random, 30))),
              },
            },
          })
        : eventLine('ada', moment(time), {
            context: pick(random, [
              'https://shop.example',
              'https://www.shop.example',
              'https://mall.example',
            ]),
            eligible: 'trigger',
            url: `${ads}/sale`,
            header: {
              'Attribution-Reporting-Register-Trigger':
                below(random, 2) === 0 ? {} : { filters: { campaign: [campaign] } },
            },
          });
    const { value } = parseLogLine(line);
    if (value === null) throw new Error('the line must be valid');
    return value.event;
  });
}

function randomProfile(random: RandomSource): Profile {
  const { value } = parseProfile({
    histogram: { by: 'campaign', buckets: ['red', 'blue', 'green'] },
    conversion: {
      epsilon: pick(random, [0.1, 0.3, 0.5, 1]),
      value: 1 + below(random, 5),
      maxValue: 5,
      credit: pick<Json>(random, [[1], [1, 1], [0.5, 0.25, 0.25]]),
      lookbackDays: pick(random, [1, 7, 30]),
    },
    limits: { globalPrivacyBudgetPerEpoch: pick(random, [8_000_000, 1_500_000]) },
  });
  if (value === null) throw new Error('the settings must be valid');
  return value;
}

type Made = Extract<ApiCall, { readonly kind: 'impression' | 'conversion' }>;

/** What the pages call that an event stands for. */
const callsOf = (events: readonly ScenarioEvent[], profile: Profile): readonly Made[] =>
  events.flatMap((event) => {
    if (event.kind !== 'request') return [];
    return event.responses.flatMap((response) => {
      const result = scenarioRegistration(event, response);
      const made = result.kind === 'ignored' ? null : apiCallOf(result.registration, profile);
      return made?.kind === 'impression' || made?.kind === 'conversion' ? [made] : [];
    });
  });

/** As a page writes the options. */
function optionsOf(made: Made): JsonObject {
  if (made.kind === 'impression') {
    const { lifetime, conversionSites, conversionCallers, ...others } = made.options;
    return {
      ...others,
      lifetimeDays: lifetime / days(1),
      conversionSites: [...conversionSites],
      conversionCallers: [...conversionCallers],
    };
  }
  const { epsilon, credit, lookback, matchValues, impressionSites, impressionCallers, ...others } =
    made.options;
  return {
    ...others,
    aggregationService: AGGREGATION_SERVICE,
    epsilon: epsilon.toNumber(),
    credit: credit.map((share) => share.toNumber()),
    lookbackDays: lookback / days(1),
    matchValues: [...matchValues],
    impressionSites: [...impressionSites],
    impressionCallers: [...impressionCallers],
  };
}

test(`for ${LISTS} random lists of events`, async () => {
  const { key, setting } = await newSealingKey();
  let attributed = 0;
  let conversions = 0;
  for (let list = 0; list < LISTS; list++) {
    const random = seededRandomSource('w3c same bytes', list);
    const [events, profile] = [randomEvents(random), randomProfile(random)];
    // As `--seed list` for the person ada, and the setting `debug.seed`.
    const streams = seededRandomStreams(JSON.stringify([String(list), 'ada']), 'w3c');
    const { reports } = simulateApiUser(events, profile, streams);

    const clock: { time: Moment } = { time: moment(START) };
    const api = new W3cApi({
      store: new W3cStore(`w3c same bytes ${list}`),
      settings: {
        mayRecord: true,
        current: { w3cAttribution: true, aggregationKeys: [setting], debug: { enabled: true } },
        onChange: () => undefined,
      },
      clock: { now: () => clock.time },
      limits: { current: profile.limits },
      random: streams,
    } as unknown as ConstructorParameters<typeof W3cApi>[0]);
    const expected: string[] = [];
    const actual: string[] = [];
    const calls = callsOf(events, profile);
    for (const [index, made] of calls.entries()) {
      clock.time = made.call.time;
      if (below(random, 4) === 0) await api.removeExpired();
      const answer = await api.call({
        call: made.kind === 'impression' ? 'saveImpression' : 'measureConversion',
        via: 'script',
        topLevelHost: made.call.topLevelSite,
        callerHost: callerOf(made.call),
        options: optionsOf(made),
        isOff: false,
      });
      if ('error' in answer) throw new Error(`list ${list}: ${answer.error}`);
      if (made.kind === 'impression') continue;
      actual.push(answer.report ?? '');
      const { histogram = [] } = reports[expected.length] ?? {};
      attributed += histogram.some((bucket) => bucket > 0) ? 1 : 0;
      const sealing = streams(2 ** 32 + index + 1);
      const bytes = await sealReport(histogram, made.call, made.options, key, sealPayload, sealing);
      expected.push(base64.write(bytes) as string);
    }
    expect(actual).toEqual(expected);
    expect(reports).toHaveLength(actual.length);
    conversions += actual.length;
  }
  expect(conversions).toBeGreaterThan(LISTS);
  expect(attributed).toBeGreaterThan(LISTS / 4);
});
