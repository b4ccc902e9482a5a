import { createHash } from 'node:crypto';
import path from 'node:path';
import type { DataMap, UnitName } from '../../analysis/learn/data-map';
import {
  splitByTime,
  withLabels,
  type Examples,
  type ShareOfParts,
  type Split,
} from '../../analysis/learn/examples';
import type { Experiment } from '../../analysis/learn/experiment';
import { preparedSplit, refuseOneSided } from '../../analysis/learn/prepare';
import type { ReportedLabels } from '../../analysis/learn/reported-labels';
import { DEMO_SHARES, demoSplit, type LearnSetup } from '../../analysis/learn/run-cell';
import type { PrivacyUnit } from '../../src/model/mechanisms';
import { readExamples } from './examples-file';
import { InputError } from '../io/input';
import { readLabels, refuseRandomSplit } from './labels-file';

interface ExperimentData extends Pick<LearnSetup, 'split' | 'reported'> {
  readonly shares: ShareOfParts;
  /** Identifies the contents of files; null for the made-up log, which the experiment determines. */
  readonly hash: string | null;
}

/**
 * The data of an experiment, in memory that threads share if they come from a file.
 * @param file of the experiment, from whose folder it names its data.
 * @throws InputError
 */
export async function readData(experiment: Experiment, file: string): Promise<ExperimentData> {
  const { data } = experiment;
  if (data === null)
    return {
      split: checked('learn', demoSplit(experiment)),
      shares: DEMO_SHARES,
      reported: new Map(),
      hash: null,
    };
  const ofData = path.resolve(path.dirname(file), data);
  const { examples, map, hash } = readExamples(ofData);
  refuseUnknownUnits(experiment, map, file);
  const all = createHash('sha256').update(hash);
  const reported = new Map<string, ReportedLabels>();
  if (experiment.reports.size > 0) refuseRandomSplit(map, ofData);
  for (const [name, ofLabels] of experiment.reports) {
    const found = await readLabels(path.resolve(path.dirname(file), ofLabels), examples.count);
    all.update(JSON.stringify([name, found.epsilon]));
    for (const values of [found.labels, found.debiased]) all.update(new Uint8Array(values.buffer));
    reported.set(name, inOrderOfTime(found, examples, map));
  }
  return {
    split: checked(ofData, preparedSplit(examples, map)),
    shares: map.split,
    reported,
    hash: all.digest('hex'),
  };
}

/** The labels of the training part. */
function inOrderOfTime(reported: ReportedLabels, examples: Examples, { split }: DataMap): ReportedLabels {
  const bare = {
    ...examples,
    fields: { ...examples.fields, categories: [], numbers: [] },
    // Only labels from reports that were known by then.
    delays: new Float64Array(examples.count),
  };
  const ordered = (labels: Float32Array): Float32Array =>
    splitByTime(withLabels(bare, labels), split).training.labels;
  return { ...reported, labels: ordered(reported.labels), debiased: ordered(reported.debiased) };
}

function checked(place: string, split: Split): Split {
  try {
    refuseOneSided(split);
    return split;
  } catch (error) {
    if (error instanceof RangeError) throw new InputError(`${place}: ${error.message}`);
    throw error;
  }
}

const columnsOfUnit: Readonly<Record<PrivacyUnit, readonly UnitName[]>> = {
  impression: [],
  user: ['user'],
  'user-publisher': ['user', 'publisher'],
  'user-advertiser': ['user', 'advertiser'],
};

function refuseUnknownUnits({ figures }: Experiment, map: DataMap, file: string): void {
  for (const [figure, { units }] of figures.entries())
    for (const [index, unit] of units.entries()) {
      const missing = columnsOfUnit[unit].find((name) => map.units[name] === null);
      if (missing !== undefined)
        throw new InputError(
          `${file}: figures[${figure}].units[${index}]: must be a unit of the data, which have no column for the ${missing}`,
        );
    }
}
