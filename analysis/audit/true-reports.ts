import { probability, type Epsilon } from '../../src/model/units';
import { belief } from './belief';

/** What texts take as the share of ads after which something happens, as a reader knows it before any report. */
export const EXAMPLE_PRIOR = probability(0.02);

/**
 * The largest share of reports of something that are true, whatever the mechanism and its outputs, if it happens after `prior` of such ads: no
 * output is more than e^ε times as probable for one truth as for another. Randomized response reaches it where the report says all that
 * happened.
 */
export const mostTrue = (prior: number, { epsilon }: { readonly epsilon: Epsilon }): number =>
  belief(prior, epsilon, 1);

/** Values of sentences that say how many reports of something can be true at most, if it happens after so many of 100 ads. */
export function trueReports(epsilon: Epsilon): {
  readonly prior: number;
  readonly n: number;
  readonly whole: number;
  readonly sure: 'yes' | 'no';
} {
  const most = mostTrue(EXAMPLE_PRIOR, { epsilon });
  const whole = most > 0.99 ? 1000 : 100;
  return {
    prior: EXAMPLE_PRIOR * 100,
    n: Math.ceil(most * whole - ROUNDING),
    whole,
    sure: most > 0.999 ? 'yes' : 'no',
  };
}

/** So that a share of exactly 2 of 100 is not 3. */
const ROUNDING = 1e-9;
