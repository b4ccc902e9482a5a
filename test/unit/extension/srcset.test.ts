import { srcsetUrls } from '../../../extension/content/srcset';

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

test('of a long one, the first twenty', () => {
  expect(srcsetUrls('a.png 1x, '.repeat(1000))).toHaveLength(20);
});
