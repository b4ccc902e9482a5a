import { analyse, type AnalysisOptions } from '../analysis/estimate/result/analysis';
import type { Quantity } from '../analysis/estimate/quantities/quantities';
import { seededUniform, type Uniform } from '../analysis/estimate/likelihood/statistical-draws';
import { estimatorOf } from '../analysis/estimate/unbiased/estimator-of';
import { seededRandomSource } from '../analysis/random/sources';
import type { RandomizedResponse } from '../src/privacy/randomized-response';
import type { RandomSource } from '../src/privacy/random-source';
import { epsilon as epsilonOf } from '../src/model/units';
import { shownEstimate } from '../analysis/estimate/result/result-json';
import { ReportSpace } from '../src/states/report-space';
import { shapeOf } from '../src/states/source-space';
import { lostOf } from '../analysis/estimate/unbiased/lost-reports';
import type { GroupTally } from '../analysis/estimate/unbiased/tally';
import { joined, type Counted, type Outputs } from './trial-log';
import { NO_SUMS, outcomeOf, Run, type Outcome, type Sums } from './trial-outcome';
import type { Group, Setting } from './trial-setting';
import { simulated, type Simulated } from './simulated';

/** What was measured of one quantity and level of groups. */
export interface Row {
  readonly level: string;
  readonly unbiased: Outcome;
  readonly likeliest: Outcome;
  /** The likeliest number of each run whose model fits, and otherwise the possible number nearest to the unbiased one. */
  readonly shown: Outcome;
}

/** The same as sums, to which more runs can be added. */
export interface LevelSums {
  readonly unbiased: Sums;
  readonly likeliest: Sums;
  readonly shown: Sums;
}

export const measured = (setting: Setting, runs: number): readonly Row[] =>
  [...measuredRuns(setting, 0, runs)].map(([level, { unbiased, likeliest, shown }]) => ({
    level,
    unbiased: outcomeOf(unbiased),
    likeliest: outcomeOf(likeliest),
    shown: outcomeOf(shown),
  }));

/**
 * Runs a setting. Each run has seeds of its own, so a run gives the same numbers whichever runs went before.
 * @param first the number of the first run.
 * @returns the sums by level of groups and quantity.
 */
export function measuredRuns(setting: Setting, first: number, end: number): ReadonlyMap<string, LevelSums> {
  const source = simulated(setting.type, setting.epsilon, setting.fields);
  const lose = losing(source);
  const groups = setting.groups(source);
  const truthOf = truthsOf(source);
  const found = new Map<string, LevelSums>();
  for (let run = first; run < end; run++) {
    const uniform = seededUniform(`loss ${setting.name}`, run);
    const outputs = outputsOf(setting, groups, source, lose, run, uniform);
    const counted =
      setting.log === undefined ? tallied(outputs) : joined(source, outputs, setting.log, uniform);
    const ofRun = new Map<string, Record<keyof LevelSums, Run>>();
    for (const { group, estimates } of analyse(
      { configuration: source.configuration, ...counted },
      optionsOf(setting, uniform, counted),
    ).groups) {
      const truths = groups.flatMap((part) =>
        group.every((name, at) => part.group[at] === name) ? part.truths : [],
      );
      for (const { quantity, estimate, likelihood } of estimates) {
        if (!setting.kinds.includes(quantity.kind)) continue;
        const truth = truthOf(quantity, truths);
        const level = `${setting.levelOf?.(group) ?? `level ${group.length}`}, ${quantity.kind}`;
        const sums = ofRun.get(level) ?? { unbiased: new Run(), likeliest: new Run(), shown: new Run() };
        ofRun.set(level, sums);
        sums.unbiased.add(truth, estimate.estimate, estimate.interval);
        if (likelihood !== null) sums.likeliest.add(truth, likelihood.estimate, likelihood.interval);
        const shown = likelihood ?? { ...estimate, estimate: shownEstimate(estimate) };
        sums.shown.add(truth, shown.estimate, shown.interval);
      }
    }
    for (const [level, { unbiased, likeliest, shown }] of ofRun) {
      const sums = found.get(level) ?? { unbiased: NO_SUMS, likeliest: NO_SUMS, shown: NO_SUMS };
      found.set(level, {
        unbiased: unbiased.addedTo(sums.unbiased),
        likeliest: likeliest.addedTo(sums.likeliest),
        shown: shown.addedTo(sums.shown),
      });
    }
  }
  return found;
}

const optionsOf = (
  { sampling, given, isProposed }: Setting,
  uniform: Uniform,
  { byClocks = null }: Counted,
): AnalysisOptions => ({
  level: 0.95,
  randomness: sampling === undefined ? 'noise' : 'noise-and-sampling',
  likelihood: true,
  singles: false,
  ...(given === undefined ? {} : { lost: given(uniform) }),
  ...(isProposed && byClocks !== null ? { lost: lostOf(byClocks.missing, byClocks.expected, 0.95) } : {}),
});

/** What arrives of the sources of a run. */
function outputsOf(
  setting: Setting,
  groups: readonly Group[],
  source: Simulated,
  lose: ReturnType<typeof losing>,
  run: number,
  uniform: Uniform,
): readonly Outputs[] {
  const random = seededRandomSource(`trial ${setting.name}`, run);
  const arrives = setting.arrives?.(source) ?? ((output: string): string => output);
  const respond = responding(setting, source);
  return groups.map(({ group, truths }, number) => ({
    group,
    outputs: truths.map((truth) => {
      const own = setting.sampling?.(uniform, truths) ?? truth;
      const response = respond(random, uniform);
      const lost = setting.lostIn === undefined || setting.lostIn === number ? (setting.lost ?? 0) : 0;
      const output = response.kind === 'replaced' ? String(response.state) : own;
      return lose(arrives(output, uniform), lost, uniform);
    }),
  }));
}

/** The noise of a source, which can be that of another ε than the log has. */
function responding(
  { type, fields, misstated }: Setting,
  { respond }: Simulated,
): (random: RandomSource, uniform: Uniform) => RandomizedResponse {
  if (misstated === undefined) return respond;
  const other = simulated(type, misstated.epsilon, fields);
  return (random, uniform) => (uniform() < misstated.share ? other.respond : respond)(random);
}

/** What arrives of the groups of a run, as the table of settings has it. */
export function talliesOf(setting: Setting, run: number): readonly GroupTally[] {
  const source = simulated(setting.type, setting.epsilon, setting.fields);
  const uniform = seededUniform(`loss ${setting.name}`, run);
  return tallied(outputsOf(setting, setting.groups(source), source, losing(source), run, uniform)).groups;
}

const tallied = (groups: readonly Outputs[]): Counted => ({
  groups: groups.map(({ group, outputs }) => {
    const tally = new Map<string, number>();
    for (const output of outputs) tally.set(output, (tally.get(output) ?? 0) + 1);
    return { group, tally };
  }),
});

/** What truths add up to: what is observed of them without noise. */
function truthsOf({ configuration }: Simulated): (quantity: Quantity, truths: readonly string[]) => number {
  const exact = estimatorOf({ ...configuration, epsilon: epsilonOf(700) });
  return (quantity, truths) => {
    const tally = new Map<string, number>();
    for (const truth of truths) tally.set(truth, (tally.get(truth) ?? 0) + 1);
    return exact.estimate(quantity, tally, { level: 0.5, randomness: 'noise' }).observed;
  };
}

/** Loses each report of an output with a probability. */
export function losing({
  configuration,
}: Simulated): (output: string, lost: number, uniform: Uniform) => string {
  const space = new ReportSpace(shapeOf(configuration.shape));
  return (output, lost, uniform) =>
    lost === 0 || output === '0'
      ? output
      : String(
          space.encode(space.decode(BigInt(output)).map((placed) => placed.filter(() => uniform() >= lost))),
        );
}
