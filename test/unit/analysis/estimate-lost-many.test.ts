import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated, tallyOf } from '../../../bench/simulated';

const RUNS = 300;

const NONE = { rate: 0, range: [0, 0], from: 'given' } as const;

/*
 * Noise has each number of reports from 0 to 20 equally often, and replaces 99.5 % of the outputs. The log-likelihood ratio has at most 20 degrees of
 * freedom, because the likeliest truths fit some of the noise. At the stated level of 1e-6, more than one refusal in these runs has a probability of at most
 * 5e-8. With a bound for 3 degrees, 4 of 300 are refused, and with a bound for 2, 12.
 */
test('honest sources with up to 20 reports are not refused', () => {
  const source = simulated('event', 0.1, {
    max_event_level_reports: 20,
    trigger_data: [0],
    event_report_windows: { end_times: [86_400] },
  });
  const estimator = estimatorOf(source.configuration);
  expect(estimator.outputs).toBe(21n);
  const truths = new Array<string>(2000).fill('0');
  const tallies = Array.from({ length: RUNS }, (_, run) =>
    tallyOf(source, truths, seededRandomSource('many numbers', run)),
  );
  const allowed = tallies.filter((tally) => estimator.allowLosses?.([tally], NONE) === true);
  expect(allowed.length).toBeGreaterThanOrEqual(RUNS - 1);
  // No source has 19 or 20 reports, which noise alone gives to one in eleven.
  const cut = tallies.map((tally) => new Map([...tally].filter(([output]) => Number(output) < 19)));
  expect(cut.filter((tally) => estimator.allowLosses?.([tally], NONE) === true)).toEqual([]);
});
