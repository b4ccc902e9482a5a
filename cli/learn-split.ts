import path from 'node:path';
import type { DataMap, UnitName } from '../analysis/learn/data-map';
import type { Split } from '../analysis/learn/examples';
import type { Experiment } from '../analysis/learn/experiment';
import { preparedSplit, refuseOneSided } from '../analysis/learn/prepare';
import { demoSplit } from '../analysis/learn/run-cell';
import type { PrivacyUnit } from '../src/model/mechanisms';
import { readExamples } from './examples-file';
import { InputError } from './input';

interface ExperimentData {
  readonly split: Split;
  /** Tells files with examples apart; null for the made-up log, which the experiment determines. */
  readonly hash: string | null;
}

/**
 * The data of an experiment, in memory that threads share if they come from a file.
 * @param file of the experiment, from whose folder it names its data.
 * @throws InputError
 */
export function readSplit(experiment: Experiment, file: string): ExperimentData {
  const { data } = experiment;
  if (data === null) return { split: checked('learn', demoSplit(experiment)), hash: null };
  const ofData = path.resolve(path.dirname(file), data);
  const { examples, map, hash } = readExamples(ofData);
  refuseUnknownUnits(experiment, map, file);
  return { split: checked(ofData, preparedSplit(examples, map)), hash };
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
