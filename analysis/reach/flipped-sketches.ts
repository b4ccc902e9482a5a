import { epsilon as epsilonOf } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { randomizedResponse } from '../../src/privacy/randomized-response';
import { responseEpsilon } from '../histograms/response-epsilon';
import { halfWidth } from '../estimate/intervals/half-width';
import type { Slice } from './impressions';
import type { ReachOptions } from './estimators';
import type { ReachEstimate } from './share-interval';
import { peopleByFilled, Sketch } from './sketch';

/**
 * Reach from sketches that need no trusted merger: each publisher flips whether a register is filled by randomized response, before anybody
 * sees its sketch. For each register, every publisher's answer makes an unbiased estimate of "empty"; their product is one of "empty at
 * all". Neighbours differ in one person at one publisher; whoever is seen by P publishers loses P·ε.
 */
export function flippedReach({
  cap,
  epsilon,
  level,
  registers,
  key,
}: ReachOptions): (slice: Slice, random: RandomSource) => ReachEstimate {
  const each = responseEpsilon(epsilon) / cap;
  const respond = randomizedResponse(2n, epsilonOf(each));
  const flipped = 1 / (1 + Math.exp(each));
  const [ifFilled, ifEmpty] = [-flipped / (1 - 2 * flipped), (1 - flipped) / (1 - 2 * flipped)];
  const peopleFor = peopleByFilled(registers);
  return ({ publishers }, random) => {
    const empty = new Float64Array(registers).fill(1);
    for (const people of publishers.values()) {
      const own = new Sketch(registers, key);
      for (const [person, impressions] of people) own.add(person, impressions);
      empty.forEach((product, index) => {
        const answer = respond(random);
        const isFilled = answer.kind === 'truthful' ? own.has(index) : answer.state === 1n;
        empty[index] = product * (isFilled ? ifFilled : ifEmpty);
      });
    }
    const [sum, squares] = [sumOf(empty), sumOf(empty.map((product) => product ** 2))];
    const filled = registers - sum;
    const { people, variance } = peopleFor(filled);
    // The square of an estimate of 0 or 1 exceeds the truth by its variance, on average.
    const width = halfWidth(level, { variance: variance + Math.max(0, squares - sum), scale: 1, terms: 0 });
    return {
      estimate: people,
      interval: [peopleFor(filled - width).people, peopleFor(filled + width).people],
    };
  };
}

const sumOf = (numbers: Float64Array): number => numbers.reduce((sum, number) => sum + number, 0);
