import fc from 'fast-check';
import { Utf8Decoder } from '../../../node/encoding';
import { linesOf, RowError } from '../../../node/lines';

/* U+FFFD is a letter like any other. */
const letters = fc.array(fc.constantFrom('a', '\n', 'ü', '€', '\ufffd', '😀'), { maxLength: 12 });
const valid = letters.map((all) => Buffer.from(all.join('')));
/** None begins a character that what follows could end. */
const invalid = fc
  .constantFrom(
    [0xff],
    [0x80],
    [0xc3, 0x28],
    [0xe2, 0x82, 0x0a],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x9f, 0x98, 0x0a],
  )
  .map((bytes) => Buffer.from(bytes));
const cuts = fc.array(fc.nat(60), { maxLength: 8 });

function piecesOf(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const sorted = [0, ...places.filter((place) => place < bytes.length), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

const lineOfRefusal = async (pieces: readonly Uint8Array[]): Promise<number | null> => {
  try {
    const lines = linesOf(pieces);
    while ((await lines.next()).done !== true);
    return null;
  } catch (error) {
    return error instanceof RowError ? error.line : NaN;
  }
};

test('the line of what is not UTF-8 is told wherever the text is cut', async () => {
  await fc.assert(
    fc.asyncProperty(valid, invalid, valid, cuts, async (before, bad, after, places) => {
      const pieces = piecesOf(Buffer.concat([before, bad, after]), places);
      expect(await lineOfRefusal(pieces)).toBe(before.toString().split('\n').length);
    }),
    { numRuns: 2000 },
  );
});

test('so is that of a character without an end', async () => {
  const cut = fc.constantFrom([0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98]).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(valid, cut, cuts, async (before, bad, places) => {
      const pieces = piecesOf(Buffer.concat([before, bad]), places);
      expect(await lineOfRefusal(pieces)).toBe(before.toString().split('\n').length);
    }),
    { numRuns: 500 },
  );
});

test('what is UTF-8 is the same text wherever it is cut', () => {
  fc.assert(
    fc.property(valid, cuts, (bytes, places) => {
      const decoder = new Utf8Decoder();
      const refused = (): Error => new Error('is UTF-8');
      const text = piecesOf(bytes, places).map((piece) => decoder.decode(piece, refused));
      expect(text.join('') + decoder.decode(null, refused)).toBe(bytes.toString());
    }),
  );
});
