import { english } from '../../words/english';
import { LAST_SECOND, PastConversions } from '../../analysis/optimize/past-conversions';
import { ParameterError } from '../../src/privacy/parameters';
import { Rational } from '../../src/privacy/rational';
import { MAX_UINT32 } from '../../src/model/registration';
import { InputError } from './input';
import type { InputFiles } from './input-files';
import { readingProgress, showProgress } from './progress';
import { eachRow } from './rows';
import { integerParameter } from '../../analysis/noise/parameters';

export interface PastColumns {
  /** The column with the sum of a source's conversions. */
  readonly value: string;
  /** The column with the seconds from source to conversion. */
  readonly delay: string | null;
}

/**
 * Reads past sources, one per row.
 * @throws InputError with the line.
 */
export async function readPastConversions(
  input: InputFiles,
  { value, delay }: PastColumns,
): Promise<PastConversions> {
  const past = new PastConversions();
  const wanted = delay === null ? [value] : [value, delay];
  const read = readingProgress([input]);
  const stopShowing = showProgress(() => `past sources${read()}`);
  try {
    // In a file with one column, an empty line is a source without a conversion, so no line is skipped.
    for await (const { place, cells } of eachRow(input, {
      wanted,
      csvFromStandardInput: true,
      emptyLines: true,
    })) {
      const at = (column: string): string => `${place}: column "${column}"`;
      const text = cells(value).trim();
      const sum = text === '' ? 0 : wholeValue(at(value), text);
      past.add(sum, delay === null || sum === 0 ? null : delayOf(cells(delay), at(delay)));
    }
  } finally {
    stopShowing();
  }
  if (![...past.values.keys()].some((sum) => sum > 0))
    throw new InputError(
      `${input.names.join(', ')}: column "${value}" must have a value above 0, less than ${LAST_SECOND} s after its source, has none`,
    );
  return past;
}

function wholeValue(place: string, text: string): number {
  try {
    return Number(integerParameter(place, text, 0n, BigInt(MAX_UINT32)));
  } catch (error) {
    if (error instanceof ParameterError) throw new InputError(english.issueSentence(error.issue));
    throw error;
  }
}

function delayOf(text: string, place: string): number {
  const seconds = Rational.parse(text);
  if (seconds === null || seconds.sign < 0n)
    throw new InputError(`${place} must be a number of seconds of at least 0, was "${text}"`);
  return seconds.toNumber();
}
