import { candidateUrls, srcsetUrls } from '../../../extension/content/srcset';

test.each<[srcset: string, urls: readonly string[]]>([
  ['', []],
  [' , ', []],
  ['a.png', ['a.png']],
  ['a.png 1x', ['a.png']],
  ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
  ['a.png 480w,b.png 800w', ['a.png', 'b.png']],
  ['a.png, b.png 2x', ['a.png', 'b.png']],
  // Only a space ends a URL.
  ['a.png,b.png 2x', ['a.png,b.png']],
  ['data:,x 1x, https://ads.example/a,b?c=1,2 2x', ['data:,x', 'https://ads.example/a,b?c=1,2']],
  ['\n\ta.png 1x,\n\tb.png,\n', ['a.png', 'b.png']],
  ['a.png (1x, no.png), b.png 2x', ['a.png', 'b.png']],
  ['a.png (1x, no.png', ['a.png']],
])('the URLs in %j', (srcset, urls) => {
  expect(srcsetUrls(srcset)).toEqual(urls);
});

test('of a long one, the first sixty', () => {
  expect(srcsetUrls('a.png 1x, '.repeat(1000))).toHaveLength(60);
});

describe('an image requests one of', () => {
  const image = { srcset: 'c.png 1x, b.png 2x', src: 'd.png' };

  test('the URLs of its sources, its srcset and its src, each once, in this order', () => {
    const urls = candidateUrls(image, ['a.webp 1x, b.png 2x', 'a.png, a.webp']);
    expect(urls).toEqual(['a.webp', 'b.png', 'a.png', 'c.png', 'd.png']);
  });

  test('sixty at most', () => {
    const set = (name: string): string => Array.from({ length: 40 }, (_, at) => `${name}${at} ${at}w`).join();
    const urls = candidateUrls(image, [set('first'), set('second')]);
    expect(urls).toHaveLength(60);
    expect([urls[0], urls[59]]).toEqual(['first0', 'second19']);
  });
});
