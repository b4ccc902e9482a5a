import type { RandomSource } from '../../../src/privacy/random-source';
import { TOLERANCE, type Finding } from '../../audit/audit';
import { distributionOf } from '../../audit/outcomes';
import { privacyLoss } from '../../audit/privacy-loss';
import { observe } from './device';
import { published } from './noised';
import { budgetsOf, limitsOf, type Relation } from './relation';
import type { World } from './world';

export type W3cFinding = Pick<Finding, 'promise' | 'loss' | 'method' | 'holds'>;

/** How many ways the random decisions may fall. */
const MOST_OUTCOMES = 20_000;

/** Compares what the observer gets in both worlds, over all outputs. */
export async function auditW3c(relation: Relation): Promise<W3cFinding> {
  const { worlds, observer, drawsEpochs = false, asked = null, isTogether = false, copies = 1 } = relation;
  const circumstances = { limits: limitsOf(relation), observer, drawsEpochs, asked, isTogether, copies };
  const before = (world: World): ReturnType<typeof distributionOf> =>
    distributionOf(
      async (random: RandomSource) => JSON.stringify(await observe(world, circumstances, random)),
      MOST_OUTCOMES,
    );
  const { worlds: outputs, textOf } = published([await before(worlds[0]), await before(worlds[1])]);
  const { epsilon, event } = privacyLoss(...outputs);
  const promise = relation.promise[1](budgetsOf(relation));
  const loss = { epsilon, event: event === null ? null : { ...event, output: textOf(event.output) } };
  return { promise, loss, method: 'exact', holds: epsilon <= promise + TOLERANCE };
}
