import { fittedWhole, withReplicates, type Fitted } from './estimated-risk';
import { Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';

/** A family of models, fitted to all sources. */
export interface Family {
  readonly support: Support;
  readonly fitted: Omit<Fitted, 'replicates'>;
  /** The probability that it is the one nearest to the truth; all sum to one. */
  readonly weight: number;
  /** Takes long the first time. */
  readonly replicates: () => Fitted;
}

/** A family with less weight than this part of what an interval may miss changes neither it nor an estimate by much. */
const LEAST_PART = 0.1;

/**
 * The families of models that may be nearest to the truth, the most probable one first. Each has the weight of Akaike's criterion (Buckland, Burnham &
 * Augustin 1997): the likelihood of its best model, less what its number of parameters gains by chance.
 * @param level of the intervals. The greater it is, the less probable families count.
 */
export function familiesOf(
  response: ResponseModel,
  tally: ReadonlyMap<string, number>,
  level: number,
): readonly [Family, ...Family[]] {
  const first = fittedFamily(response, tally, (output) => response.composition(output));
  const second = response.sharing === undefined ? null : fittedFamily(response, tally, response.sharing);
  // Without noise, some outputs cannot come from a model at all.
  const difference = second === null ? -Infinity : second.criterion - first.criterion;
  const share = difference > -Infinity ? 1 / (1 + Math.exp(-difference)) : 0;
  const least = LEAST_PART * (1 - level);
  if (second === null || share < least) return [{ ...first, weight: 1 }];
  if (share > 1 - least) return [{ ...second, weight: 1 }];
  const [low, high] = [
    { ...first, weight: 1 - share },
    { ...second, weight: share },
  ] as const;
  return share > 0.5 ? [high, low] : [low, high];
}

function fittedFamily(
  response: ResponseModel,
  tally: ReadonlyMap<string, number>,
  compositionOf: ConstructorParameters<typeof Support>[0],
): Omit<Family, 'weight'> & { readonly criterion: number } {
  const support = new Support(compositionOf);
  placeFirst(support, response);
  const fitted = fittedWhole(support, response, support.countsOf(tally));
  let found: Fitted | null = null;
  return {
    support,
    fitted,
    criterion: fitted.whole.logLikelihood - support.parameters,
    replicates: () => (found ??= withReplicates(support, response, fitted)),
  };
}

/**
 * With so many outputs, all are observed ones. Beyond that, the first is added: a source without a report, which may be rare under heavy
 * noise.
 */
const FEW = 64n;

/** Under a posterior, truths that no source reported have a probability, too. */
function placeFirst(support: Support, response: ResponseModel): void {
  const known = response.outputs > FEW ? 1n : response.outputs;
  for (let number = 0n; number < known; number++) support.place(response.outputAt(number));
}
