/** How a file is packed, or its text encoded, if a reader here undoes it. */
export type Packing = 'gzip' | 'bzip2' | 'xz' | 'zstd' | 'zip' | 'utf-16le' | 'utf-16be';

/** What the first bytes show about a file that is not UTF-8 text. */
export interface Signature {
  /** Null: any. */
  readonly bytes: readonly (number | null)[];
  readonly what: string;
  /** Null: no reader undoes it. */
  readonly packing: Packing | null;
  /** What makes a file of it that every reader accepts. */
  readonly remedy: string;
}

const BZIP2 = [0x42, 0x5a, 0x68, null] as const;
/**
 * RFC 1952 (2.3.1), RFC 8878 (3.1.1), ZIP (4.3.7), the byte order marks of UTF-16 and UTF-32 or, without one, the zeros between Latin letters, Parquet's "PAR1", bzip2's "BZh", the xz format
 * (2.1.1.1), LZMA's older one with its usual properties, and Avro's "Obj" 1. Tables can begin with "PAR1" or "BZh", too: a structure of Parquet follows, which begins with a number as
 * its first field, and in bzip2 the level, which is left out here, and a block or the end.
 */
const SIGNATURES: readonly Signature[] = (
  [
    [[0x1f, 0x8b], 'is compressed with gzip', 'gzip', 'unpack it first'],
    [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed with Zstandard', 'zstd', 'unpack it first'],
    [[0x50, 0x4b, 3, 4], 'is a ZIP archive', 'zip', 'unpack it first (unzip)'],
    [[0xff, 0xfe, 0, 0], 'is UTF-32 text', null, 'save it as UTF-8'],
    [[0xff, 0xfe], 'is UTF-16 text', 'utf-16le', 'save it as UTF-8'],
    [[0xfe, 0xff], 'is UTF-16 text', 'utf-16be', 'save it as UTF-8'],
    [[null, 0, 0, 0, null, 0, 0, 0], 'is UTF-32 text', null, 'save it as UTF-8'],
    [[0, 0, null, null, 0, 0], 'is UTF-32 text', null, 'save it as UTF-8'],
    [[null, 0, null, 0, null, 0], 'is UTF-16 text', 'utf-16le', 'save it as UTF-8'],
    [[0, null, 0, null, 0, null], 'is UTF-16 text', 'utf-16be', 'save it as UTF-8'],
    [[0x50, 0x41, 0x52, 0x31, 0x15], 'is Parquet', null, 'give it as a file, not compressed'],
    [
      [...BZIP2, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
      'is compressed with bzip2',
      'bzip2',
      'unpack it first (bunzip2)',
    ],
    [
      [...BZIP2, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
      'is compressed with bzip2',
      'bzip2',
      'unpack it first (bunzip2)',
    ],
    [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'is compressed with xz', 'xz', 'unpack it first (unxz)'],
    [[0x5d, 0, 0], 'is compressed with LZMA', null, 'compress it with xz or gzip instead'],
    [[0x4f, 0x62, 0x6a, 1], 'is Avro', null, 'give it as a file, not compressed'],
  ] as const
).map(([bytes, what, packing, remedy]) => ({ bytes, what, packing, remedy }));

/** In bytes: enough to recognise a signature. */
export const SIGNATURE_LENGTH = 10;

/** The format that the beginning of a file shows, if it is not UTF-8 text; null if it shows none. */
export const signatureOf = (beginning: Uint8Array): Signature | null =>
  SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => byte === null || beginning[index] === byte)) ??
  null;

/** The formats whose files readers open by themselves. */
export function formatOf(beginning: Uint8Array): 'parquet' | 'avro' | null {
  const what = signatureOf(beginning)?.what;
  if (what === 'is Parquet') return 'parquet';
  return what === 'is Avro' ? 'avro' : null;
}

export interface DecoderOptions {
  /** Whether a byte order mark at the beginning is part of the text. */
  readonly keepsMark?: boolean;
  /** The text of bytes that are ASCII, and null for others. A decoder takes twice as long. */
  readonly ascii?: (bytes: Uint8Array) => string | null;
}

/** Decodes UTF-8 that arrives in pieces, and refuses anything else: with replacement characters, different names could become equal. */
export class Utf8Decoder {
  private decoder: TextDecoder;
  /** The bytes of a character that is still incomplete. */
  private begun: Uint8Array = new Uint8Array();
  private isBegun = false;

  private readonly ascii: NonNullable<DecoderOptions['ascii']>;

  constructor({ keepsMark = false, ascii = () => null }: DecoderOptions = {}) {
    this.ascii = ascii;
    this.decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark });
  }

  /**
   * @param bytes null: the end
   * @param refused makes the error
   * @param linesBefore how many ends of lines this piece has before what is not UTF-8
   */
  decode(bytes: Uint8Array | null, refused: (linesBefore: number) => Error): string {
    try {
      if (bytes === null) return this.decoder.decode();
      const plain = this.begun.length === 0 && bytes.length > 0 ? this.ascii(bytes) : null;
      if (plain !== null) {
        // The decoder has not seen the beginning, and would take a later mark for it.
        if (!this.isBegun) this.decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
        this.isBegun = true;
        return plain;
      }
      const text = this.decoder.decode(bytes, { stream: true });
      this.isBegun ||= bytes.length > 0;
      this.begun = begunIn(Uint8Array.of(...this.begun, ...bytes.subarray(-LONGEST_BEGUN)));
      return text;
    } catch {
      throw refused(linesBeforeInvalid(this.begun, bytes ?? new Uint8Array()));
    }
  }
}

/** In bytes: a character has four at most. */
const LONGEST_BEGUN = 3;

/** The bytes at the end of valid UTF-8 that begin a character which needs more of them (RFC 3629, 3). */
function begunIn(valid: Uint8Array): Uint8Array {
  const length = [0xc0, 0xe0, 0xf0].findIndex((least, index) => (valid.at(-1 - index) ?? 0) >= least) + 1;
  return length === 0 ? new Uint8Array() : valid.slice(-length);
}

/**
 * How many lines end before the first invalid byte.
 * @param begun bytes before it, which contain no end of a line
 */
function linesBeforeInvalid(begun: Uint8Array, bytes: Uint8Array): number {
  const isValid = (length: number): boolean => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      decoder.decode(begun, { stream: true });
      decoder.decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let [valid, invalid] = [0, bytes.length];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isValid(middle)) valid = middle;
    else invalid = middle;
  }
  return bytes.subarray(0, valid).filter((byte) => byte === NEW_LINE).length;
}

const NEW_LINE = 0x0a;
