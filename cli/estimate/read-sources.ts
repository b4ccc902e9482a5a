import type { LogJoin } from '../../analysis/estimate/result/log-join';
import type { Parsed } from '../../formats/codec/issues';
import { isJsonObject } from '../../src/model/json';
import { ParameterError } from '../../src/privacy/parameters';
import { english } from '../../words/english';
import type { FileRow } from '../io/file-row';
import { accept, InputError, namesText } from '../io/input';
import type { InputFiles } from '../io/input-files';
import { readRows } from '../io/rows';

/**
 * Adds the sources of a log to a join.
 * @throws InputError
 */
export async function readSources(input: InputFiles, join: LogJoin): Promise<void> {
  let first: FileRow | null = null;
  for await (const rows of readRows(input))
    for (const row of rows) {
      first ??= row;
      try {
        accepted(row, join.addSource(row.value));
      } catch (error) {
        if (error instanceof ParameterError)
          throw new InputError(`${row.place}: ${fieldOf(error)}: ${english.issueSentence(error.issue)}`);
        throw error;
      }
    }
  const missing = join.missing();
  if (missing !== undefined && first !== null)
    throw new InputError(
      `${first.place}: must have the field "${missing}", which no other row has either; this one has ${namesText(fieldsOf(first))}`,
    );
}

/** Accepts what was read of a row. Few rows need the text of their place. */
export function accepted(row: FileRow, parsed: Parsed<unknown>): void {
  if (parsed.value === null || parsed.warnings.length > 0) accept(row.place, parsed);
}

/** Every parameter but ε belongs to the mechanism. */
const fieldOf = ({ parameter }: ParameterError): string =>
  parameter === 'epsilon' ? 'epsilon' : 'mechanism';

const fieldsOf = ({ value }: FileRow): readonly string[] => (isJsonObject(value) ? Object.keys(value) : []);
