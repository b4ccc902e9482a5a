import { delayedReports, delaysOf, SeenDelays, stillUnderWay } from '../../analysis/estimate/report-delays';
import { seededUniform } from '../../analysis/estimate/statistical-draws';
import { moment } from '../../src/model/units';

const DAYS = 20;
const HOUR = 3_600_000;
const LAST = DAYS * 24;

/** Reports due over 20 days, of which a share has an exponential delay, as they are seen at the end; and the share that is not seen. */
function seen(run: number, share: number, meanHours: number): { delays: SeenDelays; missing: number } {
  const uniform = seededUniform('delays', run);
  const delays = new SeenDelays();
  let missing = 0;
  for (let report = 0; report < 2000; report++) {
    const due = uniform() * LAST;
    const delay = uniform() < share ? -Math.log(1 - uniform()) * meanHours : 0;
    if (due + delay > LAST) missing += 1;
    else delays.add(moment(Math.floor(HOUR * due)), moment(Math.floor(HOUR * (due + delay))));
  }
  return { delays, missing: missing / 2000 };
}

test('the share under way is found without bias, and its range holds it', () => {
  const runs = 100;
  let [held, error, squares] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const { delays, missing } = seen(run, 0.6, 72);
    const { rate, range } = stillUnderWay(delays.delays, 0.95) ?? { rate: NaN, range: [NaN, NaN] };
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
  for (let run = 0; run < 20; run++)
    expect(stillUnderWay(seen(run, share, mean).delays.delays, 0.95)).toBeNull();
});

test('there is no share without reports', () => {
  expect(stillUnderWay(new Map(), 0.95)).toBeNull();
});

test('delays of parts add up, in any order', () => {
  const [a, b] = [seen(1, 0.6, 72).delays.delays, seen(2, 0.6, 72).delays.delays];
  const [one, other] = [a, b].map((part) => delayedReports(part)) as [[], []];
  expect(delayedReports(delaysOf([...one, ...other]))).toEqual(delayedReports(delaysOf([...other, ...one])));
});
