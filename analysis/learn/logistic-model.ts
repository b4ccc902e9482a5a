import type { ExampleFields, Examples } from './examples';
import { fieldOffsets } from './field-offsets';
import type { Model, Table } from './model';

/** A weight for each bucket, each number and the constant 1: z = b + Σ w[bucket] + Σ v·x. All weights begin at 0. */
export class LogisticModel implements Model {
  readonly parameters: Float32Array;
  readonly tables: readonly Table[];
  readonly features: number;
  private readonly offsets: Int32Array;
  private readonly firstNumber: number;
  private readonly numberCount: number;
  /** Of the last rows: the weights that their categories use (−1: none), and their numbers. */
  private places = new Int32Array();
  private values = new Float32Array();
  private slopes: Float32Array = new Float32Array();
  private count = 0;

  constructor(fields: ExampleFields) {
    const { offsets, total } = fieldOffsets(fields);
    this.offsets = offsets;
    this.firstNumber = total;
    this.tables = [{ from: 0, rows: total, width: 1 }];
    this.features = offsets.length;
    this.numberCount = fields.numbers.length;
    this.parameters = new Float32Array(total + this.numberCount + 1);
  }

  forward(examples: Examples, rows: Int32Array, outputs: Float32Array): void {
    this.gather(examples, rows);
    const { parameters, places, values, firstNumber, numberCount } = this;
    const wide = this.offsets.length;
    for (let index = 0; index < this.count; index++) {
      let output = parameters[firstNumber + numberCount] ?? 0;
      for (let i = index * wide; i < (index + 1) * wide; i++) {
        const place = places[i] ?? -1;
        if (place >= 0) output += parameters[place] ?? 0;
      }
      for (let i = 0; i < numberCount; i++)
        output += (values[index * numberCount + i] ?? 0) * (parameters[firstNumber + i] ?? 0);
      outputs[index] = output;
    }
  }

  private gather({ categories, numbers }: Examples, rows: Int32Array): void {
    const wide = this.offsets.length;
    const deep = this.numberCount;
    this.count = rows.length;
    if (this.places.length < rows.length * wide) this.places = new Int32Array(rows.length * wide);
    if (this.values.length < rows.length * deep) this.values = new Float32Array(rows.length * deep);
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      for (let field = 0; field < wide; field++) {
        const bucket = categories[row * wide + field] ?? -1;
        this.places[index * wide + field] = bucket < 0 ? -1 : (this.offsets[field] ?? 0) + bucket;
      }
      for (let i = 0; i < deep; i++) this.values[index * deep + i] = numbers[row * deep + i] ?? 0;
    }
  }

  backward(slopes: Float32Array): void {
    this.slopes = slopes;
  }

  eachRow(visit: (place: number) => void): void {
    for (const place of this.places.subarray(0, this.count * this.offsets.length))
      if (place >= 0) visit(place);
  }

  squaredNorms(norms: Float64Array): void {
    const { places, values, numberCount } = this;
    const wide = this.offsets.length;
    for (let index = 0; index < this.count; index++) {
      // 1 for the constant.
      let square = 1;
      for (let i = index * wide; i < (index + 1) * wide; i++) if ((places[i] ?? -1) >= 0) square += 1;
      for (let i = index * numberCount; i < (index + 1) * numberCount; i++) square += (values[i] ?? 0) ** 2;
      norms[index] = square * (this.slopes[index] ?? 0) ** 2;
    }
  }

  accumulate(factors: Float32Array | null, gradient: Float32Array): void {
    const { places, values, firstNumber, numberCount } = this;
    const wide = this.offsets.length;
    const bias = firstNumber + numberCount;
    for (let index = 0; index < this.count; index++) {
      const slope = (this.slopes[index] ?? 0) * (factors === null ? 1 : (factors[index] ?? 0));
      gradient[bias] = (gradient[bias] ?? 0) + slope;
      for (let i = index * wide; i < (index + 1) * wide; i++) {
        const place = places[i] ?? -1;
        if (place >= 0) gradient[place] = (gradient[place] ?? 0) + slope;
      }
      for (let i = 0; i < numberCount; i++)
        gradient[firstNumber + i] =
          (gradient[firstNumber + i] ?? 0) + slope * (values[index * numberCount + i] ?? 0);
    }
  }
}
