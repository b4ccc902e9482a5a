import fc from 'fast-check';
import {
  fitted,
  fittedOrigin,
  leastOriginWidth,
  leastWidth,
  neededWidth,
  paged,
  shared,
  sumOf,
  withRoom,
} from '../../../extension/pages/ui/fit';
import { bare } from '../../../extension/pages/words/words';

/** A pixel for each character. */
const measure = (text: string): number => text.length;
const oneLine = (width: number) => ({ width, lines: 1 }) as const;
const twoLines = (width: number) => ({ width, lines: 2 }) as const;

describe('texts in cells', () => {
  it.each([
    ['a b c', oneLine(5), 'a b c'],
    ['expiry must be text', oneLine(12), 'expiry …'],
    ['expiry must be text', oneLine(13), 'expiry must …'],
    ['event_report_windows', oneLine(14), 'event_report_…'],
    ['https://a.example/b/c', oneLine(19), 'https://a.example/…'],
    ['no matching filter data', twoLines(11), 'no matching filter data'],
    ['no matching filter data', twoLines(10), 'no matching …'],
    ['Kanalkapazität', oneLine(5), 'Kanalkapazität'],
  ])('end with a whole word: %j in %j is %j', (text, room, shown) => {
    expect(fitted(text, room, measure)).toBe(shown);
  });

  it.each([
    ['publisher.localhost:8080', 24, 'publisher.localhost:8080'],
    ['publisher.localhost:8080', 23, '…localhost:8080'],
    ['a.long.name.example', 15, '…name.example'],
    ['shop.a-rather-long-name.example', 25, '…rather-long-name.example'],
    ['shop.a-rather-long-name.example', 18, '…long-name.example'],
    ['publisher.example', 3, 'publisher.example'],
  ])('keep the last words of an origin: %j in %d px is %j', (origin, width, shown) => {
    expect(fittedOrigin(origin, oneLine(width), measure)).toBe(shown);
  });

  it.each([
    ['channel capacity limit', 1, 22],
    ['channel capacity limit', 2, 14],
    ['Kanalkapazität', 2, 14],
  ] as const)('%j in %d lines needs %d px', (text, lines, width) => {
    expect(neededWidth(text, lines, measure)).toBe(width);
  });

  it.each([
    ['expiry must be text', 'expiry …'],
    ['Kanalkapazität', 'Kanalkapazität'],
    ['', ''],
  ])('are shortened to their first word at least: %j to %j', (text, shown) => {
    expect(leastWidth(text, measure)).toBe(shown.length);
    expect(fitted(text, oneLine(shown.length), measure)).toBe(shown);
  });

  it.each([
    ['shop.a-long.example', '…long.example'],
    ['publisher.localhost:8080', 'publisher.localhost:8080'],
    ['localhost', 'localhost'],
  ])('are shortened to their last two words at least: %j to %j', (origin, shown) => {
    expect(leastOriginWidth(origin, measure)).toBe(shown.length);
    expect(fittedOrigin(origin, oneLine(shown.length), measure)).toBe(shown);
  });

  it('never get more room than there is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 14, max: 60 }),
        fc.constantFrom(1 as const, 2 as const),
        (words, width, lines) => {
          const text = words.join(' ');
          const shown = fitted(text, { width, lines }, measure);
          expect(neededWidth(shown, lines, measure)).toBeLessThanOrEqual(width);
          expect(shown === text || text.startsWith(shown.replace(/…$/, ''))).toBe(true);
        },
      ),
    );
  });
});

describe('the widths of columns', () => {
  const column = (needed: number, most = 100, least = 20) => ({ least, needed, most });
  it.each([
    ['what each needs', [column(50), column(30)], 1000, [50, 30]],
    ['at least its heading', [column(5), column(30)], 1000, [20, 30]],
    ['more than its most only of what is left', [column(300), column(30)], 180, [150, 30]],
    ['less for the widest where nothing is left', [column(300), column(30)], 90, [60, 30]],
    ['less for all that are too wide', [column(300), column(90), column(30)], 130, [50, 50, 30]],
    ['no less than their least', [column(300), column(30)], 30, [20, 20]],
    ['what is left from left to right', [column(130), column(300)], 250, [130, 120]],
  ])('are %s', (_, columns, available, widths) => {
    expect(shared(columns, available)).toEqual(widths);
  });
});

describe('columns without room', () => {
  const column = (least: number, stays = false) => ({ least, stays });
  it.each([
    ['are none', [column(20), column(30)], 50, [20, 30]],
    ['are the last', [column(20), column(30), column(40)], 50, [20, 30]],
    ['are none that stay', [column(20), column(30), column(40, true)], 60, [20, 40]],
    ['are no more than all others', [column(30, true), column(40, true)], 50, [30, 40]],
  ])('%s', (_, columns, available, shown) => {
    expect(withRoom(columns, available).map(({ least }) => least)).toEqual(shown);
  });

  it.each([
    [[30, 40, 50], 100, [45, 55, 100]],
    [[30, 40, 50], 123, [31, 41, 51]],
    [[130, 40], 100, [100, 100]],
  ])('that were chosen fill pages: %j in %d px', (widths, available, filled) => {
    expect(paged(widths, available)).toEqual(filled);
  });

  it('fill pages so that the edge crosses none', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 12 }),
        fc.integer({ min: 100, max: 400 }),
        (widths, available) => {
          const filled = paged(widths, available);
          const ends = filled.map((_, index) => sumOf(filled.slice(0, index + 1)));
          const pages = (ends.at(-1) ?? 0) / available;
          expect(Number.isInteger(pages)).toBe(true);
          for (let page = 1; page <= pages; page++) expect(ends).toContain(page * available);
        },
      ),
    );
  });
});

it.each([
  ['https://shop.example', 'shop.example'],
  ['http://shop.example', 'http://shop.example'],
  ['http://localhost:8080', 'localhost:8080'],
  ['http://publisher.localhost:8080/a?b', 'publisher.localhost:8080/a?b'],
  ['http://a.b.localhost', 'a.b.localhost'],
  ['http://127.0.0.1:8090', '127.0.0.1:8090'],
  ['http://[::1]:8090', '[::1]:8090'],
  ['http://localhost.example', 'http://localhost.example'],
  ['http://notlocalhost:1', 'http://notlocalhost:1'],
  ['http://127.0.0.1.example', 'http://127.0.0.1.example'],
])('the scheme of %j goes without saying where browsers trust it: %j', (url, shown) => {
  expect(bare(url)).toBe(shown);
});
