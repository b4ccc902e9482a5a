import { NO_CONVERSION, type CreditCounts } from '../../analysis/credits/credit-counts';
import { noisyHistogram, type HistogramMechanism } from '../../analysis/histograms/mechanisms';
import { InputError, refuseOption } from '../io/input';
import { randomFor } from '../io/random';
import { writeTable } from '../io/table-file';

/** How a histogram of the people in a log gets its noise. */
export interface HistogramPlan {
  readonly file: string;
  readonly mechanisms: readonly HistogramMechanism[];
  readonly epsilon: string;
  readonly delta: string;
}

interface HistogramOptions {
  readonly histogram?: string;
  readonly mechanism?: readonly HistogramMechanism[];
  readonly epsilon?: string;
  readonly delta?: string;
}

/** Enough people for every mechanism. */
const EXAMPLE = [100, 0];

/** Null: no histogram is wanted. @throws InputError */
export function histogramPlanOf(options: HistogramOptions): HistogramPlan | null {
  const { histogram: file, mechanism: mechanisms, epsilon, delta = '1e-6' } = options;
  if (file === undefined) {
    for (const name of ['mechanism', 'epsilon', 'delta'] as const)
      if (options[name] !== undefined)
        throw new InputError(
          `simulate: --${name}: must come with --histogram${name === 'epsilon' ? ' (--source-epsilon is that of sources)' : ''}`,
        );
    return null;
  }
  if (mechanisms === undefined || epsilon === undefined)
    throw new InputError('simulate: --histogram: must come with --mechanism and --epsilon');
  try {
    // The simulation can take hours; a mistake should not wait for its end.
    for (const by of mechanisms) noisyHistogram(by, { counts: EXAMPLE, epsilon, delta });
  } catch (error) {
    return refuseOption('simulate', error);
  }
  return { file, mechanisms, epsilon, delta };
}

/** Writes how many people first converted after which channel, with the noise of each mechanism. */
export async function writeHistogram(
  { file, mechanisms, epsilon, delta }: HistogramPlan,
  { journeys, people }: CreditCounts,
  seed: string | null,
): Promise<void> {
  const channels = new Set([...journeys.keys()].flatMap((names) => JSON.parse(names) as readonly string[]));
  const buckets = [...[...channels].sort(), NO_CONVERSION];
  const counts = buckets.map((bucket) => people.get(bucket) ?? 0);
  // An empty list: no user has this randomness.
  const random = randomFor(seed === null ? undefined : JSON.stringify([seed]))(1);
  try {
    const rows = mechanisms.flatMap((by) => {
      const { draw, estimate, squaredError } = noisyHistogram(by, { counts, epsilon, delta });
      return draw(random).map((drawn, bucket) => ({
        mechanism: by,
        channel: buckets[bucket] ?? '',
        people: counts[bucket] ?? 0,
        estimate: estimate(drawn),
        standard_error: Math.sqrt(squaredError),
      }));
    });
    await writeTable(file, () => rows);
  } catch (error) {
    refuseOption('simulate', error);
  }
}
