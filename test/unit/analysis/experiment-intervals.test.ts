import { measureGroups } from '../../../analysis/experiment/measure';
import { simulated } from '../../../bench/simulated';

test('the interval of few clicks and impressions together is possible, and rules out no truth that noise can have hidden', () => {
  const { configuration: clicks } = simulated('navigation', 8, {});
  const { configuration: views } = simulated('event', 8, {});
  // Half the clicks answer with one of 2,925 outputs that chance draws; the last has three reports.
  const group = ['spring'];
  const [found] = measureGroups(
    [
      {
        name: 'clicks',
        given: null,
        configuration: clicks,
        groups: [{ group, tally: new Map([['2924', 1]]) }],
      },
      { name: 'views', given: null, configuration: views, groups: [{ group, tally: new Map([['0', 1]]) }] },
    ],
    ['campaign'],
    [['campaign']],
    0.95,
  );
  expect(found).toMatchObject({ observed: 3, low: 0 });
  expect(found?.high).toBeGreaterThanOrEqual(3);
  expect(found?.high).toBeLessThanOrEqual(4);
});
