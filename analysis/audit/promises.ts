import type { MeasurementSettings } from '../../src/model/mechanisms';

/** What settings promise, computed without the engine's arithmetic: an audit that asked the engine would believe its mistakes. */
export interface Promises {
  /** ε of the conversions of one impression. */
  readonly label: number;
  /** ε of the conversions of so many impressions of one unit in a period. */
  readonly labels: (count: number) => number;
  /** ε of the conversions of one unit in a period, whatever impressions it had. */
  readonly whole: number;
  /** ε of one private attribution in the time of one click; null: attribution is not private. */
  readonly choice: number | null;
}

/** @param registered what each impression registers as its ε */
export function promisesOf({ budget, attribution }: MeasurementSettings, registered: number): Promises {
  const { epsilon, attributionEpsilon, cap } = budget;
  const forReports = epsilon === null ? Infinity : epsilon - attributionEpsilon;
  const label = Math.min(registered, forReports / (cap ?? 1));
  const most = cap === null ? Infinity : cap * label;
  const whole = Math.min(forReports, most);
  return {
    label,
    labels: (count) => (budget.unit === 'impression' ? count * label : Math.min(count * label, whole)),
    whole,
    choice:
      attribution.kind === 'exponential' || attribution.kind === 'permute-and-flip'
        ? lossOfChoice(attribution)
        : null,
  };
}

/** See docs/noise.md, "Mechanisms". */
const lossOfChoice = ({
  epsilon,
  score,
  tau,
}: {
  readonly epsilon: number;
  readonly score: string;
  readonly tau: number;
}): number => (epsilon / 2) * (score === 'exponential' ? Math.exp(-tau) : 1);
