import fc from 'fast-check';
import { epsilon as epsilonOf, probability } from '../../../src/model/units';
import {
  channelCapacity,
  largestEpsilonWithin,
  scopesChannelCapacity,
} from '../../../src/privacy/channel-capacity';
import { randomizedTriggerRate, roundedRate } from '../../../src/privacy/randomized-response';

// The table of known answers: k, bits at ε = 14, and p at ε = 14, 8, 4 and 1.
test.each([
  [2925n, '11.46173', '0.0024263', '0.4953465', '0.9820056', '0.9994129'],
  [969n, '9.90295', '0.0008051', '0.2453812', '0.9475863', '0.9982299'],
  [165n, '7.36337', '0.0001372', '0.0524649', '0.7548097', '0.9896935'],
  [3n, '1.58493', '0.0000025', '0.0010057', '0.0530053', '0.6358247'],
  [7n, '2.80725', '0.0000058', '0.0023435', '0.1155151', '0.8029105'],
  [28n, '4.80687', '0.0000233', '0.0093086', '0.3431450', '0.9421810'],
  [84n, '6.39082', '0.0000698', '0.0274155', '0.6104733', '0.9799543'],
  [6n, '2.58487', '0.0000050', '0.0020094', '0.1006743', '0.7773751'],
  [861n, '9.73440', '0.0007154', '0.2241628', '0.9413970', '0.9980083'],
])('%s states have their capacity and their rates', (states, bits, ...rates) => {
  expect(channelCapacity(states, epsilonOf(14)).toFixed(5)).toBe(bits);
  expect(
    [14, 8, 4, 1].map((epsilon) => randomizedTriggerRate(states, epsilonOf(epsilon)).toFixed(7)),
  ).toEqual(rates);
});

test.each([
  [12341n, '13.37130', '0.0101577'],
  [118755n, '14.90655', '0.0898734'],
])('%s states, which are too many for the limits, have their capacity and rate', (states, bits, rate) => {
  expect(channelCapacity(states, epsilonOf(14)).toFixed(5)).toBe(bits);
  expect(randomizedTriggerRate(states, epsilonOf(14)).toFixed(7)).toBe(rate);
});

/** Equal up to the last digits of a double. */
const expectDigits = (actual: number, expected: number): void =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.abs(expected) * 2e-15);

test.each([
  [2925n, 0.0024263221679834087],
  [3n, 0.000002494582008677539],
  [455n, 0.00037820279032938436],
])('%s states have their rate to every digit', (states, rate) =>
  expectDigits(randomizedTriggerRate(states, epsilonOf(14)), rate),
);

test.each([
  [2925n, 11.461727965384876],
  [3n, 1.584926511508231],
  [455n, 8.821556150827456],
  [2n, 0.9999820053790732],
  [1n, 0],
])('%s states have their capacity to every digit', (states, bits) =>
  expectDigits(channelCapacity(states, epsilonOf(14)), bits),
);

test.each([
  [0.0024263221679834087, 0.0024263],
  [0.000002494582008677539, 0.0000025],
  [0.00013715, 0.0001372],
  [1, 1],
])('a rate of %s is reported as %s', (rate, reported) =>
  expect(roundedRate(probability(rate))).toBe(reported),
);

test('no rate is above 1 where states are too many for a double to count', () => {
  expect(randomizedTriggerRate(2n ** 53n + 2n, epsilonOf(0))).toBe(1);
});

test('without any privacy budget every output is random and tells nothing', () => {
  for (const states of [1n, 2n, 3n, 2925n, 2n ** 32n]) {
    expect(randomizedTriggerRate(states, epsilonOf(0))).toBe(1);
    // log2 k − h(q) − q·log2(k−1) cancels to 0 but for the rounding of its terms, of which none is above 32.
    expect(channelCapacity(states, epsilonOf(0))).toBeGreaterThanOrEqual(0);
    expect(channelCapacity(states, epsilonOf(0))).toBeLessThan(1e-13);
  }
});

test('the capacity lies between nothing and all the bits that tell the states apart', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 27n }),
      fc.double({ min: 0, max: 14, noNaN: true }),
      (k, epsilon) => {
        const bits = channelCapacity(k, epsilonOf(epsilon));
        expect(bits).toBeGreaterThanOrEqual(0);
        expect(bits).toBeLessThanOrEqual(Math.log2(Number(k)) + 1e-12);
      },
    ),
  );
});

test.each([
  [5545n, 6.5, 9.028709123768687],
  [2106n, 6.5, 8.366900276574821],
  [16036n, 6.5, 9.829279343808693],
  [84121n, 11.5, 12.45087042924698],
  [24895n, 11.5, 11.723490703852157],
  [3648n, 11.5, 12.233993328032184],
])('%s states fit into %s bits up to ε = %s', (states, bits, epsilon) => {
  const largest = largestEpsilonWithin(bits, states, epsilonOf(14));
  // The capacity is flat in ε: its rounding moves the answer by more than one digit of ε.
  expect(Math.abs(largest - epsilon)).toBeLessThan(1e-10);
  expect(channelCapacity(states, largest)).toBeLessThanOrEqual(bits);
  expect(channelCapacity(states, epsilonOf(largest + 1e-9))).toBeGreaterThan(bits);
});

test('a capacity that is never exceeded allows the largest ε', () => {
  expect(largestEpsilonWithin(11.5, 2925n, epsilonOf(14))).toBe(14);
  expect(largestEpsilonWithin(0, 1n, epsilonOf(14))).toBe(14);
});

test.each([
  [2925n, 3, 4, 11.518161355756956],
  [3n, 3, 4, 3.4594316186372973],
  [3n, 1, 4, Math.log2(3)],
])('%s states with %s scopes of %s event states have %s bits', (states, limit, maxEventStates, bits) =>
  expectDigits(scopesChannelCapacity(states, limit, maxEventStates), bits),
);
