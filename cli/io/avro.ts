import { closeSync, fstatSync, readSync } from 'node:fs';
import { inflateRaw } from 'node:zlib';
import type { Schema, Type } from 'avsc';
import { openToRead } from '../../node/files';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type { ByteSource } from './byte-source';
import { cellText, type FileRow } from './file-row';
import { InputError } from './input';

/** In bytes. A block of the format has some 64 kB, and a few bytes can be made to unpack without end. */
const LARGEST_BLOCK = 1 << 26;
/** How many rows are handed on together. */
const ROWS = 1000;

/**
 * The rows of an Avro file, one record each. Bytes become hexadecimal, as buckets are written elsewhere.
 * @throws InputError
 */
export async function* avroRows(source: ByteSource): AsyncGenerator<readonly FileRow[], void, undefined> {
  // It is CommonJS, of which Node finds no names.
  const { createFileDecoder, Type: types } = (await import('avsc')).default;
  const records = createFileDecoder(source.file, {
    codecs: {
      null: (block, done) => done(null, block),
      deflate: (block, done) =>
        inflateRaw(block, { maxOutputLength: LARGEST_BLOCK }, (error, bytes) => done(error, bytes)),
    },
    parseHook: (schema: Schema): Type => types.forSchema(flat(schema as Json) as Schema),
  });
  const markers: Uint8Array[] = [];
  records.on('metadata', (_type, _codec, { sync }: { readonly sync: Uint8Array }) => {
    markers.push(sync);
  });
  let rows: FileRow[] = [];
  let number = 0;
  try {
    for await (const record of records as AsyncIterable<object>) {
      number += 1;
      rows.push(rowOf(source.file, number, record));
      if (rows.length < ROWS) continue;
      yield rows;
      rows = [];
    }
    // The library says nothing of a block that is cut off. Each ends with the marker of the header.
    const end = ending(source.file, MARKER);
    if (!markers.some((marker) => end.equals(marker))) throw new Error('it is cut off');
  } catch (error) {
    throw new InputError(
      `${source.file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  source.read = source.size ?? 0;
  yield rows;
}

const MARKER = 16;

function ending(file: string, length: number): Buffer {
  const descriptor = openToRead(file);
  try {
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, Math.max(0, fstatSync(descriptor).size - length));
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

const PLAIN = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'];

/** Only such a record takes a byte at least: lists of nothing would go on without end. */
function flat(schema: Json): Json {
  const fields = isJsonObject(schema) && schema['type'] === 'record' ? (schema['fields'] ?? null) : null;
  const types = Array.isArray(fields)
    ? fields.map((field: Json) => (isJsonObject(field) ? (field['type'] ?? null) : null))
    : [];
  const isPlain = (type: Json): boolean =>
    Array.isArray(type)
      ? type.length > 1 && type.every(isPlain)
      : PLAIN.some((plain) => plain === bare(type));
  if (types.some((type) => bare(type) !== 'null') && types.every(isPlain)) return schema;
  throw new Error('its schema must be a record of plain fields');
}

/** A plain type can have annotations, such as a logical type or Java's kind of string (Avro 1.12, "Primitive Types"). */
const bare = (type: Json): Json => (isJsonObject(type) ? (type['type'] ?? null) : type);

function rowOf(file: string, number: number, record: object): FileRow {
  const value: JsonObject = Object.fromEntries(
    Object.entries(record).flatMap(([name, cell]: [string, unknown]): [string, Json][] => {
      const json = asJson(unwrapped(cell));
      return json === null ? [] : [[name, json]];
    }),
  );
  return {
    file,
    place: `${file}: row ${number}`,
    cells: (column) => cellText(value[column]),
    value,
    text: () => JSON.stringify(value),
  };
}

/** The library puts a value that could be of two types of a union into an object that names the type. */
const unwrapped = (cell: unknown): unknown =>
  typeof cell === 'object' && cell !== null && !(cell instanceof Uint8Array) ? Object.values(cell)[0] : cell;

function asJson(value: unknown): Json {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
