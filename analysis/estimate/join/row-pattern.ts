import type { Json, JsonObject } from '../../../src/model/json';

const STRING = String.raw`"[^"\\\x00-\x1f]*"`;
/** Every such number is finite. */
const NUMBER = String.raw`-?(?:0|[1-9]\d{0,99})(?:\.\d+)?(?:[eE][+-]?\d\d?)?`;
/** JSON without escapes and without fields. */
const SCALAR = `${STRING}|${NUMBER}|true|false|null`;

const ESCAPED = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const REST = String.raw`[^{}[\]"]*`;
/** Brackets within brackets: enough for a registration. */
const NESTED = [1, 2, 3].reduce(
  (inner) => String.raw`[{[]${REST}(?:(?:${ESCAPED}|${inner})${REST})*[}\]]`,
  String.raw`[{[]${REST}(?:${ESCAPED}${REST})*[}\]]`,
);
/**
 * Finds where a value of valid JSON ends, and takes much else for a value, too. None begins with the space before it, which would double the ways to match
 * with each field.
 */
const ANY = `${ESCAPED}|${NESTED}|[^{}[\\]", ][^{}[\\]",]*`;

/** A field of a pattern whose text matters. */
interface ReadField {
  readonly name: string;
  readonly isValue: boolean;
}
const NONE: ReadField = { name: '', isValue: false };

/** The varying fields of a line, and the texts of the others that matter. */
interface Matched {
  readonly values: JsonObject;
  /** A line with the same texts has the same values there. */
  readonly known: readonly string[];
  readonly other: string;
}

/** Which fields of rows are read. No further one matters. */
export interface PatternFields {
  /** Without nested values. */
  readonly values: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
  /** One more with a text of its own. */
  readonly other: string;
}

/**
 * Recognises lines with the same fields in the same order as one that was parsed, and finds in them the values of some fields and the texts of others. If
 * these texts were in a line of valid JSON, so is the whole line, and `JSON.parse` finds the same in it.
 */
export class RowPattern {
  private constructor(
    private readonly pattern: RegExp,
    private readonly read: readonly ReadField[],
    private readonly other: string,
  ) {}

  /** @returns null if there is none for the line. */
  static of(text: string, json: JsonObject, fields: PatternFields): RowPattern | null {
    const read: ReadField[] = [];
    const parts = Object.entries(json).map(([name, value]) => {
      const isKnown = fields.known.has(name) || name === fields.other;
      const isRead = isKnown || fields.values.has(name);
      if (isRead) read.push({ name, isValue: !isKnown });
      // Nobody looks whether the text of another one is JSON.
      const isPlain = isKnown || value === null || typeof value !== 'object';
      return isPlain ? `${literal(name)}: ?(${isRead ? '' : '?:'}${isKnown ? ANY : SCALAR})` : null;
    });
    // A set prototype would have the values of its fields.
    if (parts.includes(null) || fields.values.has('__proto__')) return null;
    const found = new RowPattern(
      new RegExp(`^\\{ ?${parts.join(', ?')} ?\\}[ \\t\\r]*$`),
      read,
      fields.other,
    );
    // Not if it repeats a field, or has escapes in the name of one.
    return found.match(text) === null ? null : found;
  }

  match(text: string): Matched | null {
    const found = this.pattern.exec(text);
    if (found === null) return null;
    const values: Record<string, Json> = {};
    const known: string[] = [];
    let other = '';
    for (let place = 0; place < this.read.length; place++) {
      const part = found[place + 1] ?? '';
      const { name, isValue } = this.read[place] ?? NONE;
      if (isValue) values[name] = valueOf(part);
      else if (name === this.other) other = part;
      else known.push(part);
    }
    return { values, known, other };
  }
}

const valueOf = (scalar: string): Json =>
  scalar.startsWith('"') ? scalar.slice(1, -1) : (JSON.parse(scalar) as Json);

const literal = (name: string): string =>
  JSON.stringify(name).replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
