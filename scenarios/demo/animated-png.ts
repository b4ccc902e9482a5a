import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

export interface Frame {
  readonly png: Buffer;
  readonly milliseconds: number;
}

/**
 * Joins pictures to an animated PNG that plays without end (PNG, third edition, "APNG"). No picture is decoded: the compressed data of each
 * becomes a frame.
 * @throws RangeError if the pictures differ in size or colour type
 */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const pictures = frames.map(({ png, milliseconds }) => ({ chunks: chunksOf(png), milliseconds }));
  const header = pictures[0]?.chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header === undefined) throw new RangeError('an animated PNG needs a picture');
  let sequence = 0;
  const body = pictures.flatMap(({ chunks, milliseconds }, index) => {
    if (!chunks.some(({ type, data }) => type === 'IHDR' && data.equals(header)))
      throw new RangeError(`picture ${index} has another size or colour type than the first`);
    const control = chunkOf('fcTL', frameControl(sequence++, header, milliseconds));
    const images = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
    return [
      control,
      ...images.map((data) =>
        index === 0 ? chunkOf('IDAT', data) : chunkOf('fdAT', Buffer.concat([uint32(sequence++), data])),
      ),
    ];
  });
  const play = chunkOf('acTL', Buffer.concat([uint32(frames.length), uint32(0)]));
  return Buffer.concat([SIGNATURE, chunkOf('IHDR', header), play, ...body, chunkOf('IEND', Buffer.alloc(0))]);
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** The whole picture, which stays for that time and then is replaced. */
function frameControl(sequence: number, header: Buffer, milliseconds: number): Buffer {
  const size = header.subarray(0, 8);
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(milliseconds, 0);
  delay.writeUInt16BE(1000, 2);
  return Buffer.concat([uint32(sequence), size, uint32(0), uint32(0), delay]);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
