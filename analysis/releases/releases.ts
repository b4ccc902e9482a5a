import type { RandomSource } from '../../src/privacy/random-source';
import { TOLERANCE, type Finding } from '../audit/audit';
import { distributionOf } from '../audit/outcomes';
import { privacyLoss } from '../audit/privacy-loss';
import { answers } from './answers';
import { designs } from './designs';
import { learning } from './learning';
import type { Release } from './release';
import { sampledLoss } from '../audit/sampled-loss';

/** What is published of reports and labels; docs/audit.md lists them. */
export const releases: readonly Release[] = [...answers, ...learning, ...designs];

export type ReleaseFinding = Pick<Finding, 'promise' | 'loss' | 'method' | 'holds'>;

const MOST_OUTCOMES = 1000;

/**
 * Compares what comes out for two neighbouring inputs.
 * @param random for what has too many outputs to go through
 */
export async function auditRelease(
  { promise, method, inputs }: Release,
  random: RandomSource,
): Promise<ReleaseFinding> {
  const [one, other] = (await inputs()).map(
    (draw) =>
      (source: RandomSource): Promise<string> =>
        Promise.resolve(draw(source)),
  );
  if (one === undefined || other === undefined) throw new RangeError('a release has two inputs');
  const loss =
    method === 'exact'
      ? privacyLoss(await distributionOf(one, MOST_OUTCOMES), await distributionOf(other, MOST_OUTCOMES))
      : await sampledLoss([one, other], random);
  return { promise, loss, method, holds: loss.epsilon <= promise + TOLERANCE };
}
