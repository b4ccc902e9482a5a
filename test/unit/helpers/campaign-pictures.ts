import type { Row, Compared } from './shown-numbers';

/* Pictures in tables, read back to numbers. */

/** In pixels. */
const WIDTH = 100;
const CLOSE = 0.5;

/** Each mark of the dashboard's campaigns is where the numbers beside it are: the bar from end to end, and the dot on the estimate. */
export function expectMarks(html: string, rows: readonly Row[], shown: Compared): void {
  const rates = rows.flatMap(({ rate }) => rate ?? []);
  const ends = [0, ...rates.flatMap(({ interval }) => interval)];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const placeOf = (value: number): number => ((value - least) / (most - least)) * WIDTH;
  for (const { name, rate } of rows) {
    const [row = ''] = new RegExp(`<tr data-ranked="${name}">.*?</tr>`, 's').exec(html) ?? [];
    const numberAt = (pattern: RegExp): number => Number(pattern.exec(row)?.[1] ?? NaN);
    const [zero, x, width, dot] = [
      numberAt(/class="zero" x1="([^"]*)"/),
      numberAt(/class="interval" x="([^"]*)"/),
      numberAt(/class="interval"[^>]* width="([^"]*)"/),
      numberAt(/<circle[^>]* cx="([^"]*)"/),
    ];
    if (rate?.estimate == null) {
      expect([name, row.includes('<circle')]).toEqual([name, false]);
      continue;
    }
    const drawn = [zero, x, x + width, dot];
    const exact = [0, ...rate.interval, rate.estimate].map(placeOf);
    drawn.forEach((place, index) => {
      shown.count += 1;
      // A bar is a pixel wide, so that it is seen.
      const isRight = Math.abs(place - (exact[index] ?? NaN)) <= (width === 1 ? 2 * CLOSE : CLOSE);
      expect([name, drawn, exact, isRight]).toEqual([name, drawn, exact, true]);
    });
  }
}
