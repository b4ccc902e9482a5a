import type { Json } from '../../src/model/json';
import { meanWithError, type MeanWithError } from '../report/mean-with-error';
import { creditMoved, levelErrors, pairOf, type LevelErrors } from './errors';
import type { Experiment } from './experiment';
import type { Axis } from './grid';
import { byGroup, creditQuantity, levelName, type CellOutcome } from './outcome';
import { isOfShare, type Section } from '../simulation/outcome-counter';
import { isOfWindow, type RunResult } from './result';
import { taskNumbers } from './task-numbers';
import { reasonText, type SameResults } from './same-results';

/** A row of the tidy table: one number of one cell. */
export interface Row {
  readonly cell: number;
  readonly values: readonly Json[];
  readonly measure: Measure;
  /** Empty if the number is about everything. */
  readonly level: string;
  readonly group: readonly string[] | null;
  readonly quantity: string;
  /** A limit, a reason or a delay. */
  readonly what: string;
  readonly value: MeanWithError;
  /** Compared with the first cell, run by run with the same randomness; null if that means nothing, as if nothing had an effect. */
  readonly difference: MeanWithError | null;
  /** The total of which `value` is a share or a mean; null if it is not counted. */
  readonly count: number | null;
}

export type Measure =
  | keyof LevelErrors
  | 'truth'
  | 'credit-moved'
  | 'lost'
  | 'refused'
  | 'over-budget'
  | 'fallback'
  | 'same-as'
  | 'reported-by-delay'
  | 'task'
  | 'spent-mean'
  | 'spent-most';

const LEVEL_MEASURES = ['bias', 'rmse', 'relativeRmse', 'coverage', 'width', 'known'] as const;

type Numbers = Omit<
  Row,
  'cell' | 'values' | 'level' | 'group' | 'quantity' | 'what' | 'difference' | 'count'
> &
  Partial<Row>;

/** All rows, cell by cell. @param same the cells with the results of others */
export function rowsOf(
  experiment: Experiment,
  outcomes: readonly CellOutcome[],
  same: readonly SameResults[],
): readonly Row[] {
  const [first] = outcomes;
  if (first === undefined) return [];
  return outcomes.flatMap((outcome, cell) => {
    const reference = referenceOf(experiment.grid, outcome, outcomes);
    const found = same.find((one) => one.cell === cell);
    const numbers = [
      ...(found === undefined ? [] : [sameNumbers(found)]),
      ...levelNumbers(experiment, outcome, found?.as === 0 ? outcome : first),
      ...(reference === null ? [] : creditNumbers(experiment, outcome, reference)),
      ...lossNumbers(outcome.credit, SHARES),
      // Without noise, no mechanism is chosen.
      ...lossNumbers(outcome.noisy, FALLBACKS),
      ...delayNumbers(outcome),
      ...taskNumbers(experiment, outcome),
      ...spentNumbers(outcome),
    ];
    return (
      numbers
        // The log or the API does not decide some: rates without a conversion, widths of intervals without an end.
        .filter(({ value }) => Number.isFinite(value.mean))
        .map((found) => ({ ...NOTHING, cell, values: outcome.values, ...found }))
    );
  });
}

const sameNumbers = (same: SameResults): Numbers => ({
  measure: 'same-as',
  what: reasonText(same),
  value: { mean: same.as, error: NaN },
});

const NOTHING = { level: '', group: null, quantity: '', what: '', difference: null, count: null };

function levelNumbers(experiment: Experiment, outcome: CellOutcome, first: CellOutcome): readonly Numbers[] {
  const { levels, known } = experiment.measure;
  const quantities = [...new Set(outcome.truth.groups.map(({ quantity }) => quantity))];
  return levels.flatMap((columns, level) =>
    quantities.flatMap((quantity) => {
      const errors = errorsOf(outcome, level, quantity, known);
      // A cell is not compared with itself, nor with one that has its results.
      const others = outcome === first ? null : errorsOf(first, level, quantity, known);
      const place = { level: levelName(experiment, level), quantity };
      return [
        ...LEVEL_MEASURES.map((measure) => ({
          ...place,
          measure,
          value: meanWithError(errors.map((run) => run[measure])),
          difference:
            others === null
              ? null
              : meanWithError(errors.map((run, index) => run[measure] - (others[index]?.[measure] ?? NaN))),
          count: byGroup(outcome.truth, level, quantity).size,
        })),
        // Of windows there would be as many again for each, and all sources are no group.
        ...(columns.length === 0 || isOfWindow(quantity) ? [] : groupNumbers(outcome, level, quantity)).map(
          (found) => ({
            ...found,
            ...place,
          }),
        ),
      ];
    }),
  );
}

const errorsOf = (
  { truth, noisy }: CellOutcome,
  level: number,
  quantity: string,
  known: number,
): readonly LevelErrors[] => {
  const truths = byGroup(truth, level, quantity);
  return noisy.map((run) => levelErrors(truths, byGroup(run, level, quantity), known));
};

/** In the unit of the quantity, not in percent. */
function groupNumbers({ truth, noisy }: CellOutcome, level: number, quantity: string): readonly Numbers[] {
  const truths = byGroup(truth, level, quantity);
  const runs = noisy.map((run) => byGroup(run, level, quantity));
  return [...truths].flatMap(([key, found]) => {
    const pairs = runs.map((groups) => pairOf(found, groups.get(key)));
    const { group } = found;
    return [
      { measure: 'truth' as const, group, value: { mean: found.observed, error: NaN } },
      { measure: 'bias' as const, group, value: meanWithError(pairs.map(({ error }) => error)) },
      {
        measure: 'rmse' as const,
        group,
        value: {
          mean: Math.sqrt(pairs.reduce((sum, { error }) => sum + error ** 2, 0) / pairs.length),
          error: NaN,
        },
      },
      {
        measure: 'coverage' as const,
        group,
        value: meanWithError(pairs.map(({ isCovered }) => 100 * Number(isCovered))),
      },
      { measure: 'width' as const, group, value: meanWithError(pairs.map(({ width }) => width)) },
    ];
  });
}

/** The cell that differs only in the attribution, which is the first of its axes there; null without such an axis. */
function referenceOf(
  grid: readonly Axis[],
  { values }: CellOutcome,
  outcomes: readonly CellOutcome[],
): CellOutcome | null {
  const isAttribution = ({ name }: Axis): boolean => /^(settings\.attribution(\.|$)|matching$)/.test(name);
  if (!grid.some(isAttribution)) return null;
  const wanted = grid.map((axis, index) => (isAttribution(axis) ? axis.values[0] : values[index]) ?? null);
  const key = JSON.stringify(wanted);
  return outcomes.find((other) => JSON.stringify(other.values) === key) ?? null;
}

function creditNumbers(
  experiment: Experiment,
  outcome: CellOutcome,
  reference: CellOutcome,
): readonly Numbers[] {
  const quantity = creditQuantity(outcome);
  return experiment.measure.levels.flatMap((columns, level) => {
    if (columns.length === 0) return [];
    const of = (run: RunResult | undefined): ReturnType<typeof byGroup> =>
      run === undefined ? new Map() : byGroup(run, level, quantity);
    const moved = outcome.credit.map((run, index) =>
      creditMoved(of(run), of(reference.credit[index] ?? reference.credit[0])),
    );
    const value = meanWithError(moved);
    return [{ measure: 'credit-moved' as const, level: levelName(experiment, level), quantity, value }];
  });
}

interface Share {
  readonly measure: Measure;
  readonly section: Section;
  readonly of: Section;
}

/** The sections of a summary, each with the one that counts what it is a share of. */
const SHARES: readonly Share[] = [
  { measure: 'lost', section: 'triggers_dropped', of: 'triggers' },
  { measure: 'refused', section: 'sources_rejected', of: 'sources' },
  { measure: 'refused', section: 'sources_invalid', of: 'sources' },
  { measure: 'over-budget', section: 'sources_over_budget', of: 'sources' },
];

const FALLBACKS: readonly Share[] = [{ measure: 'fallback', section: 'mechanism_fallbacks', of: 'sources' }];

const lossNumbers = (runs: readonly RunResult[], shares: readonly Share[]): readonly Numbers[] =>
  shares.flatMap(({ measure, section, of }) => {
    const kinds = new Set(
      runs.flatMap(({ counts }) =>
        counts.filter((found) => found.section === section).map(({ kind }) => kind),
      ),
    );
    return [...kinds].map((what) => ({
      measure,
      what,
      value: meanWithError(
        runs.map((run) => (100 * countOf(run, section, what)) / Math.max(sumOf(run, of), 1)),
      ),
      count: sumOf(runs[0], of),
    }));
  });

const countOf = ({ counts }: RunResult, section: Section, kind: string): number =>
  counts.find((found) => found.section === section && found.kind === kind)?.count ?? 0;

const sumOf = (run: RunResult | undefined, section: Section): number =>
  (run?.counts ?? [])
    // A conversion that was split also counts each share.
    .filter((found) => found.section === section && !isOfShare(found.kind))
    .reduce((sum, { count }) => sum + count, 0);

const delayNumbers = ({ credit }: CellOutcome): readonly Numbers[] =>
  (credit[0]?.delays ?? []).flatMap(({ what, count }, index) =>
    count === 0
      ? []
      : [
          {
            measure: 'reported-by-delay' as const,
            what,
            value: meanWithError(credit.map(({ delays }) => (100 * (delays[index]?.reported ?? 0)) / count)),
            count,
          },
        ],
  );

const spentNumbers = ({ credit }: CellOutcome): readonly Numbers[] => {
  const count = credit[0]?.spent.units ?? 0;
  // Nobody has a budget, which is not the same as spending nothing of it.
  if (count === 0) return [];
  return [
    { measure: 'spent-mean', value: meanWithError(credit.map(({ spent }) => spent.mean)), count },
    { measure: 'spent-most', value: meanWithError(credit.map(({ spent }) => spent.most)), count },
  ];
};
