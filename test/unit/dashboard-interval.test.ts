import { intervalEnds } from '../../collector/dashboard/client/interval-ends';

const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'negative' });
const show = (value: number, digits: number | null): string =>
  (digits === null ? tenths : new Intl.NumberFormat('en', { maximumSignificantDigits: digits })).format(
    value,
  );

test.each<[number, number, string, string]>([
  [112, 125, '112', '125'],
  [17.97, 18.03, '17.97', '18.03'],
  [-0.031, 0.0405, '-0.031', '0.041'],
  [99.99, 100.01, '99.99', '100'],
  [18, 18, '18', '18'],
  [1, 1 + 1e-15, '1', '1'],
])('%d to %d is %s to %s', (low, high, ...ends) => {
  expect(intervalEnds(low, high, show)).toEqual(ends);
});
