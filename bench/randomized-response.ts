import { randomFillSync } from 'node:crypto';
import { epsilon } from '../src/model/units';
import { bufferedRandomSource } from '../analysis/random/sources';
import { randomizedResponse, randomizedTriggerRate } from '../src/privacy/randomized-response';
import { compare } from './measure';

/** Compares exact draws with a floating-point implementation on the same randomness. */
export function benchRandomizedResponse(): void {
  const random = bufferedRandomSource((words) => void randomFillSync(words));
  const exact = randomizedResponse(2925n, epsilon(14));
  const rate = randomizedTriggerRate(2925n, epsilon(14));
  const uniform = (): number => Number(random.uint64() >> 11n) / 2 ** 53;
  const floating = (): number => (uniform() < rate ? Math.floor(uniform() * 2925) : -1);
  compare('draw 2925-ary randomized response at ε = 14', () => exact(random), floating, 'floating ');
}
