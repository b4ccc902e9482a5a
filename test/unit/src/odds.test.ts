import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { chance } from '../../../extension/pages/explain/sent';
import { inventedWords } from '../../../extension/pages/explain/invented';
import { parseTrial } from '../../../formats/settings/parse-trial';
import { silentTea } from '../../../scenarios/demo/sites/arrived-page';
import { teaView } from '../../../scenarios/demo/sites/campaigns';
import { distributionOf } from '../../../analysis/audit/outcomes';
import { oddsOf } from '../../../analysis/audit/odds';
import { EXAMPLE_PRIOR, mostTrue, trueReports } from '../../../analysis/audit/true-reports';
import type { Json, JsonObject } from '../../../src/model/json';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import { defaultMeasurement } from '../../../src/model/mechanisms';
import type { SourceRegistration } from '../../../src/model/registration';
import { epsilon, probability } from '../../../src/model/units';
import { probabilities, type FiniteMechanism } from '../../../src/privacy/finite-distribution';
import { randomizedResponse } from '../../../src/privacy/randomized-response';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { parseSource } from '../../../formats/registration/source';
import { countStates } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { roundedRate } from '../../../src/privacy/randomized-response';
import type { Trial } from '../../../formats/settings/trial';
import { estimates as english } from '../../../words/english/estimates';
import { estimates as german } from '../../../words/german/estimates';
import { sayer } from '../../../words/say';

const root = path.resolve(__dirname, '../../..');
const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8').replace(/\s+/g, ' ');

function registered(fields: JsonObject, sourceType: SourceType): SourceRegistration {
  const { value } = parseSource(
    { destination: 'https://shop.example', ...fields },
    sourceType,
    chromiumLimits,
  );
  if (value === null) throw new Error('the registration is not valid');
  return value;
}

/** For each truth, the probability of each output. */
type Channel = readonly (readonly number[])[];

const numberOf = ({ lower }: { readonly lower: bigint }, bits: number): number =>
  Number(lower >> BigInt(bits - 60)) / 2 ** 60;

/**
 * By all ways in which the draw that the engine makes can fall; outputs that never differ are as the last one. The draw knows no truth, so that all
 * truths share its ways.
 */
async function responseChannel(states: bigint, of: number, truths: number): Promise<Channel> {
  const respond = randomizedResponse(states, epsilon(of));
  const found = await distributionOf((random) => {
    const response = respond(random);
    return Promise.resolve(response.kind === 'truthful' ? 'truth' : String(response.state));
  }, 5000);
  const chanceOf = (output: string): bigint => found.get(output)?.lower ?? 0n;
  return Array.from({ length: truths }, (_, truth) =>
    Array.from({ length: Number(states) }, (_unused, output) =>
      numberOf({ lower: chanceOf(String(output)) + (output === truth ? chanceOf('truth') : 0n) }, 256),
    ),
  );
}

const mechanismChannel = <Output>({ weights }: FiniteMechanism<Output>, truths: number): Channel =>
  Array.from({ length: truths }, (_, truth) =>
    probabilities(weights(truth)).map((bounds) => numberOf(bounds(128), 128)),
  );

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** Of those with this output, the share with this event. */
function trueOf(
  channel: Channel,
  prior: readonly number[],
  isEvent: (truth: number) => boolean,
  output: number,
): number {
  const joint = channel.map((row, truth) => (prior[truth] ?? 0) * (row[output] ?? 0));
  return total(joint.filter((_, truth) => isEvent(truth))) / total(joint);
}

interface Rendered {
  readonly rate: number | null;
  readonly below: number | null;
  readonly above: number | null;
  /** The most reports that can be true; null if it may be nearly all. */
  readonly most: number | null;
}

type Language = 'en' | 'de';

/** How sentences of each language say these things. */
const forms = {
  en: {
    rate: /about (\d+) of (\d+)/,
    below: /fewer than 1 of 1000/,
    above: /more than 999 of 1000/,
    most: /at most (\d+) in (\d+) reports of (?:it|a purchase) are true/,
    nearlyAll: /nearly all reports of (?:it|a purchase) can be true/,
  },
  de: {
    rate: /etwa (\d+) von (\d+)/,
    below: /weniger als 1 von 1000/,
    above: /mehr als 999 von 1000/,
    most: /stimmen höchstens (\d+) von (\d+) Berichten (?:darüber|über einen Kauf)/,
    nearlyAll: /können fast alle Berichte (?:darüber|über einen Kauf) stimmen/,
  },
} as const satisfies Record<Language, unknown>;

/** What a sentence for people says. */
function read(sentence: string, language: Language = 'en'): Rendered {
  const form = forms[language];
  const [, n, whole] = form.rate.exec(sentence) ?? [];
  const [, most, of] = form.most.exec(sentence) ?? [];
  expect(most === undefined).toBe(form.nearlyAll.test(sentence));
  return {
    rate: n === undefined ? null : Number(n) / Number(whole),
    below: form.below.test(sentence) ? 0.001 : null,
    above: form.above.test(sentence) ? 0.999 : null,
    most: most === undefined ? null : Number(most) / Number(of),
  };
}

/** The sentences of all places that speak of the odds of a source, in a language. */
async function sentencesIn(
  language: Language,
  registration: SourceRegistration,
  sourceType: SourceType,
): Promise<Readonly<Record<'report page' | 'consent page' | 'dashboard and commands', string>>> {
  const texts = JSON.parse(textOf(`extension/_locales/${language}.json`)) as Record<
    string,
    string | undefined
  >;
  const i18n = {
    getUILanguage: () => language,
    getMessage: (name: string) => texts[name] ?? '',
  };
  const { replaced, epsilon: of } = oddsOf(defaultMeasurement, registration);
  const rate = roundedRate(replaced ?? probability(0));
  let said = { 'report page': '', 'consent page': '' };
  await jest.isolateModulesAsync(async () => {
    jest.doMock('webextension-polyfill', () => ({ __esModule: true, default: { i18n } }));
    const { chance: likelihood } = await import('../../../extension/pages/explain/sent');
    const { inventedWords: invented } = await import('../../../extension/pages/explain/invented');
    const stated = [{ name: 'Ad', sourceType, registration }];
    said = {
      'report page': likelihood(rate, of),
      // Only what it says of this ad is looked at.
      'consent page': invented(defaultMeasurement, { registrations: stated } as unknown as Trial),
    };
    jest.dontMock('webextension-polyfill');
  });
  const say = sayer(language, language === 'en' ? english : german);
  return { ...said, 'dashboard and commands': say('true-reports', trueReports(of)) };
}

const sources: readonly (readonly [string, JsonObject, SourceType])[] = [
  ['a default view', {}, 'event'],
  ['a default click', {}, 'navigation'],
  ['a view with ε = 1', { event_level_epsilon: 1 }, 'event'],
  ['a view with ε = 0.1', { event_level_epsilon: 0.1 }, 'event'],
  ['a click with ε = 3', { event_level_epsilon: 3 }, 'navigation'],
  ['the demo’s ad with ε = 1', teaView.more ?? {}, 'event'],
];

describe.each(sources)('of %s', (_name, fields, sourceType) => {
  const source = registered(fields, sourceType);
  const odds = oddsOf(defaultMeasurement, source);
  const states = countStates(shapeOf(source));
  let channel: Channel = [];
  beforeAll(async () => {
    channel = await responseChannel(states, odds.epsilon, 3);
  });

  test('chance decides as often as the draw says, and invents as often', () => {
    const [nothing = [], once = []] = channel;
    // Truth is told with 1 − r + r/k, anything else with r/k.
    expect(odds.replaced).toBeCloseTo(Number(states) * (once[0] ?? NaN), 9);
    expect(odds.invented).toBeCloseTo(total(nothing.slice(1)), 9);
  });

  test('no more reports are true than is said, and as many where a report says all', () => {
    const most = mostTrue(EXAMPLE_PRIOR, odds);
    expect(trueOf(channel, [1 - EXAMPLE_PRIOR, EXAMPLE_PRIOR], (truth) => truth === 1, 1)).toBeCloseTo(
      most,
      9,
    );
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 3 }), (part, output) => {
        // Two things can happen after 2 of 100 ads in all; the report is of either, of a third, or there is none.
        const prior = [1 - EXAMPLE_PRIOR, EXAMPLE_PRIOR * part, EXAMPLE_PRIOR * (1 - part)];
        const found = trueOf(channel, prior, (truth) => truth > 0, Math.min(output, Number(states) - 1));
        expect(found).toBeLessThanOrEqual(most + 1e-9);
      }),
    );
  });

  test.each(['en', 'de'] as const)('every sentence about it says so (%s)', async (language) => {
    const replaced = Number(states) * (channel[1]?.[0] ?? NaN);
    const isTrue = trueOf(channel, [1 - EXAMPLE_PRIOR, EXAMPLE_PRIOR], (truth) => truth === 1, 1);
    for (const [place, sentence] of Object.entries(await sentencesIn(language, source, sourceType))) {
      const said = read(sentence, language);
      expect(sentence).toContain(language === 'en' ? '2 of 100' : '2 von 100');
      if (place === 'dashboard and commands') expect(said.rate).toBeNull();
      else if (said.rate !== null)
        expect(Math.abs(said.rate - replaced)).toBeLessThanOrEqual(replaced < 0.01 ? 0.0005 : 0.005);
      else if (said.below !== null) expect(replaced).toBeLessThan(said.below);
      else expect(replaced).toBeGreaterThan(said.above ?? NaN);
      if (said.most === null) expect(isTrue).toBeGreaterThan(0.999);
      else {
        expect(isTrue).toBeLessThanOrEqual(said.most);
        expect(isTrue).toBeGreaterThan(said.most - 0.01);
      }
    }
  });
});

test.each<[string, (of: number) => Channel]>([
  ['randomized response with a prior', (of) => mechanismChannel(rrWithPrior([0.9, 0.05, 0.05], of), 3)],
  [
    'randomized response on bins',
    (of) => mechanismChannel(rrOnBins([0, 1, 3], [0.5, 0.3, 0.2], 'squared', of), 3),
  ],
  [
    'the unbiased randomizer',
    (of) => mechanismChannel(unbiasedRandomizer([0, 1, 3], [0.5, 0.3, 0.2], of), 3),
  ],
])('with %s, too, no more reports are true than is said', (_name, channelOf) => {
  for (const of of [0.1, 1, 3]) {
    const channel = channelOf(of);
    const most = mostTrue(EXAMPLE_PRIOR, { epsilon: epsilon(of) });
    for (const truth of [0, 1, 2])
      for (const output of channel[0]?.keys() ?? []) {
        const prior = [0, 1, 2].map((one) => (one === truth ? EXAMPLE_PRIOR : (1 - EXAMPLE_PRIOR) / 2));
        if (total(channel.map((row) => row[output] ?? 0)) === 0) continue;
        expect(trueOf(channel, prior, (one) => one === truth, output)).toBeLessThanOrEqual(most + 1e-9);
      }
  }
});

describe('what texts say of the demo’s ad with ε = 1', () => {
  const odds = oddsOf(defaultMeasurement, registered(teaView.more ?? {}, 'event'));
  const [replaced, invented] = [odds.replaced, odds.invented].map((share) =>
    Math.round(100 * (share ?? NaN)),
  );

  test.each<[string, string]>([
    ['the README', textOf('README.md')],
    ['the demo', silentTea('https://news.example').markup],
  ])('%s is what its report says', (_what, text) => {
    expect(text.replace(/\s+/g, ' ')).toMatch(
      new RegExp(
        `decides (?:what (?:it|this ad) reports|its report) in ${replaced} of 100 visits,? and in ${invented} it reports a purchase that nobody made`,
      ),
    );
    expect(chance(odds.replaced ?? NaN, odds.epsilon)).toContain(`about ${replaced} of 100`);
  });
});

test('the template of a privacy notice says of the example trial what its consent page says', () => {
  const document = JSON.parse(textOf('docs/field-trial/trial.json')) as Json;
  const { value: trial } = parseTrial(document);
  const [stated] = trial?.registrations ?? [];
  if (trial === null || stated === undefined) throw new Error('the example is a trial with a source');
  const odds = oddsOf(trial.settings, stated.registration);
  const { most } = read(inventedWords(trial.settings, trial));
  const notice = textOf('docs/templates/privacy-notice.md');
  expect(notice).toContain(`With a probability of [${(100 * (odds.replaced ?? NaN)).toFixed(1)} %]`);
  expect(notice).toContain(
    `If [${100 * EXAMPLE_PRIOR}] of 100 people buy after the advertisement, at most [${Math.round(100 * (most ?? NaN))}] of 100 reports`,
  );
  expect(notice).toContain(`one advertisement has ε = [${odds.epsilon}]`);
});

describe('a text that states odds is one of those above', () => {
  const odds = /\b(?:of|von|in|aus) (?:100\b|1,?000\b|\{whole\})|\{odds\}/;

  // The last is what a reader assumes beforehand; the one before it takes the words for a rate.
  const keys = [
    'explain_sent_true',
    ...['asked_invented_rates', 'asked_invented_stated'],
    ...['asked_out_of', 'asked_out_of_fewer', 'asked_out_of_more'],
    'report_field_rate',
    'know_before_words',
  ];

  test.each(['en', 'de'])('in the extension (%s)', (language) => {
    const texts = JSON.parse(textOf(`extension/_locales/${language}.json`)) as Readonly<
      Record<string, string>
    >;
    const found = Object.entries(texts).flatMap(([key, message]) => (odds.test(message) ? [key] : []));
    expect(found.sort()).toEqual(keys.sort());
  });

  test('in all else that people read', () => {
    const files = ['collector', 'cli', 'extension', 'scenarios', 'ui', 'words']
      .flatMap((folder) =>
        readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(
          (name) => `${folder}/${name}`,
        ),
      )
      .filter((name) => /\.(?:tsx?|html)$/.test(name) && !name.includes('node_modules'));
    const pages = [
      'README.md',
      'docs/field-trial.md',
      'docs/consent.md',
      'docs/lab.md',
      'docs/listing/chrome-web-store.md',
    ];
    const numbers = /\b(?:of|von) 1,?0?00\b/;
    expect([...files, ...pages].filter((file) => numbers.test(textOf(file))).sort()).toEqual([
      'README.md',
      // The function for a rate.
      'extension/pages/explain/invented.ts',
      'scenarios/demo/sites/arrived-page.ts',
      'words/english/estimates.ts',
      'words/german/estimates.ts',
    ]);
  });
});
