import fc from 'fast-check';
import { checkAttributionLimits, countAttribution, pairKey } from '../../../src/limits/attribution-limits';
import { countDebugBudget, debugLimitNeeds } from '../../../src/limits/debug-limits';
import { chromiumLimits as limits, type Limits } from '../../../src/model/limits';
import {
  after,
  milliseconds,
  minutes,
  seconds,
  type Moment,
  type Origin,
  type Site,
} from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import type { DebugUse } from '../../../src/model/uses';
import { BufferedDraft, type Draft } from '../../../src/store/draft';
import { Trace } from '../../../src/trace';
import type { Work } from '../../../src/work';
import { NEWS, START } from '../helpers/engine';

/* Each registration reads and rewrites these documents. */

const NEWS_SITE = siteOf(NEWS);
const at = (index: number): Moment => after(START, milliseconds(index));
const newDraft = (): BufferedDraft =>
  new BufferedDraft({ get: () => undefined, candidates: () => [], upTo: () => [] });

const usesBy = (draft: Draft, reportingOrigin: Origin): readonly DebugUse[] =>
  debugLimitNeeds({ contextSite: NEWS_SITE, reportingOrigin }).map(
    (need) => draft.get('debugUse', 'id' in need ? String(need.id) : '') as DebugUse,
  );

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
  const since = ({ spent }: DebugUse, start: number): number =>
    spent.filter((one) => one.time >= start).reduce((sum, { budget }) => sum + budget, 0);
  for (const site of sites)
    for (const [number, use] of usesBy(draft, site).entries()) {
      expect(use.spent.length).toBeLessThanOrEqual(200);
      // The first document is that of both reporting sites.
      const times = number === 0 ? 2 : 1;
      for (let index = 0; index < count; index += 100) {
        expect(since(use, time(index))).toBeGreaterThanOrEqual(times * (count - index));
        expect(since(use, time(index) + minutes(15))).toBeLessThanOrEqual(times * (count - index));
      }
    }
});

test('a debug report reads and writes as little for a page with the reports of 3,000 reporting sites', () => {
  const draft = newDraft();
  const origin = (index: number): Origin => `https://adtech${index}.example` as Origin;
  for (let index = 0; index < 3000; index++)
    countDebugBudget(draft, { contextSite: NEWS_SITE, reportingOrigin: origin(index), time: START }, 1);
  const [ofAll, ofOwn] = usesBy(draft, origin(7));
  expect(ofAll?.spent.reduce((sum, { budget }) => sum + budget, 0)).toBe(3000);
  expect(ofAll?.spent.length).toBeLessThanOrEqual(200);
  expect(ofOwn?.spent).toEqual([{ time: START, budget: 1 }]);
});

const pair = { sourceSite: NEWS_SITE, destination: 'https://shop.example' as Site };
const countFake = (draft: Draft, origin: Origin, time: Moment, within: Limits = limits): void =>
  countAttribution(
    { draft, limits: within },
    { scope: 'event-attribution', origin, time, report: null, ...pair },
    time,
  );

test.each([
  ['origins of one reporting site', (index: number) => `https://www${index}.adtech.example`],
  ['reporting sites', (index: number) => `https://adtech${index}.example`],
])('fake reports of many %s fill a pair no further than its limits', (_which, nameOf) => {
  const draft = newDraft();
  const origins = Array.from({ length: 100 }, (_, index) => nameOf(index) as Origin);
  for (let index = 0; index < 10_000; index++) countFake(draft, origins[index % 100] as Origin, at(index));
  const attributions = draft.get('pairUse', pairKey(pair))?.attributions ?? [];
  const most = limits.maxAttributionReportingOrigins + 1;
  expect(attributions.length).toBeLessThanOrEqual(most * limits.maxAttributions);
});

test('what a pair forgets of fake reports changes no decision, and its reason is a limit that is reached', () => {
  const few = {
    ...limits,
    maxAttributions: 3,
    maxAttributionReportingOrigins: 2,
    attributionRateLimitWindow: milliseconds(20),
  };
  const origin = fc.constantFrom(
    ...[
      'https://a.ad1.example',
      'https://b.ad1.example',
      'https://ad2.example',
      'https://ad3.example',
      'https://ad4.example',
    ],
  ) as fc.Arbitrary<Origin>;
  const step = fc.record({ origin, pause: fc.integer({ min: 0, max: 6 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const draft = newDraft();
      let index = 0;
      const all: { readonly origin: Origin; readonly time: Moment }[] = [];
      for (const { origin: asked, pause } of steps) {
        index += pause;
        const time = at(index);
        const attribution = {
          scope: 'event-attribution',
          origin: asked,
          time,
          report: null,
          ...pair,
        } as const;
        const recent = all.filter((one) => time - one.time < few.attributionRateLimitWindow);
        const reached = [
          ...(recent.filter((one) => siteOf(one.origin) === siteOf(asked)).length >= 3
            ? ['trigger-event-attributions-per-source-destination-limit']
            : []),
          ...(new Set([asked, ...recent.map((one) => one.origin)]).size > 2
            ? ['trigger-reporting-origin-limit']
            : []),
        ];
        const work = { draft, limits: few, trace: new Trace() } as unknown as Work;
        const found = checkAttributionLimits(work, attribution, time);
        expect(found !== null).toBe(reached.length > 0);
        // Of two limits, the one that is told can be another than with all fake reports, but no other.
        if (found !== null) expect(reached).toContain(found.reason);
        countFake(draft, asked, time, few);
        all.push({ origin: asked, time });
      }
    }),
    { numRuns: 1000 },
  );
});
