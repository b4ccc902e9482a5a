import { parse } from '../../../formats/codec/issues';
import {
  clearsImpressions,
  parseMeasureConversion,
  parseSaveImpression,
  reportAddress,
} from '../../../w3c/headers';
import { defaultLimits } from '../../../w3c/limits';
import { impressionOptions } from '../../../w3c/options';

const MEASURE = 'aggregation-service="https://service.example/", histogram-size=4, report-url="/report"';

describe('Save-Impression', () => {
  test('has an option for each key, and ignores others and parameters', () => {
    const header =
      'histogram-index=3;a=1, match-value=2, conversion-sites=("shop.example";b "mall.example"), ' +
      'conversion-callers=("ads.example"), lifetime-days=7, priority=-4, other=?1';
    expect(parseSaveImpression(header)).toEqual({
      histogramIndex: 3,
      matchValue: 2,
      conversionSites: ['shop.example', 'mall.example'],
      conversionCallers: ['ads.example'],
      lifetimeDays: 7,
      priority: -4,
    });
  });

  test.each([
    ['', 'no index'],
    ['match-value=2', 'no index'],
    ['histogram-index', 'a boolean'],
    ['histogram-index=1.5', 'a decimal'],
    ['histogram-index="1"', 'a string'],
    ['histogram-index=(1)', 'a list'],
    ['histogram-index=1, match-value=1.0', 'a decimal'],
    ['histogram-index=1, priority=0.5', 'a decimal'],
    ['histogram-index=1, match-value=2, match-value=1.0', 'a decimal at last'],
    ['histogram-index=1, lifetime-days=7.0', 'a decimal'],
    ['histogram-index=1, lifetime-days=4294967296.5', 'a decimal beyond the longest'],
    ['histogram-index=1, conversion-sites="shop.example"', 'a string for a list'],
    ['histogram-index=1, conversion-sites=(shop.example)', 'tokens for strings'],
    ['histogram-index=1, lifetime-days=0', 'no days'],
    ['histogram-index=1, lifetime-days=-1', 'less than no days'],
    ['histogram-index=-1', 'less than 0'],
    ['histogram-index=4294967296', 'more than 32 bits'],
    ['histogram-index=1, match-value=-1', 'less than 0'],
    ['histogram-index=1, match-value=4294967296', 'more than 32 bits'],
    ['histogram-index=1, priority=-2147483649', 'less than 32 bits with a sign'],
    ['histogram-index=1, priority=2147483648', 'more than 32 bits with a sign'],
    ['histogram-index=1,', 'no dictionary'],
    [`histogram-index=1, a="${'b'.repeat(8192)}"`, 'more than 8 KB'],
  ])('is ignored: %s (%s)', (header) => {
    expect(parseSaveImpression(header)).toBeNull();
  });

  test('may have every number of 32 bits', () => {
    const header = 'histogram-index=4294967295, match-value=4294967295, priority=-2147483648';
    expect(parseSaveImpression(header)).toEqual({
      histogramIndex: 4_294_967_295,
      matchValue: 4_294_967_295,
      priority: -2_147_483_648,
    });
    expect(parseSaveImpression('histogram-index=0, priority=2147483647')).toMatchObject({
      histogramIndex: 0,
      priority: 2_147_483_647,
    });
  });

  test('may have decimals in strings, parameters and what another member replaces', () => {
    const header =
      'match-value=1.0, histogram-index=1;a=1.0; b=2.0, a="\\", match-value=1.0", match-value=2, priority=3;c="1.0"';
    expect(parseSaveImpression(header)).toEqual({ histogramIndex: 1, matchValue: 2, priority: 3 });
  });

  test('counts more days than a script can name as the longest lifetime', () => {
    const asked = parseSaveImpression('histogram-index=1, lifetime-days=99999999999');
    const { value, errors } = parse(asked, impressionOptions(defaultLimits));
    expect(errors).toEqual([]);
    expect(value?.lifetime).toBe(defaultLimits.maxLookbackDays * 86_400_000);
  });
});

describe('Measure-Conversion', () => {
  test('has an option for each key', () => {
    const header =
      `${MEASURE}, epsilon=0.5, lookback-days=14, match-values=(1 2), impression-sites=("news.example"), ` +
      'impression-callers=("ads.example"), credit=(0.25 1), value=3, max-value=7';
    expect(parseMeasureConversion(header)).toEqual({
      aggregationService: 'https://service.example/',
      histogramSize: 4,
      reportUrl: '/report',
      epsilon: 0.5,
      lookbackDays: 14,
      matchValues: [1, 2],
      impressionSites: ['news.example'],
      impressionCallers: ['ads.example'],
      credit: [0.25, 1],
      value: 3,
      maxValue: 7,
    });
  });

  test('may have decimals only where the draft does', () => {
    const read = parseMeasureConversion(`${MEASURE}, epsilon=1.0, credit=(1.0 2), match-values=(1;a=1.0 2)`);
    expect(read).toMatchObject({ epsilon: 1, credit: [1, 2], matchValues: [1, 2] });
  });

  test.each([
    ...['value=1.0', 'max-value=2.0', 'lookback-days=3.0', 'match-values=(1 2.0)'].map(
      (more) => `${MEASURE}, ${more}`,
    ),
    'aggregation-service="a", histogram-size=4',
    'aggregation-service="a", report-url="/"',
    'histogram-size=4, report-url="/"',
    'aggregation-service=a, histogram-size=4, report-url="/"',
    'aggregation-service="a", histogram-size=0, report-url="/"',
    'aggregation-service="a", histogram-size=4, report-url=https://a.example',
    `${MEASURE}, epsilon="1"`,
    `${MEASURE}, match-values=(1.5)`,
    `${MEASURE}, credit=("1")`,
    `${MEASURE}, value=0`,
    `${MEASURE}, max-value=-1`,
    `${MEASURE}, match-values=(-1)`,
    `${MEASURE}, match-values=(1 4294967296)`,
    `${MEASURE}, value=4294967296`,
    `${MEASURE}, max-value=4294967296`,
    'aggregation-service="a", histogram-size=4294967296, report-url="/"',
  ])('is ignored: %s', (header) => {
    expect(parseMeasureConversion(header)).toBeNull();
  });

  test.each([
    ['/report', 'https://ads.example/report'],
    ['https://other.example/', 'https://other.example/'],
    ['http://other.example/', null],
    ['http://ads.localhost/', null],
    ['data:,', null],
    ['https://', null],
  ])('sends the report to %s as %s', (written, address) => {
    expect(reportAddress(written, 'https://ads.example/pixel', false)).toBe(address);
  });

  test('may send it to this device without https in debug mode only', () => {
    expect(reportAddress('http://ads.localhost/', 'https://ads.example/', true)).toBe(
      'http://ads.localhost/',
    );
    expect(reportAddress('http://localhost.example/', 'https://ads.example/', true)).toBeNull();
  });
});

test.each([
  ['"impressions"', true],
  ['"cache", "impressions"', true],
  ['"*"', true],
  ['"cookies"', false],
  ['impressions', false],
  ['"impressions"x', false],
  ['', false],
])('Clear-Site-Data: %s clears impressions: %s', (header, expected) => {
  expect(clearsImpressions(header)).toBe(expected);
});
