import { figureSvg } from '../../../analysis/report/figure-svg';

const words = { title: 'Coverage', x: 'ε', y: 'intervals with the truth, %' };

const ticksOf = (svg: string): readonly number[] =>
  [...svg.matchAll(/text-anchor="end">([^<]*)</g)].map(([, tick]) => Number(tick));

test('error bars of a share end where no share is possible', () => {
  const lines = [
    {
      name: 'user',
      points: [
        { x: 1, y: { mean: 20, error: 20 } },
        { x: 4, y: { mean: 90, error: 10 } },
      ],
    },
  ];
  expect(Math.min(...ticksOf(figureSvg(words, lines)))).toBeLessThan(0);
  const ticks = ticksOf(figureSvg(words, lines, { least: 0, most: 100 }));
  expect([Math.min(...ticks), Math.max(...ticks)]).toEqual([0, 100]);
});

test('a point without a place is left out, and takes no other along', () => {
  const pointsOf = (means: readonly number[]): Parameters<typeof figureSvg>[1] => [
    { name: 'bags', points: means.map((mean, index) => ({ x: index + 1, y: { mean, error: 1 } })) },
  ];
  const svg = figureSvg(words, pointsOf([20, Infinity, NaN, 40]));
  expect(svg).not.toMatch(/NaN|Infinity/);
  const [, ...heights] = [...svg.matchAll(/cy="([^"]*)"/g)].map(([, height]) => Number(height));
  expect(heights).toHaveLength(1);
  const alone = figureSvg(words, pointsOf([20, 30, 35, 40]));
  expect([...alone.matchAll(/cy="([^"]*)"/g)].map(([, height]) => Number(height))).toContain(heights[0]);
  expect(figureSvg(words, pointsOf([Infinity]))).not.toMatch(/NaN|Infinity/);
});
