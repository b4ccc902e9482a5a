import fc from 'fast-check';
import { labelReader } from '../../../collector/questions/label';
import { weightReader } from '../../../collector/questions/loss-weights';
import { configurationOf } from '../../../collector/sources/configuration';
import type { Definition } from '../../../collector/sources/definition';
import type { Mechanism } from '../../../analysis/estimate/quantities/configuration';
import { transitionRows } from '../../../analysis/estimate/quantities/transition';
import { epsilon as epsilonOf, moment } from '../../../src/model/units';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { parse } from '../../../formats/codec/issues';
import { parseSource } from '../../../formats/registration/source';
import { english } from '../../../words/english';

function definitionOf(
  registration: object,
  sourceType: SourceType,
  epsilon: number,
  mechanism: Mechanism = { kind: 'rr' },
): Definition {
  const { value } = parseSource(
    { destination: 'https://shop.example', ...registration },
    sourceType,
    chromiumLimits,
  );
  if (value === null) throw new Error('not a registration');
  const found = parse(null, (place) =>
    configurationOf(value, sourceType, epsilonOf(epsilon), mechanism, place),
  );
  if (found.value === null) throw new Error(english.issuesText(found.errors));
  return found.value.definition;
}

/** For each true label the mean of the weighted losses over the noise, for losses 1, 0, 0 … of each label. */
const means = (
  rows: readonly (readonly number[])[],
  weights: readonly (readonly number[])[],
): readonly (readonly number[])[] =>
  rows.map((row) =>
    rows.map((_, label) =>
      row.reduce((sum, probability, output) => sum + probability * (weights[output]?.[label] ?? NaN), 0),
    ),
  );

const identity = (size: number): readonly (readonly unknown[])[] =>
  Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (__, column) => expect.closeTo(row === column ? 1 : 0, 8) as unknown),
  );

test('weights of randomized response undo it, whatever its ε and states', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.double({ min: 0.1, max: 14, noNaN: true }),
      (data, epsilon) => {
        const registration = { trigger_data: Array.from({ length: data }, (_, index) => index) };
        const definition = definitionOf(registration, 'event', epsilon);
        const k = Number(definition.k);
        const weigh = weightReader(definition);
        const replaced = k / (k - 1 + Math.exp(epsilon));
        const labels = Array.from({ length: k }, (_, label) => label);
        const rows = labels.map((truth) =>
          labels.map((output) => replaced / k + (truth === output ? 1 - replaced : 0)),
        );
        const weights = labels.map((output) => {
          const { own, others } = weigh(String(output)) ?? {};
          return labels.map((label) => (label === output ? own : others) ?? NaN);
        });
        expect(means(rows, weights)).toEqual(identity(k));
      },
    ),
    { seed: 7, numRuns: 50 },
  );
});

test('weights of the unbiased randomizer undo it, where that can be', () => {
  const [values, prior, epsilon] = [[0, 20, 50, 120], [0.7, 0.1, 0.1, 0.1], 2] as const;
  const definition = definitionOf({}, 'event', epsilon, { kind: 'unbiased', values, prior });
  const randomizer = unbiasedRandomizer(values, prior, epsilon);
  const rows = transitionRows(randomizer, values.length);
  const weigh = weightReader(definition);
  const found = randomizer.outputs.map((output) => weigh(String(output.toNumber())));
  const weights = found.map((of) => of?.each ?? []);
  const undone = rows.map((row) =>
    values.map((_, label) => row.reduce((sum, p, output) => sum + p * (weights[output]?.[label] ?? NaN), 0)),
  );
  // It is optimal for this prior that each value has outputs of its own.
  expect(undone).toEqual(identity(values.length));
  expect(found.every((of) => of?.own === null && of.others === null)).toBe(true);
  expect(weigh('0.123')).toBeNull();
});

test('there are none at ε = 0', () => {
  expect(weightReader(definitionOf({}, 'event', 0))('0')).toBeNull();
});

test('there are none where ε is so small that floating-point numbers cannot tell values apart', () => {
  const [values, prior, epsilon] = [[0, 1, 2, 3, 4], [0.2, 0.2, 0.2, 0.2, 0.2], 1e-6] as const;
  const { outputs } = unbiasedRandomizer(values, prior, epsilon);
  const weigh = weightReader(definitionOf({}, 'event', epsilon, { kind: 'unbiased', values, prior }));
  expect(outputs.map((output) => weigh(String(output.toNumber())))).toEqual(outputs.map(() => null));
});

const [values, prior] = [
  [0, 1, 5, 20],
  ['0.4', '0.3', '0.2', '0.1'],
];
const binOutput = rrOnBins(values, prior, 'squared', 5.5).outputs[3] ?? NaN;

test.each<[number, string | null]>([
  [binOutput, String(binOutput)],
  [0.123, null],
  [1e9, null],
])('a label on bins is a value that the mechanism gives: %d', (noisyValue, label) => {
  const definition = definitionOf({}, 'event', 5.5, {
    kind: 'rr-on-bins',
    values,
    prior,
    loss: 'squared',
  });
  const report = {
    reportId: '1',
    destinations: ['https://shop.example'],
    sourceType: 'event',
    sourceEventId: 1n,
    triggerData: 0n,
    randomizedTriggerRate: null,
    scheduledTime: moment(0),
    summaryBucket: null,
    noisyValue,
    sourceDebugKey: null,
    triggerDebugKey: null,
    triggerDebugKeys: null,
  } as const;
  expect(labelReader(definition)(new Date(0), [report])).toEqual({
    label,
    problem: label === null ? `the mechanism does not give ${noisyValue}` : null,
  });
});
