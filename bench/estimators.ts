import { analyse, type AnalysedGroup } from '../analysis/estimate/analysis';
import type { GroupTally } from '../analysis/estimate/tally';
import { seededRandomSource } from '../analysis/random/sources';
import { benchCoverage } from './coverage';
import { leastSquares } from './least-squares';
import { simulated, tallyOf, type Simulated } from './simulated';
import { benchTraining } from './training';

/** The tables of docs/estimate-methods.md on estimates by maximum likelihood and on training: `npm run bench -- estimators`. */
export function benchEstimators(): void {
  benchClicks();
  benchCoverage();
  console.log(`errors of conversions of impressions at ε = 1, root mean square over ${GROUP_RUNS} runs`);
  benchGroups('40 groups of 50', 50, (group) => 2 + (group % 7), 40);
  benchGroups('8 campaigns with 8 groups of 36 each', 36, (group) => (3 * group) % 5, 64, 8);
  benchTraining();
}

const RUNS = 10;
const GROUP_RUNS = 40;

const analysed = ({ configuration }: Simulated, groups: readonly GroupTally[]): ReturnType<typeof analyse> =>
  analyse({ configuration, groups }, { level: 0.95, randomness: 'noise', likelihood: true, singles: false });

/** Means of errors and of their squares, by name. */
class Errors {
  private readonly sums = new Map<string, { sum: number; squares: number; count: number }>();

  add(name: string, error: number): void {
    const known = this.sums.get(name) ?? { sum: 0, squares: 0, count: 0 };
    this.sums.set(name, {
      sum: known.sum + error,
      squares: known.squares + error ** 2,
      count: known.count + 1,
    });
  }

  toString(): string {
    return [...this.sums]
      .map(([name, { sum, squares, count }]) => {
        const mean = sum / count;
        return `${name} ${Math.sqrt(squares / count).toPrecision(3)} (mean ${mean.toPrecision(3)})`;
      })
      .join(', ');
  }
}

/** Conversions by trigger data of default clicks; one source in ten has one conversion, or three of the same trigger data. */
function benchClicks(): void {
  console.log(`errors of conversions by trigger data, root mean square over ${RUNS} runs`);
  for (const [windows, epsilon, sources] of [
    [[0], 3, 2000],
    [[0], 3, 10_000],
    [[0], 8, 2000],
    [[0, 0, 1], 8, 2000],
  ] as const) {
    const click = simulated('navigation', epsilon);
    const states = Array.from({ length: 8 }, (_, data) => click.stateOf(data, windows));
    const truths = Array.from({ length: sources }, (_, source) =>
      source < sources / 10 ? (states[source % 8] ?? '0') : '0',
    );
    const truth = (windows.length * sources) / 80;
    const errors = new Errors();
    let fits = 0;
    for (let run = 0; run < RUNS; run++) {
      const random = seededRandomSource(`clicks ${epsilon} ${windows.length}`, run);
      const result = analysed(click, [{ group: [], tally: tallyOf(click, truths, random) }]);
      if (result.fits === true) fits += 1;
      const before = leastSquares(result.groups, 3);
      for (const { quantity, estimate, likelihood } of result.groups[0]?.estimates ?? []) {
        if (quantity.kind !== 'trigger-data') continue;
        errors.add('raw', estimate.observed - truth);
        errors.add('unbiased', estimate.estimate - truth);
        errors.add('least squares', before([], quantity.triggerData) - truth);
        if (likelihood !== null) errors.add('likeliest', likelihood.estimate - truth);
      }
    }
    console.log(
      `  ε = ${epsilon}, ${sources} sources, ${windows.length} reports each: ${errors.toString()}; fits ${fits} of ${RUNS}`,
    );
  }
}

/**
 * Views in groups of the same size.
 * @param converted how many of a group have a conversion.
 * @param perCampaign how many groups are parts of one campaign; without, there are no campaigns.
 */
function benchGroups(
  name: string,
  size: number,
  converted: (group: number) => number,
  count: number,
  perCampaign: number | null = null,
): void {
  const view = simulated('event', 1);
  const states = [0, 1].map((data) => view.stateOf(data, [0]));
  const nameOf = (group: number): readonly string[] => [
    ...(perCampaign === null ? [] : [String(Math.floor(group / perCampaign))]),
    String(group).padStart(2, '0'),
  ];
  const errors = new Errors();
  for (let run = 0; run < GROUP_RUNS; run++) {
    const groups = Array.from({ length: count }, (_, group) => {
      const truths = Array.from({ length: size }, (_, source) =>
        source < converted(group) ? (states[source % 2] ?? '0') : '0',
      );
      const random = seededRandomSource(`groups ${size}`, run * count + group);
      return { group: nameOf(group), tally: tallyOf(view, truths, random) };
    });
    const result = analysed(view, groups).groups;
    const before = leastSquares(result, 1);
    for (const group of result) {
      const truth = groups.reduce(
        (sum, { group: own }, index) =>
          sum + (group.group.every((part, at) => own[at] === part) ? converted(index) : 0),
        0,
      );
      const level =
        group.group.length === 0 ? 'all' : group.sources === size ? 'each group' : 'each campaign';
      const { unbiased, likelihood } = conversionsOf(group);
      errors.add(`${level}, unbiased`, unbiased - truth);
      errors.add(`${level}, least squares`, before(group.group) - truth);
      errors.add(`${level}, likeliest`, likelihood - truth);
    }
  }
  console.log(`  ${name}: ${errors.toString()}`);
}

function conversionsOf(group: AnalysedGroup): { readonly unbiased: number; readonly likelihood: number } {
  const found = group.estimates.find(({ quantity }) => quantity.kind === 'conversions');
  return { unbiased: found?.estimate.estimate ?? NaN, likelihood: found?.likelihood?.estimate ?? NaN };
}
