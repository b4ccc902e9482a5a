import { unbiasedRandomizer } from '../src/privacy/unbiased-randomizer';

/** The values 0 … 7, each three times as likely as the next. */
const values = [0, 1, 2, 3, 4, 5, 6, 7];
const prior = values.map((value) => `${3 ** (7 - value)}/3280`);

/** For ε = 1 … 8: the least variance over a grid of 64 steps, which was the output space up to commit cb10ce2. */
const ON_GRID = [46.969, 9.6154, 2.9818, 1.08077, 0.412746, 0.172384, 0.0683952, 0.0295648];

/** The variance of the unbiased randomizer, beside that of debiased randomized response and that over the grid. */
export function benchUnbiased(): void {
  console.log('epsilon  debiased response  64 steps  real outputs  saved  gap at most');
  ON_GRID.forEach((onGrid, index) => {
    const epsilon = index + 1;
    const { variance, gap } = unbiasedRandomizer(values, prior, epsilon);
    const now = variance.toNumber();
    console.log(
      [
        String(epsilon).padStart(7),
        debiasedResponse(epsilon).toPrecision(5).padStart(17),
        onGrid.toPrecision(5).padStart(8),
        now.toPrecision(5).padStart(12),
        `${(100 * (1 - now / onGrid)).toFixed(1)} %`.padStart(5),
        (gap.toNumber() / now).toExponential(1).padStart(11),
      ].join('  '),
    );
  });
}

/** E[(output − truth)²] of randomized response whose outputs are moved so that it is unbiased. */
function debiasedResponse(epsilon: number): number {
  const [e, total] = [Math.exp(epsilon), values.reduce((a, b) => a + b, 0)];
  const whole = e + values.length - 1;
  const outputs = values.map((value) => (whole * value - total) / (e - 1));
  return values.reduce((variance, truth, input) => {
    const squares = outputs.map(
      (output, index) => ((index === input ? e : 1) / whole) * (output - truth) ** 2,
    );
    return variance + (3 ** (7 - input) / 3280) * squares.reduce((a, b) => a + b, 0);
  }, 0);
}
