import type { RandomNumbers } from './random-numbers';

/** y = x·W + b, with ReLU if it is hidden. Its weights (row i holds those of input i) and biases lie in the model's parameters. */
export class DenseLayer {
  private readonly biases: number;
  private x: Float32Array = new Float32Array();
  private y = new Float32Array();
  private slopes = new Float32Array();
  private back = new Float32Array();
  private count = 0;

  constructor(
    private readonly parameters: Float32Array,
    private readonly from: number,
    private readonly inputs: number,
    private readonly outputs: number,
    private readonly isHidden: boolean,
  ) {
    this.biases = from + inputs * outputs;
  }

  /** He et al. (2015): normal with variance 2/inputs; biases 0. */
  initialise(random: RandomNumbers): void {
    const spread = Math.sqrt(2 / this.inputs);
    for (let i = this.from; i < this.biases; i++) this.parameters[i] = spread * random.normal();
  }

  /** @returns the outputs of `count` rows; the next call overwrites them. */
  forward(x: Float32Array, count: number): Float32Array {
    const { parameters, inputs, outputs } = this;
    this.x = x;
    this.count = count;
    this.y = this.roomFor(this.y, outputs);
    this.slopes = this.roomFor(this.slopes, outputs);
    this.back = this.roomFor(this.back, inputs);
    const { y } = this;
    for (let row = 0; row < count; row++) {
      const to = row * outputs;
      for (let j = 0; j < outputs; j++) y[to + j] = parameters[this.biases + j] ?? 0;
      for (let i = 0; i < inputs; i++) {
        const value = x[row * inputs + i] ?? 0;
        if (value === 0) continue;
        const weights = this.from + i * outputs;
        for (let j = 0; j < outputs; j++)
          y[to + j] = (y[to + j] ?? 0) + value * (parameters[weights + j] ?? 0);
      }
      if (this.isHidden) for (let j = 0; j < outputs; j++) y[to + j] = Math.max(0, y[to + j] ?? 0);
    }
    return y;
  }

  private readonly roomFor = (array: Float32Array<ArrayBuffer>, width: number): Float32Array<ArrayBuffer> =>
    array.length < this.count * width ? new Float32Array(this.count * width) : array;

  /** @returns the slopes at the inputs; the next call overwrites them. */
  backward(slopesOfOutputs: Float32Array): Float32Array {
    const { parameters, inputs, outputs, slopes, back } = this;
    for (let i = 0; i < this.count * outputs; i++)
      slopes[i] = this.isHidden && (this.y[i] ?? 0) <= 0 ? 0 : (slopesOfOutputs[i] ?? 0);
    for (let row = 0; row < this.count; row++)
      for (let i = 0; i < inputs; i++) {
        const weights = this.from + i * outputs;
        let sum = 0;
        for (let j = 0; j < outputs; j++)
          sum += (slopes[row * outputs + j] ?? 0) * (parameters[weights + j] ?? 0);
        back[row * inputs + i] = sum;
      }
    return back;
  }

  /** A row's gradient is the outer product of its inputs (with 1 for the bias) and slopes, so its length is the product of theirs. */
  addSquaredNorms(norms: Float64Array): void {
    for (let row = 0; row < this.count; row++) {
      const ofInputs = 1 + squaredLength(this.x, row * this.inputs, this.inputs);
      norms[row] =
        (norms[row] ?? 0) + ofInputs * squaredLength(this.slopes, row * this.outputs, this.outputs);
    }
  }

  accumulate(factors: Float32Array | null, gradient: Float32Array): void {
    const { inputs, outputs, slopes, x } = this;
    for (let row = 0; row < this.count; row++) {
      const factor = factors === null ? 1 : (factors[row] ?? 0);
      if (factor === 0) continue;
      const from = row * outputs;
      for (let i = 0; i < inputs; i++) {
        const value = factor * (x[row * inputs + i] ?? 0);
        if (value === 0) continue;
        const to = this.from + i * outputs;
        for (let j = 0; j < outputs; j++)
          gradient[to + j] = (gradient[to + j] ?? 0) + value * (slopes[from + j] ?? 0);
      }
      for (let j = 0; j < outputs; j++) {
        const to = this.biases + j;
        gradient[to] = (gradient[to] ?? 0) + factor * (slopes[from + j] ?? 0);
      }
    }
  }
}

function squaredLength(values: Float32Array, from: number, count: number): number {
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += (values[i] ?? 0) ** 2;
  return sum;
}
