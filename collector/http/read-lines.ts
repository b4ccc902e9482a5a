import { linesOf, RowError } from '../../node/lines';
import { jsonOf } from '../../node/rows';
import { parse, strictly } from '../../formats/codec/issues';
import type { Codec, Parser } from '../../formats/codec/codec';
import { english } from '../../words/english';
import { Refusal } from './refusal';

/** Null for a row that is not kept. */
export type LineParser<Row> = Parser<Row | null> & Pick<Codec<Row>, 'schema'>;

/**
 * The rows of NDJSON that the codec accepts.
 * @throws Refusal that names the first invalid line.
 */
export async function readLines<Row>(text: string, parser: Parser<Row | null>): Promise<readonly Row[]> {
  const kept: Row[] = [];
  for await (const lines of linesOf([Buffer.from(text)]))
    for (const line of lines) {
      const { value, errors } = strictly(parse(jsonOrRefusal(line), parser));
      const [first] = errors;
      if (first !== undefined) {
        const { path, message } = english.worded(first);
        throw new Refusal('not-a-result', `line ${line.line}: ${path || 'the row'} ${message}`, path);
      }
      if (value !== null) kept.push(value);
    }
  return kept;
}

function jsonOrRefusal(line: Parameters<typeof jsonOf>[0]): ReturnType<typeof jsonOf> {
  try {
    return jsonOf(line);
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    throw new Refusal('not-a-result', `line ${error.line}: ${error.message}`);
  }
}
