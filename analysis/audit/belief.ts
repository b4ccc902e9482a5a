/**
 * What an observer believes after randomized response showed an output once or more, each time with ε: the odds of the state that
 * was shown grow by e^ε each time, whatever the number of states, because each other state shows it with e^−ε of the probability.
 * @param prior the probability of that state before, from 0 to 1
 */
export function belief(prior: number, epsilon: number, times: number): number {
  if (prior === 0 || prior === 1) return prior;
  return 1 / (1 + ((1 - prior) / prior) * Math.exp(-epsilon * times));
}

/** As `belief`, of a state other than the one that was shown; everybody else has the shown one. */
export const beliefDespite = (prior: number, epsilon: number, times: number): number =>
  1 - belief(1 - prior, epsilon, times);
