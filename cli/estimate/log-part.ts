/** The lines of a log whose source event ids have one remainder. */
export interface LogPart {
  readonly part: number;
  readonly of: number;
}

/** In bytes. */
const LONGEST_LINE = 1 << 20;
const ID = Buffer.from('"source_event_id"');
const codeOf = (character: string): number => character.charCodeAt(0);
const [ZERO, NINE, NEWLINE] = [codeOf('0'), codeOf('9'), codeOf('\n')];
const [SPACE, QUOTE, COLON] = [codeOf(' '), codeOf('"'), codeOf(':')];
const isBetween = (code: number | undefined): boolean => code === QUOTE || code === COLON || code === SPACE;
/** A prime number. Ten times a remainder has 31 bits: a rest of a longer one takes most of the time. */
const MODULUS = 2 ** 27 - 39;

/** A line that its part cannot read alone. */
export class NotAlone extends Error {}

/**
 * The bytes of the lines of a part, by the first id in each; a line without one is in the first part. If the first line is of another part, an empty
 * one is in its place. To parse or only to decode a line would take a multiple of the time. Its own id can be another one: see `partOfId`.
 * @throws NotAlone for a line that is too long to look for its id
 */
export function* linesOfPart(
  chunks: Iterable<Buffer>,
  { part, of }: LogPart,
): Generator<Buffer, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  for (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let [kept, start, id] = [0, 0, bytes.indexOf(ID)];
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (id >= 0 && id < start) id = bytes.indexOf(ID, start);
      const isOwn = partOfLine(bytes, id, end, of) === part;
      // At the beginning of a text, a byte order mark would be none of its line.
      if (isOwn || isFirst) kept += bytes.copy(bytes, kept, isOwn ? start : end, end + 1);
      isFirst = false;
      start = end + 1;
    }
    yield bytes.subarray(0, kept);
    rest = bytes.subarray(start);
    if (rest.length > LONGEST_LINE) throw new NotAlone();
  }
  if (partOfLine(rest, rest.indexOf(ID), rest.length, of) === part) yield rest;
}

/** @param id where the first one after the beginning of the line is; negative: there is none */
function partOfLine(bytes: Buffer, id: number, end: number, of: number): number {
  if (id < 0 || id > end) return 0;
  let at = id + ID.length;
  while (isBetween(bytes[at])) at += 1;
  let remainder = 0;
  for (let digit = bytes[at] ?? 0; digit >= ZERO && digit <= NINE; digit = bytes[++at] ?? 0)
    remainder = (10 * remainder + digit - ZERO) % MODULUS;
  return partOf(remainder, of);
}

export const partOfId = (id: bigint, of: number): number => partOf(Number(id % BigInt(MODULUS)), of);

/** Ids can be multiples of the number of parts, so their bits are mixed, by the finalizer of MurmurHash3. */
function partOf(remainder: number, of: number): number {
  let mixed = Math.imul(remainder ^ (remainder >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % of;
}
