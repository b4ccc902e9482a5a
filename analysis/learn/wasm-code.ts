/*
 * The encodings of WebAssembly that lab programs need (sections 2.5 and 5 of its specification), and functions that put them together.
 */

export type Code = readonly number[];

export const I32 = 0x7f;
export const V128 = 0x7b;
const END = 0x0b;
export const I32_ADD = 0x6a;
export const I32_MULTIPLY = 0x6c;

const LOAD = 0x00;
const LOAD_SPLAT = 0x09;
const STORE = 0x0b;

/** LEB128 of a number from 0. */
function unsigned(value: number): Code {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...unsigned(value >>> 7)];
}

const simd = (operation: number): Code => [0xfd, ...unsigned(operation)];
// Addresses are multiples of 4.
const memory = (operation: number, offset: number): Code => [...simd(operation), 2, ...unsigned(offset)];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number): Code => [0x21, ...unsigned(local)];
/** @param value below 64, because constants are signed. */
export const constant = (value: number): Code => [0x41, value];
export const add = (local: number, amount: Code): Code => [...get(local), ...amount, I32_ADD, ...set(local)];

export const load = (offset: number): Code => memory(LOAD, offset);
/** One number in all four places. */
export const loadSplat = memory(LOAD_SPLAT, 0);
export const store = (offset: number): Code => memory(STORE, offset);
export const ZEROS: Code = [...simd(0x0c), ...new Array<number>(16).fill(0)];
export const F32X4_GREATER = simd(0x44);
export const F32X4_ADD = simd(0xe4);
export const F32X4_MULTIPLY = simd(0xe6);
export const F32X4_MAX = simd(0xe9);
export const V128_AND = simd(0x4e);

/** Repeats the body until two locals are equal; runs it at least once. */
export const repeatUntilEqual = (a: number, b: number, body: Code): Code => [
  ...[0x03, 0x40],
  ...body,
  ...[...get(a), ...get(b), 0x47, 0x0d, 0],
  END,
];

const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const named = (text: string): Code => vector(Array.from(text, (character) => [character.charCodeAt(0)]));

export interface WasmFunction {
  readonly name: string;
  /** How many parameters it has, all i32. They are the first locals. */
  readonly parameters: number;
  /** The other locals, by number and type. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly body: Code;
}

/** A module that imports a memory, `m.memory`, and exports functions without results. */
export function wasmModule(functions: readonly WasmFunction[]): WebAssembly.Module {
  const i32s = (count: number): Code => vector(Array.from({ length: count }, () => [I32]));
  const codes = functions.map(({ locals, body }) => {
    const whole = [...vector(locals.map(([count, type]) => [...unsigned(count), type])), ...body, END];
    return [...unsigned(whole.length), ...whole];
  });
  return new WebAssembly.Module(
    Uint8Array.from([
      ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      ...section(1, vector(functions.map(({ parameters }) => [0x60, ...i32s(parameters), 0]))),
      ...section(2, vector([[...named('m'), ...named('memory'), 0x02, 0x00, 0x00]])),
      ...section(3, vector(functions.map((_, index) => [index]))),
      ...section(7, vector(functions.map(({ name }, index) => [...named(name), 0x00, index]))),
      ...section(10, vector(codes)),
    ]),
  );
}
