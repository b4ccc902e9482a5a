/* oxlint-disable typescript/unbound-method -- methods are called by `apply` */

// Saved now, because the page may replace these later.
const { apply } = Reflect;
const { isFinite: isFiniteNumber } = Number;
const { abs, floor, sign } = Math;
const { toWellFormed } = String.prototype;
const NativeTypeError = TypeError;

/** How Web IDL converts a value. */
type Conversion = (value: unknown) => unknown;

/** The members of a dictionary, in the order of their names, in which Web IDL converts them. */
export type Members = readonly (readonly [name: string, convert: Conversion, required?: true])[];

/** Web IDL, "convert to an integer", without `[Clamp]` or `[EnforceRange]`. */
function integer(value: unknown): number {
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- as Web IDL converts anything: symbols and big integers throw
  const number = +(value as number);
  if (!isFiniteNumber(number)) return 0;
  const whole = (sign(number) * floor(abs(number))) % 2 ** 32;
  return whole < 0 ? whole + 2 ** 32 : whole + 0;
}

const unsignedLong: Conversion = integer;

function long(value: unknown): number {
  const number = integer(value);
  return number >= 2 ** 31 ? number - 2 ** 32 : number;
}

function double(value: unknown): number {
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- as above
  const number = +(value as number);
  if (!isFiniteNumber(number)) throw new NativeTypeError('The number is not finite.');
  return number;
}

// oxlint-disable-next-line typescript/no-unnecessary-template-expression -- as Web IDL converts anything: symbols throw
const text: Conversion = (value) => apply(toWellFormed, `${value as string}`, []);

const sequence =
  (convert: Conversion): Conversion =>
  (value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
      throw new NativeTypeError('The value is no sequence.');
    const items: unknown[] = [];
    // Old libraries give all lists one, which would make JSON of each list a text.
    Object.defineProperty(items, 'toJSON', { value: undefined });
    let count = 0;
    // A property of its own: the page may have replaced `push`, or a setter of the prototype.
    for (const item of value as Iterable<unknown>)
      Object.defineProperty(items, count++, { value: convert(item), enumerable: true, writable: true });
    return items;
  };

export const impressionMembers: Members = [
  ['conversionCallers', sequence(text)],
  ['conversionSites', sequence(text)],
  ['histogramIndex', unsignedLong, true],
  ['lifetimeDays', unsignedLong],
  ['matchValue', unsignedLong],
  ['priority', long],
];

export const conversionMembers: Members = [
  ['aggregationService', text, true],
  ['credit', sequence(double)],
  ['epsilon', double],
  ['histogramSize', unsignedLong, true],
  ['impressionCallers', sequence(text)],
  ['impressionSites', sequence(text)],
  ['lookbackDays', unsignedLong],
  ['matchValues', sequence(unsignedLong)],
  ['maxValue', unsignedLong],
  ['value', unsignedLong],
];

/** @throws TypeError if Web IDL cannot convert `options` to a dictionary with these members; and what the page's own code throws */
export function dictionaryOf(options: unknown, members: Members): object {
  const isObject = typeof options === 'object' || typeof options === 'function';
  if (!isObject && options !== undefined) throw new NativeTypeError('The options are not an object.');
  const read: object = Object.create(null) as object;
  for (const [name, convert, required] of members) {
    const value = (options as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    if (value !== undefined) Object.defineProperty(read, name, { value: convert(value), enumerable: true });
    else if (required) throw new NativeTypeError(`The option ${name} is required.`);
  }
  return read;
}
