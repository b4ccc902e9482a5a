import { epsilon as epsilonOf } from '../../src/model/units';
import { positive } from '../../src/privacy/parameters';
import { InputError, refuseOption } from '../io/input';
import { InputFiles } from '../io/input-files';
import { readPastConversions } from '../io/past-conversions';
import { randomFor } from '../io/random';
import type { EngineOptions } from './engine-options';
import type { Plan } from './options';

/**
 * The plan with a prior from a private histogram of past sources, if the options ask for one.
 * @throws InputError
 */
export async function withPriorOf(options: EngineOptions, plan: Plan): Promise<Plan> {
  const { priorFile, priorColumn, priorEpsilon, priorSplit: split } = options;
  if (priorFile === undefined && priorColumn === undefined && priorEpsilon === undefined) return plan;
  if (priorFile === undefined || priorColumn === undefined || priorEpsilon === undefined)
    throw new InputError('simulate: --prior-file, --prior-column and --prior-epsilon must come together');
  const { settings, seed } = plan.setup;
  const { besidePrior, withPrivatePrior } = await import('../../analysis/optimize/private-prior');
  try {
    const epsilon = epsilonOf(positive('prior-epsilon', priorEpsilon).toNumber());
    const beside = besidePrior(settings, { epsilon, split });
    if (typeof beside === 'string')
      throw new InputError(`${options.settings ?? 'simulate: --settings'}: ${beside}`);
    const past = await readPastConversions(new InputFiles([priorFile]), { value: priorColumn, delay: null });
    // Unlike a user's randomness, which comes from the seed and a name.
    const random = randomFor(seed === null ? undefined : JSON.stringify([seed]))(0);
    const labelNoise = withPrivatePrior(settings.labelNoise, past.values, epsilon, random);
    const cost = split === 'budget' ? { priorEpsilon: epsilon } : {};
    return { ...plan, setup: { ...plan.setup, ...cost, settings: { ...beside, labelNoise } } };
  } catch (error) {
    return refuseOption('simulate', error);
  }
}
