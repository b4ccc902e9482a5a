import { Erasures } from '../../../extension/background/state/erasures';
import { moment } from '../../../src/model/units';

const NEWS = { url: 'https://news.example/ad' };
const SHOP = { url: 'https://shop.example/' };
const news = { kind: 'sites', sites: ['https://news.example'] } as const;

test('an erasure covers what was asked for before it, and nothing that is asked for after it', () => {
  const erasures = new Erasures();
  const before = erasures.asked(moment(5));
  expect(erasures.cover(before, NEWS)).toBe(false);
  erasures.add(null);
  expect(erasures.cover(before, NEWS)).toBe(true);
  expect(erasures.cover(erasures.asked(moment(5)), NEWS)).toBe(false);
});

test('one of a site covers what names it, and one of a time what was asked for then', () => {
  const erasures = new Erasures();
  const [early, late] = [5, 6].map((time) => erasures.asked(moment(time)));
  erasures.add(news);
  expect([NEWS, SHOP].map((what) => erasures.cover(early as never, what))).toEqual([true, false]);
  erasures.add({ kind: 'time', from: 0, to: 5 });
  expect([early, late].map((asked) => erasures.cover(asked as never, SHOP))).toEqual([true, false]);
});

test('beyond a hundred of parts, what is older than those is covered, whatever it is', () => {
  const erasures = new Erasures();
  const before = erasures.asked(moment(5));
  for (let count = 0; count < 100; count++) erasures.add(news);
  expect(erasures.cover(before, SHOP)).toBe(false);
  const between = erasures.asked(moment(5));
  erasures.add(news);
  expect([before, between].map((asked) => erasures.cover(asked, SHOP))).toEqual([true, false]);
  expect([before, between].map((asked) => erasures.cover(asked, NEWS))).toEqual([true, true]);
});
