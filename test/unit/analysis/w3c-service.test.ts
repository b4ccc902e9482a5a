import { ServiceBatch } from '../../../analysis/w3c/service';
import { seededRandomSource } from '../../../analysis/random/sources';
import { parse } from '../../../formats/codec/issues';
import { readJsonText } from '../../../formats/codec/json-text';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import type { JsonObject } from '../../../src/model/json';
import { openWithOpenSsl } from '../../../node/sealing';
import { moment } from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import { defaultLimits } from '../../../w3c/limits';
import { conversionOptions } from '../../../w3c/options';
import { readReport, sealReport, type SealedReport } from '../../../w3c/report';
import { newSealingKey, type SealingKey } from '../../e2e/helpers/sealing-key';

const random = seededRandomSource('w3c service', 1);

const call = { time: moment(0), topLevelSite: 'shop.example', intermediarySite: 'ads.example' };

async function sealed(
  { key }: SealingKey,
  histogram: readonly number[],
  options: JsonObject = {},
  sites: Partial<typeof call> = {},
): Promise<SealedReport> {
  const asked = { histogramSize: histogram.length, epsilon: 1.5, maxValue: 3, ...options };
  const { value } = parse(asked, conversionOptions(defaultLimits));
  if (value === null) throw new RangeError('the options are not valid');
  const bytes = await sealReport(histogram, { ...call, ...sites }, value, key, sealPayload, random);
  const report = readReport(readJsonText(new TextDecoder().decode(bytes)).value ?? null).value;
  if (report === null) throw new RangeError('the report is not valid');
  return report;
}

async function newBatch(): Promise<{ readonly batch: ServiceBatch; readonly key: SealingKey }> {
  const key = await newSealingKey();
  const keys = new Map([[key.key.id, key.secret]]);
  return { key, batch: new ServiceBatch(Rational.of(1.5), keys, openWithOpenSsl) };
}

test.each<[string, readonly number[], JsonObject, Partial<typeof call>]>([
  ['maximum', [3, 0], { maxValue: 4 }, {}],
  ['length', [3, 0, 0], {}, {}],
  ['caller', [3, 0], {}, { intermediarySite: 'mall.example' }],
  ['conversion site', [3, 0], {}, { topLevelSite: 'mall.example' }],
])('a report of another %s than the first one does not count', async (_, histogram, options, sites) => {
  const { batch, key } = await newBatch();
  expect(await batch.add(await sealed(key, [1, 0]))).toBeNull();
  expect(await batch.add(await sealed(key, histogram, options, sites))).toBe('other-task');
  expect(await batch.add(await sealed(key, [2, 0]))).toBeNull();
  expect(batch.beforeNoise().sums).toEqual([3, 0]);
  expect([...batch.rejected]).toEqual([['other-task', 1]]);
});

test('what is published has discrete Laplace noise for the maximum, also in an empty bucket', async () => {
  const { batch, key } = await newBatch();
  await batch.add(await sealed(key, [3, 0]));
  const draws = 4000;
  // With p = e^(−ε/(2·maxValue)), the noise is 0 with the probability (1 − p)/(1 + p), and k with p^|k| times that.
  const p = Math.exp(-1.5 / 6);
  const none = (1 - p) / (1 + p);
  const counts = [0, 0].map(() => new Map<number, number>());
  for (let draw = 0; draw < draws; draw++)
    batch.publish(random).forEach(({ bucket, value }) => {
      const count = counts[bucket];
      count?.set(value, (count.get(value) ?? 0) + 1);
    });
  counts.forEach((count, bucket) => {
    for (const noise of [-4, -1, 0, 1, 4]) {
      const probability = none * p ** Math.abs(noise);
      const found = count.get((batch.beforeNoise().sums[bucket] ?? 0) + noise) ?? 0;
      // Six standard deviations: ten counts are all right but for 10⁻⁷.
      const deviation = Math.sqrt(draws * probability * (1 - probability));
      expect(Math.abs(found - draws * probability)).toBeLessThan(6 * deviation);
    }
  });
});
