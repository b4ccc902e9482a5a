import { textWithin } from '../../answer-body';
import { fromBase64Url, toBase64Url } from '../../../formats/codec/base64-url';
import { fileTooLarge } from './file-text';

/** In characters: what programs that pass links on still take. */
const LONGEST = 30_000;
/** In bytes, unpacked. Without this bound, a link could hold a thousand times as much as it is long. */
const LARGEST_UNPACKED = 4_000_000;

/** The parameter of a link to `#/data` that holds the whole file; null when it would be too long. */
export async function packFile(text: string): Promise<string | null> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > LARGEST_UNPACKED) return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const packed = toBase64Url(new Uint8Array(await new Response(stream).arrayBuffer()));
  return packed.length > LONGEST ? null : packed;
}

/**
 * The file of a link; null for a damaged link.
 * @throws Error with a message for the person when it is larger than those that `packFile` packs, before it is all unpacked
 */
export async function unpackFile(packed: string): Promise<string | null> {
  const bytes = fromBase64Url(packed);
  if (bytes === null) return null;
  const stream = inPieces(bytes).pipeThrough(new DecompressionStream('deflate-raw'));
  let text;
  try {
    text = await textWithin(new Response(stream), LARGEST_UNPACKED);
  } catch {
    return null;
  }
  if (text === null) throw fileTooLarge(LARGEST_UNPACKED);
  return text;
}

/** In bytes. Chrome unpacks each piece whole, to up to a thousand times as much, before anybody can stop reading. */
const PIECE = 1024;

function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(start, (start += PIECE)));
    },
  });
}
