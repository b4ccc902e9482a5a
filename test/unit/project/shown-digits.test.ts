import { intervalOf, percent, shown } from '../../../cli/estimate/cells';
import { decimalsOf } from '../../../analysis/estimate/result/decimals';

/* Every number on a page or in a table has the digits that its interval gives it. */

test.each<[number, readonly [number, number] | undefined, number]>([
  [1591, [0, 1591], 0],
  [117, [112, 125], 0],
  [4.7, [0, 9.3], 1],
  [0.03, [0.012, 0.048], 3],
  [18, [17.97, 18.03], 3],
  [0.03, undefined, 3],
  [0, undefined, 0],
  [18, [18, 18], 0],
  [1, [1, 1 + 1e-15], 12],
  [7, [NaN, NaN], 1],
  [7, [-Infinity, Infinity], 1],
])('%d in %p has %d digits after the point', (value, interval, digits) => {
  expect(decimalsOf(value, interval)).toBe(digits);
});

const cases: readonly (readonly [value: number, low: number, high: number, text: string, percent: string])[] =
  [
    [0.03, 0.012, 0.048, '0.03 (0.012 to 0.048)', '3.00 % (1.20 % to 4.80 %)'],
    [117, 112, 125, '117 (112 to 125)', '11700 % (11200 % to 12500 %)'],
    [0.1681, 0.1679, 0.1683, '0.1681 (0.1679 to 0.1683)', '16.810 % (16.790 % to 16.830 %)'],
    [0.0000031, 0, 0.0000062, '0.0000031 (0 to 0.0000062)', '0.000310 % (0.00000 % to 0.000620 %)'],
  ];

test.each(cases)('commands show %d (%d to %d) as %s', (value, low, high, text, share) => {
  const estimate = { interval: [low, high] as const };
  const sum = { quantity: { kind: 'label-sum' } as const, estimate };
  expect(`${shown(sum)(value)} (${intervalOf(sum)})`).toBe(text);
  const rate = { quantity: { kind: 'conversion-rate' } as const, estimate };
  expect(`${shown(rate)(value)} (${intervalOf(rate)})`).toBe(share);
  expect(percent(value)).not.toBe('0.00 %');
});

interface Words {
  readonly showEstimate: (value: number, interval: readonly number[]) => string;
  readonly showRate: (value: number, interval: readonly number[]) => string;
  readonly showInterval: (low: number, high: number, show: Words['showEstimate']) => string;
}

describe.each([
  ['en', '0.03', '0.012 to 0.048', '3 %', '1.2 % to 4.8 %'],
  ['de', '0,03', '0,012 bis 0,048', '3 %', '1,2 % bis 4,8 %'],
])('in %s', (language, value, interval, rate, rates) => {
  const ends = [0.012, 0.048] as const;

  test('the dashboard keeps the digits of a small average', async () => {
    Object.assign(globalThis, {
      document: { documentElement: { lang: language } },
      navigator: { languages: [language] },
    });
    await jest.isolateModulesAsync(async () => {
      const words = (await import('../../../collector/dashboard/client/words')) as Words;
      expect(words.showEstimate(0.03, ends)).toBe(value);
      expect(words.showInterval(...ends, words.showEstimate)).toBe(interval);
      expect(words.showRate(0.03, ends).replaceAll('\u00a0', ' ')).toBe(rate);
      expect(words.showInterval(...ends, words.showRate).replaceAll('\u00a0', ' ')).toBe(rates);
    });
  });

  test('the lab keeps them, too', async () => {
    await jest.isolateModulesAsync(async () => {
      const { default: browser } = (await import('webextension-polyfill')) as {
        default: { i18n: { getUILanguage: () => string; getMessage: (name: string) => string } };
      };
      jest.spyOn(browser.i18n, 'getUILanguage').mockReturnValue(language);
      jest.spyOn(browser.i18n, 'getMessage').mockReturnValue(language);
      const lab = (await import('../../../extension/site/configuration-card')) as {
        rounded: Words['showEstimate'];
      };
      expect(lab.rounded(0.03, ends)).toBe(value);
    });
  });
});
