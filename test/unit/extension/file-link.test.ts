import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflateRaw } from 'node:zlib';
import { toBase64Url } from '../../../formats/codec/base64-url';
import { packFile, unpackFile } from '../../../extension/pages/data/file-link';
import { textOfFile } from '../../../extension/pages/data/file-text';
import { t } from '../../../extension/i18n';

const MEGABYTE = 2 ** 20;

const deflated = (megabytes: number): Promise<Buffer> =>
  buffer(Readable.from(Array<Buffer>(megabytes).fill(Buffer.alloc(MEGABYTE, '0'))).pipe(createDeflateRaw()));

test('what a link holds comes back, and what would not is not packed', async () => {
  const text = JSON.stringify({ text: 'ä€"\n'.repeat(10_000) });
  expect(await unpackFile((await packFile(text)) ?? '')).toBe(text);
  expect(await packFile('0'.repeat(4_000_001))).toBeNull();
  for (const damaged of ['', '%', 'AAAA', toBase64Url(Buffer.from('no deflate'))])
    expect(await unpackFile(damaged)).toBeFalsy();
});

test('a link of 0.5 MB that unpacks to 400 MB is refused, and little of it unpacked', async () => {
  const link = toBase64Url(await deflated(400));
  expect(link.length).toBeLessThan(600_000);
  const before = process.resourceUsage().maxRSS;
  await expect(unpackFile(link)).rejects.toThrow(t('file_too_large', { count: 4_000_000 }));
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024);
});

test('a file that is too large is refused before it is read', async () => {
  const text = jest.fn<Promise<string>, []>();
  await expect(textOfFile({ size: 200_000_001, text } as unknown as File)).rejects.toThrow('200,000,000');
  expect(text).not.toHaveBeenCalled();
  expect(await textOfFile(new File(['ä'], 'a.json'), 2)).toBe('ä');
});
