import { epsilon, probability } from '../../../src/model/units';

const JUST_ABOVE_1 = 1 + Number.EPSILON;

test.each([0, -0, Number.MIN_VALUE, 1, JUST_ABOVE_1, Number.MAX_VALUE])('ε = %p is taken', (value) => {
  expect(epsilon(value)).toBe(value);
});

test.each([NaN, Infinity, -Infinity, -1, -Number.MIN_VALUE])('ε = %p is refused', (value) => {
  expect(() => epsilon(value)).toThrow(
    new RangeError(`an epsilon must be a finite number of at least 0, was ${value}`),
  );
});

test.each([0, -0, Number.MIN_VALUE, 0.5, 1])('the probability %p is taken', (value) => {
  expect(probability(value)).toBe(value);
});

test.each([NaN, Infinity, -Infinity, -1, -Number.MIN_VALUE, JUST_ABOVE_1])(
  'the probability %p is refused',
  (value) => {
    expect(() => probability(value)).toThrow(
      new RangeError(`a probability must be from 0 to 1, was ${value}`),
    );
  },
);
