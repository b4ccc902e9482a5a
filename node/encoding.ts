/** What the first bytes show of a file that is no UTF-8 text: what it is, and the ending that names it so. */
interface Signature {
  readonly bytes: readonly number[];
  readonly what: string;
  /** Null: no reader of ours takes it. */
  readonly ending: string | null;
}

/** RFC 1952 (2.3.1), RFC 8878 (3.1.1), Parquet's "PAR1", and the byte order marks of UTF-16. */
const SIGNATURES: readonly Signature[] = [
  { bytes: [0x1f, 0x8b], what: 'is compressed with gzip', ending: '.gz' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], what: 'is compressed with Zstandard', ending: '.zst' },
  { bytes: [0x50, 0x41, 0x52, 0x31], what: 'is Parquet', ending: '.parquet' },
  { bytes: [0xff, 0xfe], what: 'is UTF-16 text', ending: null },
  { bytes: [0xfe, 0xff], what: 'is UTF-16 text', ending: null },
];

/** In bytes: so many show a signature. */
export const SIGNATURE_LENGTH = 4;

/** What the beginning of a file shows that it is, if not UTF-8 text; null if nothing. */
export const signatureOf = (beginning: Uint8Array): Signature | null =>
  SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => beginning[index] === byte)) ?? null;

/**
 * Decodes UTF-8 that comes in pieces, and refuses what is not: with replacement characters, different names could become the same.
 */
export class Utf8Decoder {
  private readonly decoder: TextDecoder;

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
      return bytes === null ? this.decoder.decode() : this.decoder.decode(bytes, { stream: true });
    } catch {
      const [valid = ''] = new TextDecoder().decode(bytes ?? new Uint8Array()).split('\ufffd', 1);
      throw refused(valid.split('\n').length - 1);
    }
  }
}
