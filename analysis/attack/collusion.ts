import { epsilon as epsilonOf } from '../../src/model/units';
import { randomizedResponse } from '../../src/privacy/randomized-response';
import type { RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { belief } from '../audit/belief';
import { boughtOrNot, type Attack } from './attack';

const SITES = 9;
/** ε of the joint budget: what everybody together may learn. */
const JOINT = 2;

/** Sites for which the joint budget has room, by their ε. */
export const sitesWithin = (joint: number, epsilon: number | null): number =>
  epsilon === null ? 0 : Math.min(SITES, Math.floor(joint / epsilon + 1e-9));

/** How many votes each attacker has. */
const votesOf = (epsilon: number | null): readonly number[] => [1, SITES, sitesWithin(JOINT, epsilon)];

/** Each site of several gets one report about the same conversion, with ε. They compare their reports, and the majority decides. */
export const collusion: Attack = {
  what: `${SITES} sites, each with a report of its own about the same person, vote on whether the person bought; with and without a joint budget of ε = ${JOINT}`,
  attackers: ['one_site', 'all_sites', 'joint_budget'],
  exact: (epsilon) => votesOf(epsilon).map((sites) => majority(sites, truthful(epsilon))),
  bounds: (epsilon) =>
    epsilon === null
      ? [1, 1, belief(1 / 2, JOINT, 1)]
      : [belief(1 / 2, epsilon, 1), belief(1 / 2, epsilon, SITES), belief(1 / 2, JOINT, 1)],
  trial(epsilon, random) {
    const truth = Number(uniformBelow(random, 2n));
    const answers = Array.from({ length: SITES }, () => answer(truth, epsilon, random));
    const votes = votesOf(epsilon);
    const shares = votes.map((sites) => shareOfYes(answers.slice(0, sites)));
    return {
      tables: [
        {
          title: 'reports',
          columns: ['site', 'report', 'joint_budget'],
          rows: answers.map((one, site) => [
            site + 1,
            boughtOrNot(one),
            site < (votes[2] ?? 0) ? boughtOrNot(one) : 'no_report',
          ]),
        },
        {
          title: 'guesses',
          columns: ['attacker', 'truth', 'guess'],
          rows: shares.map((share, index) => [
            collusion.attackers[index] ?? '',
            boughtOrNot(truth),
            share === 1 / 2 ? 'undecided' : boughtOrNot(Math.round(share)),
          ]),
        },
      ],
      right: shares.map((share) => (share === 1 / 2 ? 1 / 2 : Math.round(share) === truth ? 1 : 0)),
    };
  },
};

/** Half without a vote. */
const shareOfYes = (votes: readonly number[]): number =>
  votes.length === 0 ? 1 / 2 : votes.reduce((a, b) => a + b, 0) / votes.length;

/** The probability that a report with two states is true. */
export const truthful = (epsilon: number | null): number =>
  epsilon === null ? 1 : belief(1 / 2, epsilon, 1);

/** Whether somebody bought, by randomized response. */
export function answer(truth: number, epsilon: number | null, random: RandomSource): number {
  if (epsilon === null) return truth;
  const response = randomizedResponse(2n, epsilonOf(epsilon))(random);
  return response.kind === 'truthful' ? truth : Number(response.state);
}

/** The chance that most of some votes are true; of equal ones, half. */
export function majority(votes: number, truth: number): number {
  let [sum, ways] = [0, 1];
  for (let right = 0; right <= votes; right++) {
    const chance = ways * truth ** right * (1 - truth) ** (votes - right);
    sum += 2 * right > votes ? chance : 2 * right === votes ? chance / 2 : 0;
    ways = (ways * (votes - right)) / (right + 1);
  }
  return sum;
}
