import type { GivenGroup } from '../../analysis/reach/impressions';
import { InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { eachRow } from '../io/rows';

/** The columns that identify the group of a row. */
export interface GroupColumns {
  readonly group: readonly string[];
  /** Null if the number of publishers does not matter. */
  readonly publisher: string | null;
}

const namesOf = ({ group, publisher }: GroupColumns): readonly string[] =>
  publisher === null ? group : [...group, publisher];

export const columnsText = (columns: GroupColumns): string =>
  namesOf(columns)
    .map((name) => `the column "${name}"`)
    .join(' and ');

export const groupText = (columns: GroupColumns, cells: (column: string) => string): string =>
  namesOf(columns)
    .map((name) => `${name} "${cells(name)}"`)
    .join(', ');

/**
 * Reads the groups to count, one per row.
 * @param unnamed the publishers of each group if no column names them
 * @throws InputError
 */
export async function readGroups(
  file: string,
  columns: GroupColumns,
  unnamed: GivenGroup['publishers'],
): Promise<readonly GivenGroup[]> {
  const { group, publisher } = columns;
  const groups: GivenGroup[] = [];
  for await (const { cells } of eachRow(new InputFiles([file]), { wanted: namesOf(columns) }))
    groups.push({ group: group.map(cells), publishers: publisher === null ? unnamed : [cells(publisher)] });
  if (groups.length === 0)
    throw new InputError(`${file}: has no rows; expected a group in each, with ${columnsText(columns)}`);
  return groups;
}
