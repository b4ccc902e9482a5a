export const floorDivide = (a: bigint, b: bigint): bigint => {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
};

export const ceilDivide = (a: bigint, b: bigint): bigint => -floorDivide(-a, b);

/** Rounded down, by Newton's method. */
export function squareRoot(positive: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(positive.toString(2).length / 2));
  for (;;) {
    const next = (root + positive / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
