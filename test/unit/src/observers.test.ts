import { observe } from '../../../analysis/audit/observer';
import { view } from '../../../analysis/audit/shapes';
import { bought, originOf as origin, shown, type Happening, type World } from '../../../analysis/audit/world';
import { distributionOf, PRECISION, type Distribution } from '../../../analysis/audit/outcomes';
import { privacyLoss } from '../../../analysis/audit/privacy-loss';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import { parseSettings } from '../../../formats/settings/parse-settings';
import type { JsonObject } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import { epsilon } from '../../../src/model/units';
import { Caches } from '../../../src/work';
import type { Registration } from '../../../src/model/incoming-registration';
import { conditions, newEngine, outcomeOf, sourceRegistration } from '../helpers/engine';
import { jointly } from '../helpers/budgets';
import { isLong } from '../helpers/is-long';
import type { RandomSource } from '../../../src/privacy/random-source';

const adTechs = ['one', 'two', 'three', 'four', 'five'] as const;

/** One person sees an ad of each of the first ad techs, and buys or not; each ad tech hears of it. */
const person = (count: number, buys: boolean): World =>
  adTechs
    .slice(0, count)
    .flatMap((adTech, index): readonly Happening[] => [
      shown(1 + index / 10, index, 'news', 'shop', { adTech }),
      ...(buys ? [bought(5, 'shop', { adTech })] : []),
    ]);

function settingsWith(budget: JsonObject): Settings {
  const { value, errors } = parseSettings({ budget }, defaultSettings);
  if (value === null) throw new Error(JSON.stringify(errors));
  return value;
}

/** What whoever gets the reports of all ad techs receives. */
const received =
  (world: World, settings: Settings, registered: number) =>
  (random: RandomSource): Promise<string> =>
    observe(
      world,
      {
        settings,
        limits: chromiumLimits,
        registered: epsilon(registered),
        shape: view,
        debugAllowed: false,
        answers: [],
        caches: new Caches(),
      },
      'everyone',
      random,
    );

const worldOf = (
  settings: Settings,
  count: number,
  buys: boolean,
  registered: number,
): Promise<Distribution> => distributionOf(received(person(count, buys), settings, registered), 5000);

const owners = [adTechs.map(origin)];
/** ε = 3 is promised to a person. */
const promised = { unit: 'user', epsilon: 3, cap: 1 } as const;

describe.each<[string, JsonObject, (count: number) => number]>([
  ['that have a budget each add up', promised, (count) => 3 * count],
  ['that share a budget tell no more than it', { ...promised, joint: jointly(3) }, () => 3],
  ['of one owner tell no more than one', { ...promised, owners }, () => 3],
])('ad techs %s', (_what, budget, lost) => {
  // 3^5 outputs of each world take as long as all else.
  test.each(isLong ? [1, 2, 3, 5] : [1, 2, 3])('%d of them', async (count) => {
    const settings = settingsWith(budget);
    const [one, other] = [await worldOf(settings, count, false, 3), await worldOf(settings, count, true, 3)];
    expect(privacyLoss(one, other).epsilon).toBeCloseTo(lost(count), 6);
  });
});

/** How often the best guess from all reports is right about who bought, if half of the people did. */
async function bestGuess(settings: Settings): Promise<number> {
  const [one, other] = await Promise.all([false, true].map((buys) => worldOf(settings, 3, buys, 1)));
  if (one === undefined || other === undefined) throw new Error('there are two worlds');
  const chance = (world: Distribution, output: string): number =>
    Number((world.get(output)?.upper ?? 0n) >> BigInt(PRECISION - 64)) / 2 ** 64;
  const outputs = [...new Set([...one.keys(), ...other.keys()])];
  return outputs.reduce((sum, output) => sum + Math.max(chance(one, output), chance(other, output)), 0) / 2;
}

/** What ε = 1 allows. */
const ALLOWED = Math.E / (Math.E + 1);

test.each<[string, JsonObject, boolean]>([
  ['tell more than it allows, if each has ε = 1', { unit: 'user', epsilon: 1, cap: 1 }, true],
  ['that share ε = 1 do not', { unit: 'user', epsilon: 1, cap: 1, joint: jointly(1) }, false],
  ['of one owner do not', { unit: 'user', epsilon: 1, cap: 1, owners }, false],
])('three ad techs %s', async (_what, budget, isMore) => {
  const right = await bestGuess(settingsWith(budget));
  if (isMore) expect(right).toBeGreaterThan(ALLOWED + 0.03);
  else expect(right).toBeCloseTo(ALLOWED, 12);
});

type Flood = (index: number, who: string) => Parameters<typeof sourceRegistration>;

/** What somebody can vary who wants to use up the budget of others, and what they cannot. */
const floods: readonly (readonly [who: string, by: Flood, roomWithoutQuotas: number])[] = [
  [
    'one page, with any company and destination',
    (index, who) => [
      { destination: `https://shop-${who}-${index}.example` },
      'event',
      { contextOrigin: origin(who), reportingOrigin: origin(`adtech-${who}-${index}`) },
    ],
    0,
  ],
  [
    'one company, on any page and for any destination',
    (index, who) => [
      { destination: `https://shop-${who}-${index}.example` },
      'event',
      { contextOrigin: origin(`news-${who}-${index}`), reportingOrigin: origin(who) },
    ],
    2,
  ],
  [
    'one owner of companies, on any page and for any destination',
    (index, who) => [
      { destination: `https://shop-${who}-${index}.example` },
      'event',
      {
        contextOrigin: origin(`news-${who}-${index}`),
        reportingOrigin: origin(`owned-by-${who}-${index % 3}`),
      },
    ],
    2,
  ],
  [
    'ads for one destination, on any page and with any company',
    (index, who) => [
      { destination: origin(who) },
      'event',
      { contextOrigin: origin(`news-${who}-${index}`), reportingOrigin: origin(`adtech-${who}-${index}`) },
    ],
    0,
  ],
];

describe.each(floods)('a flood by %s', (_who, flood, roomWithoutQuotas) => {
  /** How many impressions of an honest party have room after the flood. */
  async function roomAfter(quota: number, by: readonly string[] = ['evil']): Promise<number> {
    const { engine } = newEngine();
    const { budget } = settingsWith({
      ...{ unit: 'user', epsilon: 2, cap: 2 },
      joint: { ...jointly(quota), epsilon: 4 },
      owners: by.map((who) => [0, 1, 2].map((index) => origin(`owned-by-${who}-${index}`))),
    });
    const isCounted = async (registration: Registration): Promise<boolean> =>
      outcomeOf(await engine.register(registration, conditions({ kind: 'on' }, { budget }))) === 'stored';
    for (const who of by)
      for (let index = 0; index < 20; index++) await isCounted(sourceRegistration(...flood(index, who)));
    const honest = sourceRegistration({}, 'event', {
      contextOrigin: origin('honest-news'),
      reportingOrigin: origin('honest-adtech'),
    });
    return Number(await isCounted(honest)) + Number(await isCounted(honest));
  }

  test('leaves others what is above its quota', async () => {
    expect(await roomAfter(2)).toBe(2);
  });

  test('leaves others nothing where a second one does the same, with quotas of half', async () => {
    expect(await roomAfter(2, ['evil', 'worse'])).toBe(0);
  });

  // A company has no more than its own ε, whatever its quota.
  test(`leaves room for ${roomWithoutQuotas} where quotas are as large as the budget`, async () => {
    expect(await roomAfter(4)).toBe(roomWithoutQuotas);
  });
});
