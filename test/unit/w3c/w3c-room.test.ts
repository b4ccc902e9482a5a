import { days, moment } from '../../../src/model/units';
import { saveImpression } from '../../../w3c/engine';
import { MemoryDocuments } from '../../../w3c/memory';
import type { ImpressionOptions } from '../../../w3c/options';
import { MOST, MOST_OF_SITE } from '../../../w3c/room';

const options: ImpressionOptions = {
  histogramIndex: 0,
  matchValue: 0,
  conversionSites: new Set(),
  conversionCallers: new Set(),
  lifetime: days(30),
  priority: 0,
};

const START = 1_767_225_600_000;

/** So many impressions of each of these sites, a millisecond apart. */
function full(sites: readonly string[], each: number): MemoryDocuments {
  const impressions = sites.flatMap((site, place) =>
    Array.from({ length: each }, (_, index) => {
      const id = place * each + index + 1;
      return { ...options, id, site, intermediarySite: null, time: moment(START + id) };
    }),
  );
  const state = { epochStart: null, lastClear: null, calls: impressions.length };
  return new MemoryDocuments(state, impressions);
}

function save(documents: MemoryDocuments, site: string, time = START + 1e6): void {
  const call = { time: moment(time), topLevelSite: site, intermediarySite: null };
  documents.apply(saveImpression(documents, call, options));
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

test('where there is no room at all, a site displaces one of another at most', () => {
  const sites = Array.from({ length: MOST / MOST_OF_SITE }, (_, place) => `s${place}.example`);
  const documents = full(sites, MOST_OF_SITE);
  for (let index = 0; index < 20; index++) save(documents, 'greedy.example', START + 1e6 + index);
  expect(countOf(documents, 'greedy.example')).toBe(1);
  expect(sites.reduce((all, site) => all + countOf(documents, site), 0)).toBe(MOST - 1);
});

test('what has expired makes room', () => {
  const documents = full(['a.example'], MOST_OF_SITE);
  save(documents, 'a.example', START + days(40));
  expect(documents.impressions).toHaveLength(1);
});
