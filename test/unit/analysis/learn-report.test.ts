import type { ShareOfParts } from '../../../analysis/learn/examples';
import { parseExperiment } from '../../../analysis/learn/experiment';
import { reportHtml } from '../../../analysis/learn/report-html';
import type { JsonObject } from '../../../src/model/json';

const BY_TIME = { training: 0.7, validation: 0.1, random: null };

const reportOf = (figure: JsonObject, shares: ShareOfParts = BY_TIME): string => {
  const given = { seeds: 1, figures: [{ title: 'One', epsilons: [1], ...figure }] };
  const { value } = parseExperiment(given);
  if (value === null) throw new Error('the experiment must parse');
  return reportHtml(value, [], shares);
};

test.each([
  [null, 'By time, the first 57 % of the impressions train, 10 % validate, and the last 33 % test.'],
  ['seed', 'Impressions are in a part at random: 57 % train, 10 % validate, and 33 % test.'],
])('the report says how the data are split: random by %j', (random, text) => {
  expect(reportOf({ methods: ['rr'] }, { training: 0.57, validation: 0.1, random })).toContain(text);
});

test('the report says that votes have a δ, too', () => {
  expect(reportOf({ methods: ['pate'] })).toContain(
    'where gradients, votes or sums of features are noisy, otherwise 0',
  );
});

test.each<[JsonObject, boolean]>([
  [{ methods: ['rr-with-prior'] }, true],
  [{ methods: ['hybrid'], label_phase: 'rr-with-prior' }, true],
  [{ methods: ['hybrid'], label_phase: 'rr' }, false],
  [{ methods: ['rr'], label_phase: 'rr-with-prior' }, false],
])('the report names the stages where labels have some: %j', (figure, hasSome) => {
  expect(reportOf(figure).includes('2 stages, each with a part of the')).toBe(hasSome);
});
