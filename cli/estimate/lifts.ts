import type { Lift } from '../../analysis/estimate/lift/lift';
import {
  incomparable,
  liftByTriggerData,
  type Incomparable,
} from '../../analysis/estimate/lift/lift-by-trigger-data';
import {
  countArms,
  doubtOfShare,
  doubtValues,
  foundLifts,
  lacksOfArms,
  measuredLifts,
  type MeasuredLifts,
  type ShareDoubt,
} from '../../analysis/estimate/lift/measured-lifts';
import { resultJson, type EstimateResult } from '../../analysis/estimate/result/result-json';
import { fixed } from '../../analysis/report/mean-with-error';
import type { Json, JsonObject } from '../../src/model/json';
import { estimates as messages } from '../../words/english/estimates';
import { sayer } from '../../words/say';
import { InputError, openShareOption } from '../io/input';
import { aligned } from '../io/aligned';
import { say } from '../io/terminal';
import { inBrief, percent } from './cells';
import type { Posted } from './posted';

const sayOf = sayer('en', messages);

/** A lift test that reports measured. */
export interface FoundLifts extends MeasuredLifts {
  readonly holdout: number;
  /** If the sources contradict that share. */
  readonly doubt: ShareDoubt | null;
}

interface LiftCommandOptions {
  readonly holdout?: string;
  readonly arms?: string;
  readonly output?: string;
}

/** @throws InputError */
function byTriggerData(text: string, held: number, result: EstimateResult, output?: string): FoundLifts {
  const [, exposed, holdout] = /^(\d{1,10}),(\d{1,10})$/.exec(text) ?? [];
  if (exposed === undefined || exposed === holdout)
    throw new InputError(
      `estimate: --arms: must be the trigger data of the exposed arm and of the holdout arm, such as 0,1, was "${text}"`,
    );
  if (result.groupBy.length > 0 || output !== undefined)
    throw new InputError(
      'estimate: --arms: must come without --group-by and --output: all sources are compared',
    );
  const wanted = { exposed: Number(exposed), holdout: Number(holdout) };
  const json = resultJson(result);
  const refused = incomparable(json, wanted);
  if (refused !== null) throw new InputError(`estimate: --arms: ${reasonOf(refused, text)}`);
  const eventLevel = liftByTriggerData(json, wanted, held);
  return { eventLevel, summary: null, histogram: null, holdout: held, doubt: null };
}

function reasonOf(refused: Incomparable, text: string): string {
  const { configuration: name } = refused;
  if (refused.kind === 'other-data')
    return `must be all trigger data that sources report; those of configuration ${name} report ${refused.data.join(', ') || 'none'}, was "${text}"`;
  const { rate, range } = refused.lost;
  return `must come with one share of lost reports (--lost ${fixed(rate, 3)}); that of configuration ${name} is uncertain, from ${fixed(range[0], 3)} to ${fixed(range[1], 3)}`;
}

/**
 * Compares the arms, if `--holdout` says that there are some.
 * @throws InputError
 */
export function liftsOf(
  { holdout, arms, output }: LiftCommandOptions,
  result: EstimateResult,
  posted: Posted | null,
): FoundLifts | null {
  if (holdout === undefined && arms !== undefined)
    throw new InputError(
      'estimate: --arms: must come with --holdout, the share of the people who were held out',
    );
  if (holdout === undefined) return null;
  const held = openShareOption('estimate', 'holdout', holdout);
  if (arms !== undefined) return byTriggerData(arms, held, result, output);
  if (result.groupBy.length === 0 || output !== undefined)
    throw new InputError(
      'estimate: --holdout: must come with the column of the arms (--group-by arm) or with their trigger data (--arms 0,1), and without --output',
    );
  const none = { slices: new Map(), histogram: new Map() };
  const json = resultJson(result);
  const found = measuredLifts(json, posted ?? none, held);
  if (foundLifts(found).length === 0 && !countArms(json))
    throw new InputError(
      `estimate: --holdout: must have groups "exposed" and "holdout" by ${result.groupBy[0] ?? ''}, whose conversions are all counted; ${lackOfArms(result)}`,
    );
  const doubt = doubtOfShare(json, held);
  if (doubt !== null) say(`--holdout: ${sayOf('lift-doubt', doubtValues(doubt, held))}`);
  return { ...found, holdout: held, doubt };
}

/** Why event-level reports do not count the conversions of both arms. */
function lackOfArms({ configurations }: EstimateResult): string {
  const { missing, uncounted } = lacksOfArms(configurations);
  return missing.length > 0
    ? `there is no "${missing.join('" and no "')}"`
    : `those of configuration ${uncounted.join(', ')} are not`;
}

export const liftsJson = ({ holdout, doubt, eventLevel, summary, histogram }: FoundLifts): JsonObject => ({
  holdout,
  doubt: doubt === null ? null : { ...doubt },
  event_level: liftJson(eventLevel),
  summary: liftJson(summary),
  histogram: liftJson(histogram),
});

const liftJson = (found: Lift | null): Json =>
  found === null
    ? null
    : {
        caused: { estimate: found.caused.estimate, interval: found.caused.interval.map(finite) },
        lift: { estimate: found.lift, interval: found.interval.map(finite) },
      };

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

const kinds = { event_level: 'event-level', summary: 'summary', histogram: 'W3C' } as const;

/** @param level of the intervals */
export function liftLines(found: FoundLifts, column: string, level: number): readonly string[] {
  const interval = `${inBrief(level * 100)} % interval`;
  const rows = foundLifts(found).map(([kind, lift]) => [kinds[kind], ...cellsOf(lift)]);
  const lines =
    rows.length === 0
      ? ['unknown: no interval of both arms holds']
      : aligned([['', 'conversions caused', interval, 'lift', interval], ...rows]);
  return [
    `Lift by ${column}, with ${inBrief(found.holdout * 100)} % of the people held out:`,
    ...lines.map((line) => `  ${line}`),
    '',
  ];
}

const cellsOf = ({ caused, lift, interval }: Lift): readonly string[] => [
  fixed(caused.estimate, 1),
  caused.interval.map((end) => fixed(end, 1)).join(' to '),
  lift === null ? '–' : percent(lift),
  interval.map((end) => (Number.isFinite(end) ? percent(end) : fixed(end, 1))).join(' to '),
];
