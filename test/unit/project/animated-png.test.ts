import { crc32, deflateSync } from 'node:zlib';
import { animatedPng } from '../../../scenarios/demo/animated-png';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

/** A grey picture of one column, whose data is in two chunks. */
function picture(height: number, grey: number): Buffer {
  const header = Buffer.concat([uint32(1), uint32(height), Buffer.from([8, 0, 0, 0, 0])]);
  const data = deflateSync(Buffer.from(Array.from({ length: height }, () => [0, grey]).flat()));
  const parts = [data.subarray(0, 3), data.subarray(3)].map((part) => chunk('IDAT', part));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), ...parts, chunk('IEND', Buffer.alloc(0))]);
}

/** The types of the chunks, each with the sequence number of those that have one. Every checksum is right. */
function chunksIn(png: Buffer): readonly string[] {
  const found: string[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)));
    found.push(['fcTL', 'fdAT'].includes(type) ? `${type} ${png.readUInt32BE(at + 8)}` : type);
    at = end + 4;
  }
  return found;
}

test('pictures become the frames of one, numbered in order', () => {
  const frames = [1, 2].map((grey) => ({ png: picture(3, grey), milliseconds: 500 }));
  expect(chunksIn(animatedPng(frames))).toEqual([
    'IHDR',
    'acTL',
    'fcTL 0',
    'IDAT',
    'IDAT',
    'fcTL 1',
    'fdAT 2',
    'fdAT 3',
    'IEND',
  ]);
});

test('pictures of several sizes, and none, are refused', () => {
  const frames = [3, 4].map((height) => ({ png: picture(height, 1), milliseconds: 500 }));
  expect(() => animatedPng(frames)).toThrow('picture 1 has another size or colour type than the first');
  expect(() => animatedPng([])).toThrow('an animated PNG needs a picture');
});
