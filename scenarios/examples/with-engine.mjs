import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  chromiumLimits,
  countStates,
  estimatesOf,
  givenDistribution,
  laplaceMatching,
  LogJoin,
  lossWeights,
  optimize,
  responseLossWeights,
  resultJson,
  rrOnBins,
  seededRandomSource,
  settableEpsilon,
  shapeOf,
  parseSource,
  transitionRows,
} from '@cointoss/engine';

/*
 * What the package exports for analysis. Copy this file, `npm install @cointoss/engine`, and run `node --test FILE`. It needs no browser, and
 * runs in one as well, except for the lines of node:test.
 */

const registration = {
  trigger_data: [0, 1],
  max_event_level_reports: 1,
  event_report_windows: { end_times: [604800] },
};
const sourceTime = Date.UTC(2027, 0, 9);

it('estimates conversions from a source log and noisy reports', () => {
  const join = new LogJoin(['campaign'], { skew: 60_000, completeUntil: null });
  for (let id = 1; id <= 1000; id++) {
    const { errors } = join.addSource({
      source_event_id: String(id),
      reporting_origin: 'https://ads.example',
      source_type: 'navigation',
      destination: 'https://shop.example',
      time: sourceTime,
      registration,
      epsilon: 3,
      campaign: id % 2 === 0 ? 'spring' : 'summer',
    });
    assert.deepEqual(errors, []);
  }
  for (let id = 1; id <= 140; id++) {
    join.addReport({
      report_id: `report ${id}`,
      reporting_origin: 'https://ads.example',
      source_event_id: String(id),
      source_type: 'navigation',
      attribution_destination: 'https://shop.example',
      trigger_data: id % 3 === 0 ? '0' : '1',
      scheduled_report_time: String(sourceTime / 1000 + 604800),
      randomized_trigger_rate: 0.1359,
    });
  }
  const options = { level: 0.95, randomness: 'noise', likelihood: false, singles: false };
  const { configurations, reports } = resultJson(estimatesOf(join.statistics(null), options));
  assert.equal(reports.used, 140);
  const [all] = configurations[0].groups;
  const conversions = all.estimates.find(({ quantity }) => quantity === 'conversions');
  // Of the 140 reports, about 91 come from noise: two thirds of the 13.6 % of 1000 sources whose output was replaced. Half of these have each
  // trigger data. Without any of one, the reports would be refused, because this noise could not have made them.
  assert.ok(conversions.interval[0] < conversions.estimate && conversions.estimate < 70);
});

it('weights that undo the noise of labels in training', () => {
  // k-ary randomized response over 10 labels.
  const { own, other } = responseLossWeights(10, 2);
  assert.ok(Math.abs(own + 9 * other - 1) < 1e-12);
  // Any mechanism: a row for each true label, a column for each output.
  const noise = rrOnBins([0, 10, 100], ['0.8', '0.15', '0.05'], 'squared', 4);
  const rows = transitionRows(noise, 3);
  if (noise.outputs.length === 3)
    for (const weights of lossWeights(rows)) assert.ok(Math.abs(weights.reduce((a, b) => a + b) - 1) < 1e-9);
});

it('a private matching of clicks and conversions', () => {
  const weights = [
    [3, null],
    [2, 5],
  ];
  const draw = laplaceMatching({ weights, epsilon: 2, sensitivity: 1 });
  const pairs = draw(seededRandomSource('an example', 0));
  assert.equal(new Set(pairs.map(({ click }) => click)).size, pairs.length);
  // Without randomness there is no noise.
  assert.deepEqual(draw(null), [
    { click: 0, conversion: 0 },
    { click: 1, conversion: 1 },
  ]);
});

it('the size of a configuration, and its best summary buckets', () => {
  const { value } = parseSource(
    { ...registration, destination: 'https://shop.example' },
    'navigation',
    chromiumLimits,
  );
  assert.equal(countStates(shapeOf(value)), 3n);
  const { best } = optimize({
    distribution: givenDistribution([0, 5, 10, 50], ['0.9', '0.05', '0.03', '0.02']),
    epsilon: settableEpsilon(3),
    sourceType: 'navigation',
    goal: 'value',
    loss: 'squared',
    maxBuckets: 2,
    maxReports: null,
    triggerData: 1,
    windowEnds: [604800],
    sources: 1000,
  });
  assert.ok(best.summaryBuckets.length >= 1);
});
