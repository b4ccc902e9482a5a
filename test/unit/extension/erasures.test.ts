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

describe('of a request that nobody saw begin', () => {
  const nobodySaw = (): Erasures => {
    const erasures = new Erasures();
    erasures.add(news);
    return erasures;
  };

  test('an erasure covers what it would, and one of a time whatever it is', () => {
    const erasures = nobodySaw();
    expect([NEWS, SHOP].map((what) => erasures.cover(erasures.unseen('9'), what))).toEqual([true, false]);
    erasures.add({ kind: 'time', from: 0, to: 0 });
    expect(erasures.cover(erasures.unseen('9'), SHOP)).toBe(true);
  });

  test('its number tells whether it began after one that did', () => {
    const erasures = nobodySaw();
    const covers = (...ids: readonly string[]) => ids.map((id) => erasures.cover(erasures.unseen(id), NEWS));
    expect(covers('7', '8')).toEqual([true, true]);
    erasures.began('8', erasures.asked(moment(5)));
    erasures.began('6', erasures.asked(moment(6)));
    expect(covers('7', '8', '9', 'x')).toEqual([true, false, false, true]);
    erasures.add(news);
    expect(covers('8', '9')).toEqual([true, true]);
  });

  test('no number of one that began before, or that is none, tells anything', () => {
    const erasures = new Erasures();
    const before = erasures.asked(moment(5));
    erasures.add(news);
    erasures.began('7', before);
    erasures.began('x', erasures.asked(moment(6)));
    expect(erasures.cover(erasures.unseen('8'), NEWS)).toBe(true);
  });
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
