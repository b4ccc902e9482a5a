import type { Json } from '../model/json';
import {
  expectation,
  mistake,
  shown,
  type ExpectationCode,
  type ExpectationValues,
  type Given,
  type Issue,
  type Mistake,
  type MistakeCode,
  type MistakeValues,
} from '../model/mistakes';

/** What came of parsing: a value only when there is no error. Warnings never refuse. */
export interface Parsed<T> {
  readonly value: T | null;
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** What was parsed where a warning refuses, too: nothing of another version is to be expected, and nothing may be passed over. */
export function strictly<T>({ value, errors, warnings }: Parsed<T>): Parsed<T> {
  const issues = [...errors, ...warnings];
  return { value: issues.length === 0 ? value : null, errors: issues, warnings: [] };
}

/**
 * A place in the JSON of a registration. Parsers report what is wrong to it and carry on with a fallback, so that
 * a person sees every mistake at once; `parse` throws the fallbacks away when there was any error.
 */
export class Place {
  constructor(
    readonly value: Json,
    readonly path: string,
    private readonly issues: { readonly errors: Issue[]; readonly warnings: Issue[] },
  ) {}

  error<Code extends MistakeCode>(code: Code, ...given: Given<MistakeValues[Code]>): void {
    this.add(mistake(code, ...given));
  }

  warn<Code extends MistakeCode>(code: Code, ...given: Given<MistakeValues[Code]>): void {
    this.issues.warnings.push({ ...mistake(code, ...given), path: this.path });
  }

  /** "must be …, was …" */
  expected<Code extends ExpectationCode>(code: Code, ...given: Given<ExpectationValues[Code]>): void {
    this.error('must-be', { what: expectation(code, ...given), was: shown(this.value) });
  }

  /** As `error`, of a mistake that is found already. */
  add(found: Mistake): void {
    this.issues.errors.push({ ...found, path: this.path });
  }

  at(key: string, value: Json): Place {
    return new Place(value, this.path === '' ? key : `${this.path}.${key}`, this.issues);
  }

  /** The same place with what its value stands for. */
  with(value: Json): Place {
    return new Place(value, this.path, this.issues);
  }

  item(index: number, value: Json): Place {
    return new Place(value, `${this.path}[${index}]`, this.issues);
  }

  /** What `parser` reads here, or null when it reported a mistake: nothing more need then be said of the value. */
  attempt<T>(parser: (place: Place) => T): T | null {
    const before = this.issues.errors.length;
    const result = parser(this);
    return this.issues.errors.length === before ? result : null;
  }

  /** Runs `parser` so that its errors count as warnings: for fields whose mistakes must not refuse the rest. */
  lenient<T>(parser: (place: Place) => T, fallback: T): T {
    const errors: Issue[] = [];
    const result = parser(new Place(this.value, this.path, { errors, warnings: this.issues.warnings }));
    this.issues.warnings.push(
      ...errors.map(({ path, ...problem }) => ({ ...mistake('ignored', { problem }), path })),
    );
    return errors.length === 0 ? result : fallback;
  }
}

/** Runs a parser over a whole document. */
export function parse<T>(document: Json, parser: (place: Place) => T): Parsed<T> {
  const issues = { errors: [] as Issue[], warnings: [] as Issue[] };
  const value = parser(new Place(document, '', issues));
  return { value: issues.errors.length === 0 ? value : null, ...issues };
}
