import { responseRates } from '../../analysis/estimate/intervals/channel';
import { countOf } from '../../analysis/estimate/unbiased/measured';
import { estimateResponse, scaled, type Estimate } from '../../analysis/estimate/unbiased/response-estimate';
import { epsilon } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { randomizedResponse, randomizedTriggerRate } from '../../src/privacy/randomized-response';

/** Nothing, a purchase, or a sign-up: what a view with the defaults can report. */
export const STATES = 3n;
const PURCHASE = '1';

/** The probabilities of one toss. */
export interface TossOdds {
  /** Of drawing the output evenly from all states. */
  readonly replaced: number;
  /** Of reporting the true state, by choice or by chance. */
  readonly truth: number;
  /** Of reporting one given other state. */
  readonly other: number;
}

export function tossOdds(of: number): TossOdds {
  const replaced = randomizedTriggerRate(STATES, epsilon(of));
  const other = replaced / Number(STATES);
  return { replaced, truth: 1 - replaced + other, other };
}

/** After some tosses: the share that reports a purchase, and the unbiased estimate of those who made one. */
export interface TossPoint {
  readonly tosses: number;
  readonly observed: number;
  readonly estimate: number;
}

/** What the last toss says about the people who were tossed for. */
export function estimatedShare({ tosses, observed }: TossPoint, of: number): Estimate {
  const states = Array.from({ length: Number(STATES) }, (_, state) => String(state));
  const purchases = Math.round(observed * tosses);
  const found = estimateResponse(
    countOf({ kind: 'state', state: PURCHASE }, PURCHASE, states),
    responseRates(states.length, epsilon(of)),
    new Map([
      [PURCHASE, purchases],
      ['0', tosses - purchases],
    ]),
    { level: 0.95, randomness: 'noise' },
  );
  return scaled(found, 1 / tosses);
}

/**
 * Tosses for many people, with the extension's own draw.
 * @param share how many of them made a purchase, from 0 to 1; the others did nothing
 * @returns a point after every `step` tosses
 */
export function tossMany(
  random: RandomSource,
  of: number,
  share: number,
  { people, step }: { readonly people: number; readonly step: number },
): readonly TossPoint[] {
  const respond = randomizedResponse(STATES, epsilon(of));
  const { replaced, other } = tossOdds(of);
  const points: TossPoint[] = [];
  let shown = 0;
  for (let person = 1; person <= people; person++) {
    // Spreads the buyers evenly over all people.
    const bought = Math.floor(person * share) > Math.floor((person - 1) * share);
    const response = respond(random);
    if (response.kind === 'truthful' ? bought : response.state === 1n) shown += 1;
    if (person % step === 0) {
      const observed = shown / person;
      points.push({ tosses: person, observed, estimate: (observed - other) / (1 - replaced) });
    }
  }
  return points;
}
