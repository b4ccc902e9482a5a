import type { AsyncBuffer, ColumnMetaData, Compressors, FileMetaData, RowGroup, SchemaTree } from 'hyparquet';
import { atMost, Cursor, ParquetError, skipStruct } from './bytes';
import { PageChecks, type Internals } from './pages';

/*
 * hyparquet trusts the sizes and counts in a file: with wrong ones it reads without end, or allocates more memory than there is. So they
 * are checked first.
 */

/** More rows of a group would not fit in memory. */
const MOST_ROWS = 2 ** 24;
/** hyparquet compares every column that is read with each column of the file. */
const MOST_COMPARISONS = 2 ** 24;
/** Limits for the values of a column that repeats within rows, and of all columns of a group. */
const MOST_VALUES = 2 ** 26;
/** In bytes, for all pages of a group: single pages are small, but a small file can have very many. */
const MOST_UNPACKED = 2 ** 30;

/** Refuses a footer whose lists do not end within it. */
export async function checkFooter(input: AsyncBuffer): Promise<void> {
  const end = input.byteLength - 8;
  if (end < 0) throw new ParquetError('too short');
  const length = new DataView(await input.slice(end)).getUint32(0, true);
  const start = end - atMost(end, length, 'bytes of the footer');
  skipStruct(new Cursor(new DataView(await input.slice(start, end))));
}

/** Checks the columns of one file before they are read. */
export class ColumnChecks {
  /** Columns that overlap would make the time more than linear. */
  private left: number;
  /** How many more bytes the group's pages may unpack to. */
  private room = MOST_UNPACKED;

  private constructor(
    private readonly input: AsyncBuffer,
    private readonly schema: SchemaTree,
    private readonly codecs: Compressors,
    private readonly internals: Internals,
  ) {
    this.left = input.byteLength;
  }

  static async of(input: AsyncBuffer, metadata: FileMetaData, codecs: Compressors): Promise<ColumnChecks> {
    const { parquetSchema } = await import('hyparquet');
    const column = await import('hyparquet/src/column.js');
    const datapage = await import('hyparquet/src/datapage.js');
    const schema = await import('hyparquet/src/schema.js');
    return new ColumnChecks(input, parquetSchema(metadata), codecs, { ...column, ...datapage, ...schema });
  }

  /** @throws Error if hyparquet would go through all columns too often. */
  checkWidth({ schema, row_groups }: FileMetaData, read: number): void {
    atMost(MOST_COMPARISONS, schema.length * read, 'columns of the file, times those that are read');
    // It does so for each row group. Those of other writers describe all columns, so they take many bytes for each.
    const { byteLength } = this.input;
    atMost(byteLength, schema.length * row_groups.length, 'columns of the file, times its row groups');
  }

  /** @throws Error if one of the wanted columns cannot be read with bounded work and memory. */
  async check({ num_rows, columns }: RowGroup, wanted: ReadonlySet<string>): Promise<void> {
    const rows = atMost(MOST_ROWS, num_rows, 'rows of a group');
    const described = columns.flatMap(({ meta_data }) => meta_data ?? []);
    const named = described.filter(({ path_in_schema: [name = ''] }) => wanted.has(name));
    // If no column is wanted, one is checked for the number of rows.
    const checked = named.length > 0 ? named : described.slice(0, 1);
    atMost(MOST_VALUES, rows * checked.length, 'values of a group');
    this.room = MOST_UNPACKED;
    if (checked.length === 0 && rows > 0) throw new ParquetError(`${rows} rows without columns`);
    for (const column of checked) await this.checkColumn(column, rows);
  }

  private async checkColumn(column: ColumnMetaData, rows: number): Promise<void> {
    const { getTreePath, isFlatColumn, parquetHeader } = this.internals;
    const path = getTreePath(this.schema, column.path_in_schema);
    const bytes = await this.bytesOf(column);
    const pages = new PageChecks(column, path, this.codecs, this.internals);
    const isFlat = isFlatColumn(path);
    const most = isFlat ? rows : MOST_VALUES;
    let values = 0;
    // As far as hyparquet reads.
    while (bytes.left > 1 && !(isFlat && values >= rows)) {
      const reader = { view: bytes.view, offset: bytes.at };
      skipStruct(bytes);
      const header = parquetHeader(reader);
      this.room -= atMost(this.room, header.uncompressed_page_size, 'unpacked bytes of a group');
      const size = atMost(bytes.left, header.compressed_page_size, 'bytes of a page');
      const body = new Uint8Array(bytes.view.buffer, bytes.at, size);
      bytes.skip(size);
      values += pages.check(header, body, most - values);
    }
    if (values < rows) throw new ParquetError(`a column of ${values} values for ${rows} rows`);
  }

  private async bytesOf(column: ColumnMetaData): Promise<Cursor> {
    const { byteLength } = this.input;
    const { dictionary_page_offset: dictionary, data_page_offset: data } = column;
    const start = atMost(
      byteLength,
      dictionary === undefined || Number(dictionary) === 0 ? data : dictionary,
      'the place of a column',
    );
    const length = atMost(
      Math.min(this.left, byteLength - start),
      column.total_compressed_size,
      'bytes of a column',
    );
    this.left -= length;
    return new Cursor(new DataView(await this.input.slice(start, start + length)));
  }
}
