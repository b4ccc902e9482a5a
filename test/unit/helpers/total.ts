import { rememberedByKey } from '../../../src/model/remembered';
import { ceilDivide, floorDivide, type RealBounds } from '../../../src/privacy/real-bounds';

export const total = (terms: readonly RealBounds[]): RealBounds =>
  rememberedByKey((bits) => {
    // With these bits, the errors of all terms add up to less than a unit.
    const guard = terms.length.toString(2).length + 3;
    const bounds = terms.map((term) => term(bits + guard));
    const excess = 1n << BigInt(guard);
    return {
      lower: floorDivide(
        bounds.reduce((sum, { lower }) => sum + lower, 0n),
        excess,
      ),
      upper: ceilDivide(
        bounds.reduce((sum, { upper }) => sum + upper, 0n),
        excess,
      ),
    };
  });
