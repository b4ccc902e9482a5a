import { days, moment } from '../../../src/model/units';
import { saveImpression } from '../../../w3c/engine';
import { MemoryDocuments } from '../../../w3c/memory';
import type { ImpressionOptions } from '../../../w3c/options';
import { MOST, MOST_IN_ALL, MOST_OF_SITE, removeExpired, roomOf } from '../../../w3c/room';
import { defaultLimits, EPOCH } from '../../../w3c/limits';
import { ScriptedSource } from '../helpers/random';

const options: ImpressionOptions = {
  histogramIndex: 0,
  matchValue: 0,
  conversionSites: new Set(),
  conversionCallers: new Set(),
  lifetime: days(30),
  priority: 0,
};

/** The start of the epochs is known. */
const noDraws = new ScriptedSource([]);

const START = 1_767_225_600_000;

/** So many impressions of each of these sites, a millisecond apart. */
function full(sites: readonly string[], each: number): MemoryDocuments {
  const impressions = sites.flatMap((site, place) =>
    Array.from({ length: each }, (_, index) => {
      const id = place * each + index + 1;
      return { ...options, id, site, intermediarySite: null, time: moment(START + id) };
    }),
  );
  const state = { epochStart: moment(START), lastClear: null, calls: impressions.length };
  return new MemoryDocuments(state, impressions);
}

function save(
  documents: MemoryDocuments,
  site: string,
  time = START + 1e6,
  maxLookbackDays = defaultLimits.maxLookbackDays,
): void {
  const call = { time: moment(time), topLevelSite: site, intermediarySite: null };
  const limits = { ...defaultLimits, maxLookbackDays };
  documents.apply(saveImpression(documents, call, options, limits, () => noDraws));
}

const countOf = ({ impressions }: MemoryDocuments, site: string): number =>
  impressions.filter((one) => one.site === site).length;

test('a site with as many impressions as it may have loses its oldest', () => {
  const documents = full(['a.example', 'b.example'], MOST_OF_SITE);
  save(documents, 'a.example');
  expect(countOf(documents, 'a.example')).toBe(MOST_OF_SITE);
  expect(countOf(documents, 'b.example')).toBe(MOST_OF_SITE);
  expect(documents.impressions.some(({ id }) => id === 1)).toBe(false);
});

const sitesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, place) => `s${place}.example`);

test('where there is no room at all, the sites with the most lose theirs', () => {
  const sites = sitesOf(MOST / MOST_OF_SITE);
  const documents = full(sites, MOST_OF_SITE);
  for (let index = 0; index < 100; index++) save(documents, 'new.example', START + 1e6 + index);
  const counts = ['new.example', ...sites].map((site) => countOf(documents, site));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(MOST);
  expect(counts).toEqual([100, ...sites.map(() => MOST_OF_SITE - 50)]);
});

test('a site displaces none of one that has no more', () => {
  const sites = sitesOf(MOST);
  const documents = full(sites, 1);
  for (let index = 0; index < 20; index++) save(documents, 'greedy.example', START + 1e6 + index);
  expect(countOf(documents, 'greedy.example')).toBe(1);
  expect(sites.reduce((all, site) => all + countOf(documents, site), 0)).toBe(MOST - 1);
});

test.each([1, MOST_OF_SITE])('none of an earlier epoch is displaced, of sites with %d each', (each) => {
  const sites = sitesOf(MOST / each);
  const documents = full(sites, each);
  save(documents, 's0.example', START + days(8));
  save(documents, 'new.example', START + days(8));
  expect(documents.impressions).toHaveLength(MOST + 2);
});

// The audit has the same of budgets: `epoch-of-clock-ahead`.
test('a clock that is ahead lets no impression remove one of another epoch, however old these seem', () => {
  const documents = full(['a.example'], MOST_OF_SITE);
  save(documents, 'a.example', START + days(40));
  save(documents, 'b.example', START + days(400));
  expect(documents.impressions).toHaveLength(MOST_OF_SITE + 2);
});

test('what has expired is removed from time to time, and nothing else', () => {
  const documents = full(['a.example'], 3);
  save(documents, 'a.example', START + days(30) + 2);
  documents.apply(removeExpired(documents, moment(START + days(30) + 2)));
  expect(documents.impressions.map(({ id }) => id)).toEqual([2, 3, 4]);
});

test('whatever the lookback, all epochs at which conversions look back have room for 12,000 together', () => {
  for (let lookback = 1; lookback <= 366; lookback++) {
    // From the first moment of an epoch, they look back farthest.
    const epochs = -Math.floor((0 - days(lookback)) / EPOCH) + 1;
    const { all, site } = roomOf({ maxLookbackDays: lookback });
    expect(epochs * all).toBeLessThanOrEqual(MOST_IN_ALL);
    expect(site).toBeGreaterThan(100);
    expect(site * 2).toBeLessThanOrEqual(all);
  }
  expect(MOST_IN_ALL).toBe(12_000);
  expect(roomOf(defaultLimits)).toEqual({ all: MOST, site: MOST_OF_SITE });
});

test('with a longer lookback, each epoch keeps fewer', () => {
  const { all, site } = roomOf({ maxLookbackDays: 366 });
  const documents = full(['a.example', 'b.example'], site);
  expect(documents.impressions).toHaveLength(all);
  save(documents, 'a.example', START + 1e6, 366);
  save(documents, 'c.example', START + 1e6 + 1, 366);
  expect(documents.impressions).toHaveLength(all);
  save(documents, 'a.example', START + days(8), 366);
  expect(documents.impressions).toHaveLength(all + 1);
});
