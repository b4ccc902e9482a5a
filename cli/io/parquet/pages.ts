import type { ColumnMetaData, Compressors, Encoding, PageHeader, SchemaTree } from 'hyparquet';
import type * as column from 'hyparquet/src/column.js';
import type * as datapage from 'hyparquet/src/datapage.js';
import type * as schema from 'hyparquet/src/schema.js';
import { atMost, Cursor, ParquetError } from './bytes';
import { skipDeltas, skipLevels, skipRuns } from './runs';

/** In bytes, after decompression. */
const MOST_IN_PAGE = 2 ** 28;

export type Internals = typeof column & typeof datapage & typeof schema;

/** Checks the sizes and counts that hyparquet trusts in one column's pages. */
export class PageChecks {
  private readonly repeated: number;
  private readonly defined: number;

  constructor(
    private readonly column: ColumnMetaData,
    path: readonly SchemaTree[],
    private readonly codecs: Compressors,
    private readonly internals: Internals,
  ) {
    this.repeated = internals.getMaxRepetitionLevel([...path]);
    this.defined = internals.getMaxDefinitionLevel([...path]);
  }

  /**
   * @param body the bytes after the header
   * @param most how many values it may have
   * @returns how many it has
   */
  check(header: PageHeader, body: Uint8Array, most: number): number {
    const { dictionary_page_header: dictionary, data_page_header: page, data_page_header_v2: page2 } = header;
    const unpacked = atMost(MOST_IN_PAGE, header.uncompressed_page_size, 'bytes of a page');
    if (header.type === 'DICTIONARY_PAGE')
      atMost(8 * unpacked, dictionary?.num_values, 'values of a dictionary');
    if (header.type === 'DATA_PAGE' && page !== undefined) {
      const values = atMost(most, page.num_values, 'values of a page');
      const bytes = this.unpacked(body, unpacked);
      if (this.repeated > 0) skipSized(bytes, this.repeated, values);
      const present = this.defined > 0 ? skipSized(bytes, this.defined, values) : values;
      this.checkValues(bytes, page.encoding, present, 1);
      return values;
    }
    if (header.type === 'DATA_PAGE_V2' && page2 !== undefined) {
      const values = atMost(most, page2.num_values, 'values of a page');
      atMost(values, page2.num_rows, 'rows of a page');
      const present = values - atMost(values, page2.num_nulls, 'nulls of a page');
      const start = this.skipLevels2(body, page2, values);
      const isPacked = page2.is_compressed !== false;
      const levels = page2.definition_levels_byte_length + page2.repetition_levels_byte_length;
      const size = atMost(unpacked, unpacked - levels, 'bytes of values');
      const rest = body.subarray(start);
      this.checkValues(isPacked ? this.unpacked(rest, size) : cursorOf(rest), page2.encoding, present, 2);
      return values;
    }
    return 0;
  }

  private unpacked(bytes: Uint8Array, size: number): Cursor {
    return cursorOf(this.internals.decompressPage(bytes, size, this.column.codec, this.codecs));
  }

  /** @returns the beginning of the values */
  private skipLevels2(
    body: Uint8Array,
    page: NonNullable<PageHeader['data_page_header_v2']>,
    values: number,
  ): number {
    const repetition = atMost(body.length, page.repetition_levels_byte_length, 'bytes of levels');
    const definition = atMost(
      body.length - repetition,
      page.definition_levels_byte_length,
      'bytes of levels',
    );
    if (this.repeated > 0) skipLevels(cursorOf(body), this.repeated, values);
    if (this.defined === 0) return repetition;
    skipLevels(cursorOf(body.subarray(repetition)), this.defined, values);
    return repetition + definition;
  }

  private checkValues(bytes: Cursor, encoding: Encoding, values: number, version: 1 | 2): void {
    const isBits = version === 1 ? this.column.type === 'BOOLEAN' : encoding === 'RLE';
    switch (encoding) {
      case 'PLAIN':
      case 'BYTE_STREAM_SPLIT':
        atMost(8 * bytes.left, values, 'values of a page');
        return;
      case 'RLE':
      case 'PLAIN_DICTIONARY':
      case 'RLE_DICTIONARY': {
        if (isBits) bytes.skip(4);
        const width = isBits ? 1 : atMost(32, bytes.byte(), 'bits of an index');
        // In the first version of pages, indexes of no bits have no runs.
        if (width > 0 || version === 2) skipRuns(bytes, width, values, null);
        return;
      }
      case 'DELTA_BYTE_ARRAY':
        skipDeltas(bytes, values);
        skipDeltas(bytes, values);
        return;
      case 'DELTA_BINARY_PACKED':
      case 'DELTA_LENGTH_BYTE_ARRAY':
        skipDeltas(bytes, values);
        return;
      case 'BIT_PACKED':
      case 'GROUP_VAR_INT':
      default:
        throw new ParquetError(`values in the encoding ${encoding}`);
    }
  }
}

const cursorOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Cursor =>
  new Cursor(new DataView(buffer, byteOffset, byteLength));

/** Levels after their length. Their end does not depend on their runs. */
function skipSized(bytes: Cursor, deepest: number, values: number): number {
  const length = bytes.little(4);
  const start = bytes.at;
  const found = skipLevels(bytes, deepest, values);
  bytes.at = start;
  bytes.skip(length);
  return found;
}
