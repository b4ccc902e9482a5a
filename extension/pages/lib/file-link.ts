import { fromBase64Url, toBase64Url } from './base64-url';

/** In characters: what programs that pass links on still take. */
const LONGEST = 30_000;

/** The parameter of a link to `#/data` that holds the whole file; null when it would be too long. */
export async function packFile(text: string): Promise<string | null> {
  const packed = toBase64Url(
    await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text)),
  );
  return packed.length > LONGEST ? null : packed;
}

/** The file of a link; null for a damaged link. */
export async function unpackFile(packed: string): Promise<string | null> {
  const bytes = fromBase64Url(packed);
  if (bytes === null) return null;
  return through(new DecompressionStream('deflate-raw'), bytes).then(
    (file) => new TextDecoder().decode(file),
    () => null,
  );
}

const through = async (
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
