import {
  add,
  constant,
  F32X4_ADD,
  F32X4_GREATER,
  F32X4_MAX,
  F32X4_MULTIPLY,
  get,
  I32,
  I32_ADD,
  I32_MULTIPLY,
  load,
  loadSplat,
  repeatUntilEqual,
  set,
  store,
  V128,
  V128_AND,
  wasmModule,
  ZEROS,
  type Code,
  type WasmFunction,
} from './wasm-code';

/*
 * Products of matrices in WebAssembly, four numbers at a time (SIMD). The program is put together here because it is a few loops, and so needs no
 * compiler and no file. Loops over typed arrays take ten times as long.
 */

/** How many rows and columns of a product are computed together: their 8 vectors of sums fit the processor's registers. */
const ROWS = 4;
const COLUMNS = 8;

const BYTES = 4;
const VECTOR = 16;
/** The size of a page of WebAssembly's memory, in bytes. */
const PAGE = 65_536;

/** The locals of a strip; the first seven are its parameters. All but the depth are byte addresses or distances. */
const [C, A, B, WIDTH, DEPTH, ROW, STEP] = [0, 1, 2, 3, 4, 5, 6];
const [END_OF_ROW, FROM_A, FROM_B, END_OF_B, LEFT, RIGHT, FIRST] = [7, 8, 9, 10, 11, 12, 13];

/**
 * Adds a strip of some rows of A·B to C. Element (i, p) of A is at A + i·ROW + p·STEP; B and C are by rows of WIDTH bytes, a multiple of 32.
 */
function strip(name: string, rows: number): WasmFunction {
  const sumAt = (row: number, half: number): number => FIRST + 2 * row + half;
  const place = (row: number): number => FIRST + 2 * rows + row;
  const eachRow = (code: (row: number) => Code): Code =>
    Array.from({ length: rows }, (_, row) => code(row)).flat();
  const eachSum = (code: (row: number, half: number) => Code): Code =>
    eachRow((row) => [...code(row, 0), ...code(row, 1)]);
  const findPlaces = (from: number, distance: number): Code =>
    eachRow((row) => [
      ...(row === 0 ? get(from) : [...get(place(row - 1)), ...get(distance), I32_ADD]),
      ...set(place(row)),
    ]);
  const addNext: Code = [
    ...[...get(FROM_B), ...load(0), ...set(LEFT)],
    ...[...get(FROM_B), ...load(VECTOR), ...set(RIGHT)],
    ...findPlaces(FROM_A, ROW),
    ...eachSum((row, half) => [
      ...get(sumAt(row, half)),
      ...[...get(place(row)), ...loadSplat, ...get(half === 0 ? LEFT : RIGHT), ...F32X4_MULTIPLY],
      ...[...F32X4_ADD, ...set(sumAt(row, half))],
    ]),
    ...add(FROM_A, get(STEP)),
    ...add(FROM_B, get(WIDTH)),
  ];
  const computeColumns: Code = [
    ...findPlaces(C, WIDTH),
    ...eachSum((row, half) => [...get(place(row)), ...load(half * VECTOR), ...set(sumAt(row, half))]),
    ...[...get(A), ...set(FROM_A), ...get(B), ...set(FROM_B)],
    ...[...get(B), ...get(DEPTH), ...get(WIDTH), I32_MULTIPLY, I32_ADD, ...set(END_OF_B)],
    ...repeatUntilEqual(FROM_B, END_OF_B, addNext),
    ...findPlaces(C, WIDTH),
    ...eachSum((row, half) => [...get(place(row)), ...get(sumAt(row, half)), ...store(half * VECTOR)]),
    ...add(C, constant(COLUMNS * BYTES)),
    ...add(B, constant(COLUMNS * BYTES)),
  ];
  return {
    name,
    parameters: 7,
    locals: [
      [4, I32],
      [2 + 2 * rows, V128],
      [rows, I32],
    ],
    body: [
      ...[...get(C), ...get(WIDTH), I32_ADD, ...set(END_OF_ROW)],
      ...repeatUntilEqual(C, END_OF_ROW, computeColumns),
    ],
  };
}

/** For each vector between two addresses. */
function overVectors(name: string, parameters: number, compute: Code, next: Code): WasmFunction {
  const [from, end] = [0, 1];
  const body = [...get(from), ...compute, ...store(0), ...add(from, constant(VECTOR)), ...next];
  return { name, parameters, locals: [], body: repeatUntilEqual(from, end, body) };
}

const BY = 2;
const program = wasmModule([
  strip('one', 1),
  strip('four', ROWS),
  overVectors('rectify', 2, [...get(0), ...load(0), ...ZEROS, ...F32X4_MAX], []),
  overVectors(
    'mask',
    3,
    [...get(0), ...load(0), ...get(BY), ...load(0), ...ZEROS, ...F32X4_GREATER, ...V128_AND],
    add(BY, constant(VECTOR)),
  ),
]);

type Strip = (
  c: number,
  a: number,
  b: number,
  width: number,
  depth: number,
  row: number,
  step: number,
) => void;

interface Functions {
  readonly one: Strip;
  readonly four: Strip;
  readonly rectify: (from: number, end: number) => void;
  readonly mask: (from: number, end: number, by: number) => void;
}

export type Shape = readonly [rows: number, columns: number];

/** Rows of numbers. What is in a row beyond its columns, up to a multiple of 8, must stay 0. */
export interface Matrix {
  readonly numbers: Float32Array;
  /** How many numbers a row has. */
  readonly width: number;
}

const padded = (columns: number): number => Math.ceil(columns / COLUMNS) * COLUMNS;

/** Matrices in one memory, and products of them. */
export class Matrices {
  private readonly memory: WebAssembly.Memory;
  private readonly functions: Functions;
  private used = 0;

  /** @param shapes of all matrices that will be made. */
  constructor(shapes: readonly Shape[]) {
    const size = shapes.reduce((sum, [rows, columns]) => sum + rows * padded(columns), 0);
    this.memory = new WebAssembly.Memory({ initial: Math.ceil((size * BYTES) / PAGE) });
    const { exports } = new WebAssembly.Instance(program, { m: { memory: this.memory } });
    // The program above exports these.
    this.functions = exports as unknown as Functions;
  }

  /** A matrix of zeros. */
  matrix(rows: number, columns: number): Matrix {
    const width = padded(columns);
    const numbers = new Float32Array(this.memory.buffer, this.used * BYTES, rows * width);
    this.used += rows * width;
    return { numbers, width };
  }

  /** Adds a·b to the first rows of c; `depth` is the number of rows of b. */
  addProduct(c: Matrix, a: Matrix, b: Matrix, rows: number, depth: number): void {
    this.add(c, a, b, rows, depth, a.width * BYTES, BYTES);
  }

  /** Adds aᵀ·b to the first rows of c. */
  addTransposedProduct(c: Matrix, a: Matrix, b: Matrix, rows: number, depth: number): void {
    this.add(c, a, b, rows, depth, BYTES, a.width * BYTES);
  }

  /** ReLU: numbers below 0 in the first rows become 0. */
  rectify({ numbers, width }: Matrix, rows: number): void {
    this.functions.rectify(numbers.byteOffset, numbers.byteOffset + rows * width * BYTES);
  }

  /** What is not above 0 in `by` becomes 0 in the first rows. */
  mask({ numbers, width }: Matrix, by: Matrix, rows: number): void {
    this.functions.mask(numbers.byteOffset, numbers.byteOffset + rows * width * BYTES, by.numbers.byteOffset);
  }

  private add(c: Matrix, a: Matrix, b: Matrix, rows: number, depth: number, row: number, step: number): void {
    const width = c.width * BYTES;
    for (let from = 0; from < rows;) {
      const [strip, count] = rows - from >= ROWS ? [this.functions.four, ROWS] : [this.functions.one, 1];
      strip(
        c.numbers.byteOffset + from * width,
        a.numbers.byteOffset + from * row,
        b.numbers.byteOffset,
        width,
        depth,
        row,
        step,
      );
      from += count;
    }
  }
}
