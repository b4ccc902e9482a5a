import { Option } from 'commander';
import { NO_CONVERSION } from '../../analysis/credits/credit-counts';
import {
  histogramMechanisms,
  noisyHistogram,
  type HistogramMechanism,
} from '../../analysis/histograms/mechanisms';
import type { DefineCommand } from '../io/define';
import { refuseOption } from '../io/input';
import { randomFor } from '../io/random';
import { writeTable } from '../io/table-file';
import { addChannelOptions, countChannels, type ChannelOptions } from './channels';

interface HistogramOptions extends ChannelOptions {
  readonly mechanism: readonly HistogramMechanism[];
  readonly epsilon: string;
  readonly delta: string;
}

/** Enough people for every mechanism. */
const EXAMPLE = [100, 0];

/** `cointoss simulate histogram`: writes how many people first converted after which channel; see docs/histograms.md. */
export const define: DefineCommand = (command) => {
  addChannelOptions(command, 'the counts; .csv, .tsv and .parquet as named, otherwise NDJSON')
    .addOption(
      new Option('--mechanism <names...>', 'who adds which noise')
        .choices(histogramMechanisms)
        .makeOptionMandatory(),
    )
    .requiredOption(
      '--epsilon <epsilon>',
      'the ε of each mechanism, greater than 0 and at most 100 (--source-epsilon is that of sources)',
    )
    .option('--delta <delta>', 'for shuffled-rr and discrete-gaussian', '1e-6')
    .action(histogram);
};

/** @throws InputError */
async function histogram(options: HistogramOptions): Promise<void> {
  const { output: file, mechanism: mechanisms, epsilon, delta } = options;
  try {
    // The simulation can take hours; a mistake should not wait for its end.
    for (const by of mechanisms) noisyHistogram(by, { counts: EXAMPLE, epsilon, delta });
  } catch (error) {
    return refuseOption('simulate', error);
  }
  const { plan, counts: found } = await countChannels(options);
  const { journeys, people } = found;
  const { seed } = plan.setup;
  const channels = new Set([...journeys.keys()].flatMap((names) => JSON.parse(names) as readonly string[]));
  const buckets = [...[...channels].sort(), NO_CONVERSION];
  const counts = buckets.map((bucket) => people.get(bucket) ?? 0);
  // A list without a name: no user has this randomness.
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
