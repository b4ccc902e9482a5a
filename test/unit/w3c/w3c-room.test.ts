import { days, moment } from '../../../src/model/units';
import { saveImpression } from '../../../w3c/engine';
import { MemoryDocuments } from '../../../w3c/memory';
import type { ImpressionOptions } from '../../../w3c/options';
import { MOST, MOST_OF_SITE } from '../../../w3c/room';
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

function save(documents: MemoryDocuments, site: string, time = START + 1e6): void {
  const call = { time: moment(time), topLevelSite: site, intermediarySite: null };
  documents.apply(saveImpression(documents, call, options, () => noDraws));
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

test('what has expired makes room', () => {
  const documents = full(['a.example'], MOST_OF_SITE);
  save(documents, 'a.example', START + days(40));
  expect(documents.impressions).toHaveLength(1);
});
