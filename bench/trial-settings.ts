import { analyse, type AnalysisOptions } from '../analysis/estimate/analysis';
import type { Interval } from '../analysis/estimate/interval';
import type { Quantity } from '../analysis/estimate/quantities';
import { seededUniform, type Uniform } from '../analysis/estimate/statistical-draws';
import { estimatorOf } from '../analysis/estimate/estimator-of';
import { seededRandomSource } from '../analysis/random/sources';
import { epsilon as epsilonOf } from '../src/model/units';
import { ReportSpace } from '../src/states/report-space';
import { shapeOf } from '../src/states/source-space';
import type { CountedConfiguration } from '../analysis/estimate/tally';
import { joined, type Outputs } from './trial-log';
import type { Setting } from './trial-setting';
import { SETTINGS } from './trial-table';
import { simulated, type Simulated } from './simulated';

/** How well the estimates of one quantity did over many runs. Errors are root mean squares; bias is the mean error. */
export interface Outcome {
  readonly truth: number;
  readonly count: number;
  /** How many of `count` have an interval, and how many of these intervals hold the truth. */
  readonly shown: number;
  readonly held: number;
  readonly bias: number;
  readonly error: number;
  /** The mean length of an interval. */
  readonly width: number;
}

/** What was measured of one quantity and level of groups. */
export interface Row {
  readonly level: string;
  readonly unbiased: Outcome;
  readonly likeliest: Outcome;
}

/**
 * What estimates do where trials are real: the tables of docs/estimate-methods.md. `npm run bench -- trial-settings 200` runs all settings 200 times,
 * `npm run bench -- trial-settings 40 lost` those whose names contain a word. Seeds are fixed.
 */
export function benchTrialSettings(runs = 40, words: readonly string[] = []): void {
  for (const setting of SETTINGS) {
    if (!words.every((word) => setting.name.includes(word))) continue;
    for (const { level, unbiased, likeliest } of measured(setting, runs))
      console.log(
        [
          setting.name,
          level,
          unbiased.truth.toPrecision(4),
          ...[unbiased, likeliest].flatMap((outcome) => cells(outcome)),
        ].join(' | '),
      );
  }
}

function cells({ count, shown, held, bias, error, width }: Outcome): readonly string[] {
  const share = held / shown;
  const uncertain = Math.sqrt((share * (1 - share)) / shown);
  return [
    shown === 0
      ? 'none shown'
      : `${(100 * share).toFixed(1)} ± ${(100 * uncertain).toFixed(1)} % of ${shown}/${count}`,
    `bias ${bias.toPrecision(3)}`,
    `RMSE ${error.toPrecision(3)}`,
    `width ${width.toPrecision(3)}`,
  ];
}

class Sums {
  private readonly sums = { truth: 0, count: 0, shown: 0, held: 0, error: 0, squares: 0, width: 0 };

  add(truth: number, estimate: number, [low, high]: Interval): void {
    const { sums } = this;
    sums.truth += truth;
    sums.count += 1;
    sums.error += estimate - truth;
    sums.squares += (estimate - truth) ** 2;
    if (Number.isNaN(low)) return;
    sums.shown += 1;
    sums.width += high - low;
    const slack = 1e-9 * (1 + Math.abs(truth));
    if (low - slack <= truth && truth <= high + slack) sums.held += 1;
  }

  get outcome(): Outcome {
    const { truth, count, shown, held, error, squares, width } = this.sums;
    return {
      truth: truth / count,
      count,
      shown,
      held,
      bias: error / count,
      error: Math.sqrt(squares / count),
      width: width / shown,
    };
  }
}

export function measured(setting: Setting, runs: number): readonly Row[] {
  const source = simulated(setting.type, setting.epsilon, setting.fields);
  const lose = losing(source);
  const groups = setting.groups(source);
  const options: AnalysisOptions = {
    level: 0.95,
    randomness: setting.sampling === undefined ? 'noise' : 'noise-and-sampling',
    likelihood: setting.sampling === undefined,
    singles: false,
    ...(setting.given === undefined ? {} : { lost: setting.given }),
  };
  const truthOf = truthsOf(source);
  const found = new Map<string, { unbiased: Sums; likeliest: Sums }>();
  for (let run = 0; run < runs; run++) {
    const random = seededRandomSource(`trial ${setting.name}`, run);
    const uniform = seededUniform(`loss ${setting.name}`, run);
    const outputs = groups.map(({ group, truths }) => ({
      group,
      outputs: truths.map((truth) => {
        const own = setting.sampling?.(uniform, truths) ?? truth;
        const response = source.respond(random);
        return lose(response.kind === 'replaced' ? String(response.state) : own, setting.lost ?? 0, uniform);
      }),
    }));
    const counted =
      setting.log === undefined ? tallied(outputs) : joined(source, outputs, setting.log, uniform);
    for (const { group, estimates } of analyse({ configuration: source.configuration, ...counted }, options)
      .groups) {
      const truths = groups.flatMap((part) =>
        group.every((name, at) => part.group[at] === name) ? part.truths : [],
      );
      for (const { quantity, estimate, likelihood } of estimates) {
        if (!setting.kinds.includes(quantity.kind)) continue;
        const truth = truthOf(quantity, truths);
        const level = `${setting.levelOf?.(group) ?? `level ${group.length}`}, ${quantity.kind}`;
        const sums = found.get(level) ?? { unbiased: new Sums(), likeliest: new Sums() };
        found.set(level, sums);
        sums.unbiased.add(truth, estimate.estimate, estimate.interval);
        if (likelihood !== null) sums.likeliest.add(truth, likelihood.estimate, likelihood.interval);
      }
    }
  }
  return [...found].map(([level, { unbiased, likeliest }]) => ({
    level,
    unbiased: unbiased.outcome,
    likeliest: likeliest.outcome,
  }));
}

const tallied = (groups: readonly Outputs[]): Pick<CountedConfiguration, 'groups'> => ({
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
