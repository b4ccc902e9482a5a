import type { SolverRound } from '../../../analysis/learn/value-noise';
import { SearchFollower, SearchGaps } from '../../../cli/io/solver-progress';

test('a randomizer that is not nearly the best is named with the greatest gap of its searches', () => {
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const gaps = new SearchGaps();
  const follower = new SearchFollower('learn', gaps.add);
  const found = (round: number, gap: number, values: number): SolverRound => ({
    ...{ round, gap, values, epsilon: 20, outputs: 5 },
  });
  for (const round of [found(1, 0.5, 3), found(2, 0.02, 3), found(1, 0.01, 3), found(1, 1e-5, 4)])
    follower.add(round);
  follower.end();
  gaps.say('learn');
  const said = written.mock.calls.map(([text]) => text);
  written.mockRestore();
  expect(said).toEqual([
    'cointoss: learn: the unbiased randomizer of 3 values at ε = 20: its variance is at most 2 % above the least possible\n',
  ]);
});
