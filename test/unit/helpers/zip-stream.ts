import { Zip, ZipDeflate, type ZipPassThrough } from 'fflate';

/** As a program writes an archive into a pipe: checksum and sizes follow the content. */
export function zipStream(
  name: string,
  content: string,
  Entry: typeof ZipDeflate | typeof ZipPassThrough = ZipDeflate,
): Buffer {
  const parts: Uint8Array[] = [];
  const zip = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(part);
  });
  const entry = new Entry(name);
  zip.add(entry);
  entry.push(Buffer.from(content), true);
  zip.end();
  return Buffer.concat(parts);
}
