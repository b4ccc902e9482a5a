import { rememberedByKey } from '../../src/model/remembered';
import { ceilDivide, floorDivide, type RealBounds } from '../../src/privacy/real-bounds';

/** a·b for numbers from 0 to 1. */
export const product = (a: RealBounds, b: RealBounds): RealBounds =>
  rememberedByKey((bits) => {
    const guard = 4;
    const [one, other] = [a(bits + guard), b(bits + guard)];
    const excess = 1n << BigInt(bits + 2 * guard);
    return {
      lower: floorDivide(one.lower * other.lower, excess),
      upper: ceilDivide(one.upper * other.upper, excess),
    };
  });
