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
