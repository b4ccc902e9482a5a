import type { Matrices, Matrix, Shape } from './matrix-product';
import type { RandomNumbers } from './random-numbers';

/** What flows between two layers: values forward, and the slopes of the loss at them backward. A row for each example. */
export interface Signals {
  readonly values: Matrix;
  readonly slopes: Matrix;
}

/** Each hidden unit of each example is left out with probability `share`; the others count 1/(1 − share) as much (Srivastava et al. 2014). */
export interface Dropout {
  readonly share: number;
  readonly random: RandomNumbers;
}

/** y = x·W + b, with ReLU if it is hidden. Its weights (row i holds those of input i) and biases lie in the model's parameters. */
export class DenseLayer {
  private readonly biases: number;
  private x: Signals = NOTHING;
  private y: Signals = NOTHING;
  private weights: Matrix = NO_MATRIX;
  private transposed: Matrix = NO_MATRIX;
  private gradient: Matrix = NO_MATRIX;
  private matrices: Matrices | null = null;
  private dropout: Dropout | null = null;

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

  /** The matrices that it needs beside its signals. */
  get shapes(): readonly Shape[] {
    return [
      [this.inputs, this.outputs],
      [this.outputs, this.inputs],
      [this.inputs, this.outputs],
    ];
  }

  connect(matrices: Matrices, x: Signals, y: Signals): void {
    this.matrices = matrices;
    [this.x, this.y] = [x, y];
    this.weights = matrices.matrix(this.inputs, this.outputs);
    this.transposed = matrices.matrix(this.outputs, this.inputs);
    this.gradient = matrices.matrix(this.inputs, this.outputs);
  }

  /** Computes the values of the first rows of y. */
  forward(rows: number): void {
    const { parameters, biases, outputs, inputs, y, x, matrices } = this;
    if (matrices === null || rows === 0) return;
    this.copyWeights();
    const { numbers, width } = y.values;
    numbers.set(parameters.subarray(biases, biases + outputs));
    for (let done = width; done < rows * width; done *= 2)
      numbers.copyWithin(done, 0, Math.min(done, rows * width - done));
    matrices.addProduct(y.values, x.values, this.weights, rows, inputs);
    if (!this.isHidden) return;
    matrices.rectify(y.values, rows);
    if (this.dropout !== null) this.leaveOut(this.dropout, rows);
  }

  /** Hidden layers only. */
  drop(dropout: Dropout | null): void {
    this.dropout = this.isHidden ? dropout : null;
  }

  private leaveOut({ share, random }: Dropout, rows: number): void {
    const { numbers, width } = this.y.values;
    for (let row = 0; row < rows; row++)
      for (let at = row * width; at < row * width + this.outputs; at++)
        numbers[at] = random.uniform() < share ? 0 : (numbers[at] ?? 0) / (1 - share);
  }

  private copyWeights(): void {
    const { parameters, from, inputs, outputs, weights, transposed } = this;
    for (let i = 0; i < inputs; i++)
      for (let j = 0; j < outputs; j++) {
        const weight = parameters[from + i * outputs + j] ?? 0;
        weights.numbers[i * weights.width + j] = weight;
        transposed.numbers[j * transposed.width + i] = weight;
      }
  }

  /** Computes the slopes of the first rows of x from those of y. */
  backward(rows: number): void {
    const { x, y, matrices } = this;
    if (matrices === null || rows === 0) return;
    if (this.isHidden) matrices.mask(y.slopes, y.values, rows);
    if (this.dropout !== null) {
      // What was left out is 0, and masked.
      const { share } = this.dropout;
      const of = y.slopes;
      for (let at = 0; at < rows * of.width; at++) of.numbers[at] = (of.numbers[at] ?? 0) / (1 - share);
    }
    const { numbers, width } = x.slopes;
    numbers.fill(0, 0, rows * width);
    matrices.addProduct(x.slopes, y.slopes, this.transposed, rows, this.outputs);
  }

  /** A row's gradient is the outer product of its inputs (with 1 for the bias) and slopes, so its length is the product of theirs. */
  addSquaredNorms(norms: Float64Array, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const ofInputs = 1 + squaredLength(this.x.values, row, this.inputs);
      norms[row] = (norms[row] ?? 0) + ofInputs * squaredLength(this.y.slopes, row, this.outputs);
    }
  }

  /** Adds the gradient of the first rows. With factors, it scales the slopes of y by them. */
  accumulate(factors: Float32Array | null, gradient: Float32Array, rows: number): void {
    const { inputs, outputs, biases, from } = this;
    const { slopes } = this.y;
    if (this.matrices === null || rows === 0) return;
    for (let row = 0; row < rows; row++) {
      const factor = factors === null ? 1 : (factors[row] ?? 0);
      for (let j = 0; j < outputs; j++) {
        const at = row * slopes.width + j;
        const slope = factor * (slopes.numbers[at] ?? 0);
        slopes.numbers[at] = slope;
        gradient[biases + j] = (gradient[biases + j] ?? 0) + slope;
      }
    }
    const { numbers, width } = this.gradient;
    numbers.fill(0);
    this.matrices.addTransposedProduct(this.gradient, this.x.values, slopes, inputs, rows);
    for (let i = 0; i < inputs; i++)
      for (let j = 0; j < outputs; j++) {
        const to = from + i * outputs + j;
        gradient[to] = (gradient[to] ?? 0) + (numbers[i * width + j] ?? 0);
      }
  }
}

const NO_MATRIX: Matrix = { numbers: new Float32Array(), width: 0 };
const NOTHING: Signals = { values: NO_MATRIX, slopes: NO_MATRIX };

function squaredLength({ numbers, width }: Matrix, row: number, count: number): number {
  let sum = 0;
  for (let i = row * width; i < row * width + count; i++) sum += (numbers[i] ?? 0) ** 2;
  return sum;
}
