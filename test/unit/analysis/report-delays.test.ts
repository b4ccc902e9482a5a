import {
  addedDelays,
  SeenDelays,
  stillUnderWay,
  type DelayedReports,
} from '../../../analysis/estimate/unbiased/report-delays';
import { seededUniform } from '../../../analysis/estimate/likelihood/statistical-draws';
import { moment } from '../../../src/model/units';

const DAYS = 20;
const HOUR = 3_600_000;
const LAST = DAYS * 24;

/** Reports due over 20 days, of which a share has an exponential delay, as they are seen at the end; and the share that is not seen. */
function seen(
  run: number,
  share: number,
  meanHours: number,
): { delays: readonly DelayedReports[]; missing: number } {
  const uniform = seededUniform('delays', run);
  const delays = new SeenDelays();
  let missing = 0;
  for (let report = 0; report < 2000; report++) {
    const due = uniform() * LAST;
    const delay = uniform() < share ? -Math.log(1 - uniform()) * meanHours : 0;
    if (due + delay > LAST) missing += 1;
    else delays.add(moment(Math.floor(HOUR * due)), moment(Math.floor(HOUR * (due + delay))));
  }
  return { delays: delays.until(moment(HOUR * LAST)), missing: missing / 2000 };
}

test('the share under way is found without bias, and its range holds it', () => {
  const runs = 100;
  let [held, error, squares] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const { delays, missing } = seen(run, 0.6, 72);
    const { rate, range } = stillUnderWay(delays, 0.95) ?? { rate: NaN, range: [NaN, NaN] };
    expect(missing).toBeGreaterThan(0.05);
    error += rate - missing;
    squares += (rate - missing) ** 2;
    if (range[0] <= missing && missing <= range[1]) held += 1;
  }
  expect(held).toBeGreaterThanOrEqual(85);
  expect(Math.abs(error / runs)).toBeLessThan(5 * Math.sqrt(squares / runs / runs) + 0.002);
});

test.each([
  ['no report is late', 0, 1],
  ['a few are', 0.005, 24],
])('nothing is corrected if %s', (_, share, mean) => {
  for (let run = 0; run < 20; run++) expect(stillUnderWay(seen(run, share, mean).delays, 0.95)).toBeNull();
});

test('there is no share without reports', () => {
  expect(stillUnderWay([], 0.95)).toBeNull();
});

/** The same log, a month later. */
const later = (delays: readonly DelayedReports[], by: number): readonly DelayedReports[] =>
  delays.map((each) => ({ ...each, due: each.due + by, last: each.last + by }));

test('delays of parts add up, in any order', () => {
  const [a, b] = [seen(1, 0.6, 72).delays, later(seen(2, 0.6, 72).delays, 3)];
  expect(addedDelays([a, b])).toEqual(addedDelays([b, a]));
});

test.each([3, 30 * 24, -400])('logs that were taken %i hours apart miss what each of them misses', (by) => {
  for (let run = 0; run < 10; run++) {
    const [one, other] = [seen(run, 0.6, 72), seen(run + 100, 0.6, 72)];
    const found = stillUnderWay(addedDelays([one.delays, later(other.delays, by)]), 0.95);
    const missing = (one.missing + other.missing) / 2;
    expect(found?.range[0]).toBeLessThan(missing + 0.015);
    expect(found?.range[1]).toBeGreaterThan(missing - 0.015);
    expect(Math.abs((found?.rate ?? 0) - missing)).toBeLessThan(0.03);
  }
});

test.each([2, 20, 100])('%i parts of one log miss what the log misses', (parts) => {
  for (let run = 0; run < 10; run++) {
    const { delays } = seen(run, 0.6, 72);
    const split = Array.from({ length: parts }, (): DelayedReports[] => []);
    delays.forEach((each, index) => split[index % parts]?.push(each));
    const own = split.map((part) => {
      const last = Math.max(...part.map(({ due, delay }) => due + delay));
      return part.map((each) => ({ ...each, last }));
    });
    const [whole, merged] = [delays, addedDelays(own)].map((each) => stillUnderWay(each, 0.95)?.rate ?? 0);
    expect(Math.abs((merged ?? 0) - (whole ?? 0))).toBeLessThan(0.005);
  }
});
