import { seededRandomSource } from '../../../analysis/random/sources';
import { tossMany, tossOdds } from '../../../extension/site/toss-run';
import { pageOf } from '../helpers/rendered-pages';

/* The pictures of the toss, read back to numbers by their axes. */

const PEOPLE = 10_000;
const TRUTH = 0.1;
/** In pixels. */
const CLOSE = 0.01;

const numbersOf = (html: string, pattern: RegExp): readonly (readonly number[])[] =>
  [...html.matchAll(pattern)].map(([, ...found]) => found.map((text) => Number(text.replaceAll(',', ''))));

interface Axis {
  readonly place: number;
  readonly value: number;
}

/** The value at a place, by the first and the last mark of the axis; each other mark must agree. */
function readBy(axis: readonly Axis[]): (place: number) => number {
  const [first, last] = [axis[0], axis.at(-1)];
  if (first === undefined || last === undefined || axis.length < 3) throw new Error('there is no axis');
  const read = (place: number): number =>
    first.value + ((place - first.place) / (last.place - first.place)) * (last.value - first.value);
  for (const { place, value } of axis) expect(read(place)).toBeCloseTo(value, 9);
  return read;
}

test.each([0.5, 1, 8])('the lines of the tosses at ε = %p are what was tossed', async (epsilon) => {
  const points = tossMany(seededRandomSource('picture', 1), epsilon, TRUTH, { people: PEOPLE, step: 500 });
  const html = await pageOf('tosses', 'en', { points, people: PEOPLE, truth: TRUTH });
  const shares = numbersOf(html, /y1="([^"]*)" y2="[^"]*" class="grid"\/?>.*?class="tick">([^<]*?)\s*%</gs);
  const shareAt = readBy(shares.map(([place = NaN, value = NaN]) => ({ place, value: value / 100 })));
  const ticks = numbersOf(
    html,
    /<text x="([^"]*)" y="[^"]*" text-anchor="(?:middle|end)" class="tick">([\d,]+)<\/text>/g,
  );
  // The last number ends at its mark, and the others have it in their middle.
  const tossesAt = readBy(ticks.map(([place = NaN, value = NaN]) => ({ place, value })));
  const [[truth = NaN] = []] = numbersOf(html, /y1="([^"]*)" y2="[^"]*" class="truth-line"/g);
  expect(shareAt(truth)).toBeCloseTo(TRUTH, 9);
  const lineOf = (name: string): readonly (readonly [number, number])[] => {
    const [, drawn = ''] = new RegExp(`points="([^"]*)" class="${name}-line"`).exec(html) ?? [];
    return drawn.split(' ').map((point) => {
      const [x = NaN, y = NaN] = point.split(',').map(Number);
      return [tossesAt(x), shareAt(y)];
    });
  };
  for (const name of ['observed', 'estimate'] as const) {
    const exact = points.map((point) => [point.tosses, Math.min(0.5, Math.max(-0.1, point[name]))]);
    expect(exact).toHaveLength(20);
    lineOf(name).forEach(([tosses, share], index) => {
      expect(tosses).toBeCloseTo(exact[index]?.[0] ?? NaN, 6);
      expect(share).toBeCloseTo(exact[index]?.[1] ?? NaN, 9);
    });
    expect(lineOf(name)).toHaveLength(exact.length);
  }
});

test.each([0.1, 1, 8])(
  'the streams of a toss at ε = %p are as wide as they are probable',
  async (epsilon) => {
    const odds = tossOdds(epsilon);
    const html = await pageOf('toss', 'en', { odds });
    const [[whole = NaN] = []] = numbersOf(html, /class="stream" stroke-width="([^"]*)"/g);
    const widths = numbersOf(html, /class="stream (?:truth|chance)" stroke-width="([^"]*)"/g).flat();
    expect(widths).toHaveLength(4);
    [1 - odds.replaced, odds.other, odds.other, odds.other].forEach((exact, index) =>
      expect(Math.abs((widths[index] ?? NaN) - exact * whole)).toBeLessThan(CLOSE),
    );
    const shown = numbersOf(html, /<text dy="15">([^<]*?)\s*%<\/text>/g).flat();
    expect(shown).toHaveLength(3);
    [odds.truth, odds.other, odds.other].forEach((exact, index) =>
      expect(Math.abs((shown[index] ?? NaN) / (100 * exact) - 1)).toBeLessThan(0.006),
    );
  },
);
