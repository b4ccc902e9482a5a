import { replay, type ReplayOptions, type ReplayOutcome } from '../../../analysis/scenario/replay';
import { replaySettings } from '../../../analysis/scenario/scenario';
import { generateUser } from '../../../analysis/simulation/generate';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { chromiumLimits } from '../../../src/model/limits';

const events = Array.from({ length: 20 }, (_, number) =>
  generateUser('unread', number).flatMap((line) => parseLogLine(line).value?.event ?? []),
);

/** All outcomes and reports of some people. */
async function runWith(options: Pick<ReplayOptions, 'checks'>): Promise<{
  readonly outcomes: readonly ReplayOutcome[];
  readonly reports: readonly unknown[];
}> {
  const outcomes: ReplayOutcome[] = [];
  const reports: unknown[] = [];
  for (const theirs of events)
    reports.push(
      ...(await replay(
        {
          config: { limits: chromiumLimits, navigationRetry: null },
          settings: { ...replaySettings, aggregatableReports: true },
          events: theirs,
          reports: [],
        },
        {
          random: seededRandomStreams('unread'),
          noise: true,
          observe: (outcome) => outcomes.push(outcome),
          ...options,
        },
      )),
    );
  return { outcomes, reports };
}

test('a decision is the same whether or not somebody reads its checks', async () => {
  const [read, unread] = [await runWith({}), await runWith({ checks: 'unread' })];
  expect(read.reports.length).toBeGreaterThan(10);
  expect(unread.reports).toEqual(read.reports);
  expect(read.outcomes.flatMap((outcome) => ('checks' in outcome ? outcome.checks : []))).not.toEqual([]);
  expect(unread.outcomes.flatMap((outcome) => ('checks' in outcome ? outcome.checks : []))).toEqual([]);
  const decisions = (outcomes: readonly ReplayOutcome[]): readonly unknown[] =>
    outcomes.map((outcome) => ('decision' in outcome ? outcome.decision : outcome));
  expect(decisions(unread.outcomes)).toEqual(decisions(read.outcomes));
});
