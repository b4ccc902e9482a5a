/** What the first bytes show about a file that is not UTF-8 text: its format, and the ending that this format has. */
export interface Signature {
  readonly bytes: readonly number[];
  readonly what: string;
  /** Null: no reader here accepts it. */
  readonly ending: string | null;
  /** What makes a file of it that is read. */
  readonly remedy: string;
}

/** RFC 1952 (2.3.1), RFC 8878 (3.1.1), Parquet's "PAR1", bzip2's "BZh", the xz format (2.1.1.1), ZIP (4.3.7), Avro's "Obj" 1, and the byte order marks of UTF-16. */
const SIGNATURES: readonly Signature[] = [
  { bytes: [0x1f, 0x8b], what: 'is compressed with gzip', ending: '.gz', remedy: 'unpack it first' },
  {
    bytes: [0x28, 0xb5, 0x2f, 0xfd],
    what: 'is compressed with Zstandard',
    ending: '.zst',
    remedy: 'unpack it first',
  },
  { bytes: [0x50, 0x41, 0x52, 0x31], what: 'is Parquet', ending: '.parquet', remedy: 'unpack it first' },
  {
    bytes: [0x42, 0x5a, 0x68],
    what: 'is compressed with bzip2',
    ending: null,
    remedy: 'unpack it first (bunzip2)',
  },
  {
    bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a],
    what: 'is compressed with xz',
    ending: null,
    remedy: 'unpack it first (unxz)',
  },
  { bytes: [0x50, 0x4b, 3, 4], what: 'is a ZIP archive', ending: null, remedy: 'unpack it first (unzip)' },
  { bytes: [0x4f, 0x62, 0x6a, 1], what: 'is Avro', ending: null, remedy: 'save it as NDJSON or Parquet' },
  { bytes: [0xff, 0xfe], what: 'is UTF-16 text', ending: null, remedy: 'save it as UTF-8' },
  { bytes: [0xfe, 0xff], what: 'is UTF-16 text', ending: null, remedy: 'save it as UTF-8' },
];

/** In bytes: enough to recognise a signature. */
export const SIGNATURE_LENGTH = 5;

/** The format that the beginning of a file shows, if it is not UTF-8 text; null if it shows none. */
export const signatureOf = (beginning: Uint8Array): Signature | null =>
  SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => beginning[index] === byte)) ?? null;

/** Decodes UTF-8 that arrives in pieces, and refuses anything else: with replacement characters, different names could become equal. */
export class Utf8Decoder {
  private readonly decoder: TextDecoder;
  /** The bytes of a character that is still incomplete. */
  private begun: Uint8Array = new Uint8Array();

  /** @param keepsMark whether a byte order mark at the beginning is part of the text. */
  constructor({ keepsMark = false }: { readonly keepsMark?: boolean } = {}) {
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
      const text = this.decoder.decode(bytes, { stream: true });
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
