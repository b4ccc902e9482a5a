import type { ExampleFields, Examples } from './examples';
import { DenseLayer, type Dropout, type Signals } from './dense-layer';
import { Matrices, type Matrix, type Shape } from './matrix-product';
import type { Model, Table } from './model';
import type { RandomNumbers } from './random-numbers';

/** How large a network is. */
export interface NetworkSize {
  /** Numbers per embedding; `fourth-root`: 2·∜V rounded down for a feature with V values (Denison et al. 2022). */
  readonly embedding: number | 'fourth-root';
  /** Units of each hidden layer, in order. */
  readonly layers: readonly number[];
}

export const DEFAULT_SIZE: NetworkSize = { embedding: 8, layers: [128, 64] };

/** As tables name it. */
export const networkName = ({ embedding, layers }: NetworkSize): string =>
  `${embedding} → ${layers.join(' → ')}`;

/** Numbers per embedding of each categorical feature. */
export const embeddingWidths = (
  { categories }: Pick<ExampleFields, 'categories'>,
  { embedding }: NetworkSize,
): readonly number[] =>
  categories.map(({ buckets }) =>
    embedding === 'fourth-root' ? Math.floor(2 * buckets ** 0.25) : embedding,
  );

/** The embedding of one categorical feature. */
interface Embedding {
  /** Of its first bucket, in the parameters. */
  readonly from: number;
  /** Numbers per bucket. */
  readonly width: number;
  /** Of its first number, in the inputs of the first layer. */
  readonly column: number;
}

/** Embeddings of all categorical features and the numbers, side by side, then hidden layers with ReLU and a linear output. */
export class NetworkModel implements Model {
  readonly parameters: Float32Array;
  readonly tables: readonly Table[];
  readonly features: number;
  private readonly embeddings: readonly Embedding[];
  private readonly layers: readonly DenseLayer[];
  private readonly width: number;
  /** How many rows there is room for. */
  private room = 0;
  private input: Signals | null = null;
  private output: Signals | null = null;
  private examples: Examples | null = null;
  private rows: Int32Array = new Int32Array();

  constructor(
    private readonly fields: ExampleFields,
    random: RandomNumbers,
    readonly size: NetworkSize = DEFAULT_SIZE,
  ) {
    let [total, columns] = [0, 0];
    const ofFields = embeddingWidths(fields, size);
    this.embeddings = fields.categories.map(({ buckets }, field) => {
      const embedding = { from: total, width: ofFields[field] ?? 0, column: columns };
      total += buckets * embedding.width;
      columns += embedding.width;
      return embedding;
    });
    this.tables = this.embeddings.map(({ from, width }, field) => ({
      from,
      width,
      rows: fields.categories[field]?.buckets ?? 0,
    }));
    this.features = this.embeddings.length;
    this.width = columns + fields.numbers.length;
    const widths = [this.width, ...size.layers, 1];
    const shapes = widths.slice(1).map((outputs, layer) => ({ inputs: widths[layer] ?? 0, outputs }));
    const sizes = shapes.map(({ inputs, outputs }) => (inputs + 1) * outputs);
    this.parameters = new Float32Array(total + sizes.reduce((sum, size) => sum + size, 0));
    for (let i = 0; i < total; i++) this.parameters[i] = 0.05 * random.normal();
    let from = total;
    this.layers = shapes.map(({ inputs, outputs }, index) => {
      const layer = new DenseLayer(this.parameters, from, inputs, outputs, index < size.layers.length);
      layer.initialise(random);
      from += sizes[index] ?? 0;
      return layer;
    });
  }

  drop(dropout: Dropout | null): void {
    for (const layer of this.layers) layer.drop(dropout);
  }

  forward(examples: Examples, rows: Int32Array, outputs: Float32Array): void {
    this.examples = examples;
    this.rows = rows;
    if (this.room < rows.length) this.makeRoom(rows.length);
    if (this.input === null || this.output === null) return;
    this.gather(examples, rows, this.input.values);
    for (const layer of this.layers) layer.forward(rows.length);
    const { numbers, width } = this.output.values;
    for (let row = 0; row < rows.length; row++) outputs[row] = numbers[row * width] ?? 0;
  }

  private makeRoom(rows: number): void {
    const columns = [this.width, ...this.size.layers, 1];
    const matrices = new Matrices([
      ...columns.flatMap((count): Shape[] => [
        [rows, count],
        [rows, count],
      ]),
      ...this.layers.flatMap(({ shapes }) => shapes),
    ]);
    const signals = columns.map((count) => ({
      values: matrices.matrix(rows, count),
      slopes: matrices.matrix(rows, count),
    }));
    this.layers.forEach((layer, index) => {
      const [x, y] = signals.slice(index, index + 2);
      if (x !== undefined && y !== undefined) layer.connect(matrices, x, y);
    });
    this.room = rows;
    this.input = signals[0] ?? null;
    this.output = signals.at(-1) ?? null;
  }

  /** Lays the embeddings and numbers of each row side by side. */
  private gather({ categories, numbers }: Examples, rows: Int32Array, inputs: Matrix): void {
    const wide = this.fields.categories.length;
    const deep = this.fields.numbers.length;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      let to = index * inputs.width;
      for (let field = 0; field < wide; field++) {
        const bucket = categories[row * wide + field] ?? -1;
        const { from, width } = this.embeddings[field] ?? NO_EMBEDDING;
        const start = from + bucket * width;
        for (let i = 0; i < width; i++)
          inputs.numbers[to++] = bucket < 0 ? 0 : (this.parameters[start + i] ?? 0);
      }
      for (let field = 0; field < deep; field++) inputs.numbers[to++] = numbers[row * deep + field] ?? 0;
    }
  }

  backward(slopes: Float32Array): void {
    if (this.output === null) return;
    const { numbers, width } = this.output.slopes;
    for (let row = 0; row < this.rows.length; row++) numbers[row * width] = slopes[row] ?? 0;
    for (const layer of [...this.layers].reverse()) layer.backward(this.rows.length);
  }

  squaredNorms(norms: Float64Array): void {
    norms.fill(0);
    for (const layer of this.layers) layer.addSquaredNorms(norms, this.rows.length);
    this.eachEmbedding((_, slopes, from, width, index) => {
      let square = 0;
      for (let i = 0; i < width; i++) square += (slopes[from + i] ?? 0) ** 2;
      norms[index] = (norms[index] ?? 0) + square;
    });
  }

  accumulate(factors: Float32Array | null, gradient: Float32Array): void {
    for (const layer of this.layers) layer.accumulate(factors, gradient, this.rows.length);
    this.eachEmbedding((to, slopes, from, width, index) => {
      const factor = factors === null ? 1 : (factors[index] ?? 0);
      for (let i = 0; i < width; i++)
        gradient[to + i] = (gradient[to + i] ?? 0) + factor * (slopes[from + i] ?? 0);
    });
  }

  eachRow(visit: (place: number) => void): void {
    this.eachEmbedding((place) => {
      visit(place);
    });
  }

  /** Visits each embedding of the last rows, with its place in the parameters and that of its slopes. */
  private eachEmbedding(
    visit: (place: number, slopes: Float32Array, slopeFrom: number, width: number, index: number) => void,
  ): void {
    const { examples, input } = this;
    const wide = this.fields.categories.length;
    if (examples === null || input === null) return;
    const { numbers, width } = input.slopes;
    for (let index = 0; index < this.rows.length; index++) {
      const row = this.rows[index] ?? 0;
      for (let field = 0; field < wide; field++) {
        const bucket = examples.categories[row * wide + field] ?? -1;
        const embedding = this.embeddings[field] ?? NO_EMBEDDING;
        if (bucket >= 0)
          visit(
            embedding.from + bucket * embedding.width,
            numbers,
            index * width + embedding.column,
            embedding.width,
            index,
          );
      }
    }
  }
}

const NO_EMBEDDING: Embedding = { from: 0, width: 0, column: 0 };
