import { countAttribution } from '../../src/limits/attribution-limits';
import { countDebugBudget } from '../../src/limits/debug-limits';
import { chromiumLimits as limits } from '../../src/model/limits';
import {
  after,
  milliseconds,
  minutes,
  seconds,
  type Moment,
  type Origin,
  type Site,
} from '../../src/model/units';
import { siteOf } from '../../src/model/site';
import { BufferedDraft } from '../../src/store/draft';
import { NEWS, START } from './helpers/engine';

/* Each registration reads and rewrites these documents. */

const NEWS_SITE = siteOf(NEWS);
const at = (index: number): Moment => after(START, milliseconds(index));
const newDraft = (): BufferedDraft => new BufferedDraft({ get: () => undefined, candidates: () => [] }, 0);

test('what debug reports spent stays a short list, with no budget lost, and counts at most 15 minutes longer', () => {
  const draft = newDraft();
  const sites = [0, 1].map((index) => `https://adtech${index}.example` as Origin);
  const count = 2000;
  const time = (index: number): Moment => after(START, milliseconds(index * seconds(40)));
  for (let index = 0; index < count; index++)
    countDebugBudget(
      draft,
      { contextSite: NEWS_SITE, reportingOrigin: sites[index % 2] as Origin, time: time(index) },
      2,
    );
  const spent = draft.get('debugUse', NEWS_SITE)?.spent ?? [];
  expect(spent.length).toBeLessThanOrEqual(2 * 97 + 200);
  const since = (reportingSite: string, start: number): number =>
    spent
      .filter((one) => one.reportingSite === reportingSite && one.time >= start)
      .reduce((sum, { budget }) => sum + budget, 0);
  for (let index = 0; index < count; index += 100)
    for (const site of sites) {
      expect(since(site, time(index))).toBeGreaterThanOrEqual(count - index);
      expect(since(site, time(index) + minutes(15))).toBeLessThanOrEqual(count - index);
    }
});

test('fake reports of many origins of a reporting site fill a pair no further than its limit, and each origin stays', () => {
  const draft = newDraft();
  const origins = Array.from({ length: 50 }, (_, index) => `https://www${index}.adtech.example` as Origin);
  const pair = { sourceSite: NEWS_SITE, destination: 'https://shop.example' as Site };
  for (let index = 0; index < 5000; index++) {
    const origin = origins[index < 2500 ? index % 50 : 0] as Origin;
    const scope = 'event-attribution';
    countAttribution({ draft, limits }, { scope, origin, time: at(index), report: null, ...pair }, at(index));
  }
  const [use] = [...(draft.changes.get('pairUse')?.values() ?? [])];
  const { attributions } = use as { attributions: readonly { origin: Origin; time: Moment }[] };
  expect(new Set(attributions.map(({ origin }) => origin)).size).toBe(50);
  expect(attributions.length).toBeLessThanOrEqual(limits.maxAttributions + origins.length);
  // Those that reach the limit by themselves are the newest.
  expect(attributions.filter(({ time }) => time >= at(5000 - limits.maxAttributions))).toHaveLength(
    limits.maxAttributions,
  );
});
