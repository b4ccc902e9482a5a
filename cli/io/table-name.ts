import { InputError } from './input';

type TableFormat = 'csv' | 'tsv' | 'parquet';

/** Null: lines of JSON. */
export function tableFormatOf(file: string): TableFormat | null {
  const [, format] = /\.(csv|tsv|parquet)(?:\.gz|\.zst)?$/.exec(file) ?? [];
  return format === 'csv' || format === 'tsv' || format === 'parquet' ? format : null;
}

/** @throws InputError if the name is that of a table, but only lines of JSON can be written. */
export function refuseTable(file: string): void {
  const format = tableFormatOf(file);
  if (format !== null) throw new InputError(`${file}: must be a name for NDJSON, not for ${format}`);
}
