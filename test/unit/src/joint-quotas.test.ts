import { defaultMeasurement } from '../../../src/model/mechanisms';
import { epsilon, type Origin } from '../../../src/model/units';
import { jointly, siteNamed } from '../../../analysis/audit/configured';
import { conditions, newEngine, outcomeOf, sourceRegistration } from '../helpers/engine';

/** An ad of an ad tech on a page. */
type Ad = readonly [adTech: string, page: string, destinations: readonly string[]];

const all = (
  adTechs: readonly string[],
  pages: readonly string[],
  shops: readonly (readonly string[])[],
): readonly Ad[] =>
  adTechs.flatMap((adTech) => pages.flatMap((page) => shops.map((shop): Ad => [adTech, page, shop])));

/** Whoever has two names is one owner. There is room for two ads, and a quota has room for one. */
const budget = {
  ...defaultMeasurement.budget,
  joint: jointly(2, 1),
  owners: [['evil', 'evil-too'].map(siteNamed)],
};

const VICTIM: Ad = ['adtech', 'news', ['shop']];

/** What becomes of the victim's ad after others. */
async function victimAfter(attack: readonly Ad[]): Promise<string> {
  const { engine } = newEngine();
  let last = '';
  for (const [adTech, page, destinations] of [...attack, VICTIM]) {
    const registration = sourceRegistration(
      { destination: destinations.map((name) => `https://${name}.example`), event_level_epsilon: 1 },
      'event',
      {
        contextOrigin: `https://${page}.example` as Origin,
        reportingOrigin: `https://${adTech}.example` as Origin,
      },
    );
    const measurement = { budget: { ...budget, epsilon: epsilon(1) } };
    last = outcomeOf(await engine.register(registration, conditions({ kind: 'off' }, measurement)));
  }
  return last;
}

const shops = [['x'], ['y'], ['x', 'y', 'z']];

// Three ads are more than there is room for.
test.each<[string, readonly Ad[]]>([
  ['one page with many ad techs and destinations', all(['a', 'b'], ['evil'], shops)],
  [
    'one owner of many ad techs, on many pages, for many destinations',
    all(['evil', 'evil-too'], ['p', 'q'], shops.slice(1)),
  ],
  ['one destination with many pages and ad techs', all(['a', 'b'], ['p', 'q'], [['evil'], ['evil', 'x']])],
])('%s cannot use up what others need', async (_who, ads) => {
  for (const one of ads)
    for (const two of ads)
      for (const three of ads)
        expect([one, two, three, await victimAfter([one, two, three])]).toContain('stored');
});

test.each<[string, readonly Ad[]]>([
  [
    'two owners on two pages with two destinations use up all',
    [
      ['a', 'p', ['x']],
      ['b', 'q', ['y']],
    ],
  ],
  ['an ad uses up the quota of each destination that it names', [['a', 'p', ['x', 'y', 'shop']]]],
  ['an ad tech uses up the quota of a page that shows its ads', [['a', 'news', ['x']]]],
])('as docs/noise.md says, %s', async (_what, attack) => {
  expect(await victimAfter([])).toBe('stored');
  expect(await victimAfter(attack)).toBe('over budget');
});
