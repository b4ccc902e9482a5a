import type { MeasurementSettings } from '../../src/model/mechanisms';
import type { Observer } from './observer';

/** What settings promise, computed without the engine's arithmetic: an audit that asked the engine would believe its mistakes. */
export interface Promises {
  /** ε of the conversions of one impression. */
  readonly label: number;
  /** ε of the conversions of so many impressions of one unit in a period, in the reports to one reporting site. */
  readonly labels: (count: number) => number;
  /** ε of the conversions of so many impressions of any units in a period, in the reports to any reporting sites. */
  readonly labelsOfAny: (count: number) => number;
  /** The most ε of the conversions of a person in a period that the observer gets from all that they receive. */
  readonly joint: number;
  /** ε of the conversions of one unit in a period, whatever impressions it had. */
  readonly whole: number;
  /** ε of one private attribution in the time of one click; null: attribution is not private. */
  readonly choice: number | null;
}

/** @param registered what each impression registers as its ε */
export function promisesOf(
  { budget, attribution }: MeasurementSettings,
  registered: number,
  observer: Observer,
): Promises {
  const { epsilon, attributionEpsilon, cap } = budget;
  const everyone = budget.joint?.epsilon ?? Infinity;
  const quota = observer === 'everyone' ? Infinity : (budget.joint?.reportingSite ?? Infinity);
  const joint = Math.min(everyone, quota);
  const forReports = epsilon === null ? Infinity : epsilon - attributionEpsilon;
  const label = Math.min(registered, forReports / (cap ?? 1), joint);
  const most = cap === null ? Infinity : cap * label;
  const whole = Math.min(forReports, most, joint);
  const labelsOfAny = (count: number): number => Math.min(count * label, joint);
  return {
    label,
    labels: (count) => (budget.unit === 'impression' ? labelsOfAny(count) : Math.min(count * label, whole)),
    labelsOfAny,
    joint,
    whole,
    choice:
      attribution.kind === 'exponential' || attribution.kind === 'permute-and-flip'
        ? lossOfChoice(attribution)
        : null,
  };
}

/** See docs/mechanisms.md, "Attribution models". */
const lossOfChoice = ({
  epsilon,
  score,
  tau,
}: {
  readonly epsilon: number;
  readonly score: string;
  readonly tau: number;
}): number => (epsilon / 2) * (score === 'exponential' ? Math.exp(-tau) : 1);
