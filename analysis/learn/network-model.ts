import type { ExampleFields, Examples } from './examples';
import { fieldOffsets } from './field-offsets';
import { DenseLayer } from './dense-layer';
import type { Model } from './model';
import type { RandomNumbers } from './random-numbers';

/** Numbers per embedding, and units of the hidden layers. */
const EMBEDDING = 8;
const HIDDEN = [128, 64] as const;

/** Embeddings of all categorical features and the numbers, side by side, then two layers with ReLU and a linear output. */
export class NetworkModel implements Model {
  readonly parameters: Float32Array;
  private readonly offsets: Int32Array;
  private readonly layers: readonly DenseLayer[];
  private readonly width: number;
  private examples: Examples | null = null;
  private rows: Int32Array = new Int32Array();
  private inputs = new Float32Array();
  private inputSlopes: Float32Array = new Float32Array();

  constructor(
    private readonly fields: ExampleFields,
    random: RandomNumbers,
  ) {
    const { offsets, total } = fieldOffsets(fields);
    this.offsets = offsets;
    this.width = fields.categories.length * EMBEDDING + fields.numbers.length;
    const widths = [this.width, ...HIDDEN, 1];
    const shapes = widths.slice(1).map((outputs, layer) => ({ inputs: widths[layer] ?? 0, outputs }));
    const sizes = shapes.map(({ inputs, outputs }) => (inputs + 1) * outputs);
    this.parameters = new Float32Array(total * EMBEDDING + sizes.reduce((sum, size) => sum + size, 0));
    for (let i = 0; i < total * EMBEDDING; i++) this.parameters[i] = 0.05 * random.normal();
    let from = total * EMBEDDING;
    this.layers = shapes.map(({ inputs, outputs }, index) => {
      const layer = new DenseLayer(this.parameters, from, inputs, outputs, index < HIDDEN.length);
      layer.initialise(random);
      from += sizes[index] ?? 0;
      return layer;
    });
  }

  forward(examples: Examples, rows: Int32Array, outputs: Float32Array): void {
    this.examples = examples;
    this.rows = rows;
    if (this.inputs.length < rows.length * this.width)
      this.inputs = new Float32Array(rows.length * this.width);
    this.gather(examples, rows);
    let values: Float32Array = this.inputs;
    for (const layer of this.layers) values = layer.forward(values, rows.length);
    outputs.set(values.subarray(0, rows.length));
  }

  /** Lays the embeddings and numbers of each row side by side. */
  private gather({ categories, numbers }: Examples, rows: Int32Array): void {
    const wide = this.fields.categories.length;
    const deep = this.fields.numbers.length;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      let to = index * this.width;
      for (let field = 0; field < wide; field++) {
        const bucket = categories[row * wide + field] ?? -1;
        const from = ((this.offsets[field] ?? 0) + bucket) * EMBEDDING;
        for (let i = 0; i < EMBEDDING; i++)
          this.inputs[to++] = bucket < 0 ? 0 : (this.parameters[from + i] ?? 0);
      }
      for (let field = 0; field < deep; field++) this.inputs[to++] = numbers[row * deep + field] ?? 0;
    }
  }

  backward(slopes: Float32Array): void {
    let back = slopes;
    for (const layer of [...this.layers].reverse()) back = layer.backward(back);
    this.inputSlopes = back;
  }

  squaredNorms(norms: Float64Array): void {
    norms.fill(0);
    for (const layer of this.layers) layer.addSquaredNorms(norms);
    this.eachEmbedding((_, from, index) => {
      let square = 0;
      for (let i = 0; i < EMBEDDING; i++) square += (this.inputSlopes[from + i] ?? 0) ** 2;
      norms[index] = (norms[index] ?? 0) + square;
    });
  }

  accumulate(factors: Float32Array | null, gradient: Float32Array): void {
    for (const layer of this.layers) layer.accumulate(factors, gradient);
    this.eachEmbedding((to, from, index) => {
      const factor = factors === null ? 1 : (factors[index] ?? 0);
      for (let i = 0; i < EMBEDDING; i++)
        gradient[to + i] = (gradient[to + i] ?? 0) + factor * (this.inputSlopes[from + i] ?? 0);
    });
  }

  /** Where each embedding of the last rows is in the parameters, and where its slope is in `inputSlopes`. */
  private eachEmbedding(visit: (place: number, slopeFrom: number, index: number) => void): void {
    const { examples } = this;
    const wide = this.fields.categories.length;
    if (examples === null) return;
    for (let index = 0; index < this.rows.length; index++) {
      const row = this.rows[index] ?? 0;
      for (let field = 0; field < wide; field++) {
        const bucket = examples.categories[row * wide + field] ?? -1;
        if (bucket >= 0)
          visit(
            ((this.offsets[field] ?? 0) + bucket) * EMBEDDING,
            index * this.width + field * EMBEDDING,
            index,
          );
      }
    }
  }
}
