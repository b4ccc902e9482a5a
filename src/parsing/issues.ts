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

/** The result of parsing: a value only if there is no error. Warnings never refuse. */
export interface Parsed<T> {
  readonly value: T | null;
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** Turns warnings into errors, for documents that must be understood in full. */
export function strictly<T>({ value, errors, warnings }: Parsed<T>): Parsed<T> {
  const issues = [...errors, ...warnings];
  return { value: issues.length === 0 ? value : null, errors: issues, warnings: [] };
}

/**
 * A place in a JSON document. Parsers report mistakes to it and continue with a fallback, so that a person sees all mistakes at once.
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

  expected<Code extends ExpectationCode>(code: Code, ...given: Given<ExpectationValues[Code]>): void {
    this.error('must-be', { what: expectation(code, ...given), was: shown(this.value) });
  }

  /** As `error`, for an existing mistake. */
  add(found: Mistake): void {
    this.issues.errors.push({ ...found, path: this.path });
  }

  at(key: string, value: Json): Place {
    return new Place(value, this.path === '' ? key : `${this.path}.${key}`, this.issues);
  }

  /** The same place with another value. */
  with(value: Json): Place {
    return new Place(value, this.path, this.issues);
  }

  item(index: number, value: Json): Place {
    return new Place(value, `${this.path}[${index}]`, this.issues);
  }

  /** The result of `parser`, or null if it reported a mistake, so that callers need not report more. */
  attempt<T>(parser: (place: Place) => T): T | null {
    const before = this.issues.errors.length;
    const result = parser(this);
    return this.issues.errors.length === before ? result : null;
  }

  /** Runs `parser` with its errors as warnings, for fields whose mistakes must not refuse the rest. */
  lenient<T>(parser: (place: Place) => T, fallback: T): T {
    const errors: Issue[] = [];
    const result = parser(new Place(this.value, this.path, { errors, warnings: this.issues.warnings }));
    this.issues.warnings.push(
      ...errors.map(({ path, ...problem }) => ({ ...mistake('ignored', { problem }), path })),
    );
    return errors.length === 0 ? result : fallback;
  }
}

export function parse<T>(document: Json, parser: (place: Place) => T): Parsed<T> {
  const issues = { errors: [] as Issue[], warnings: [] as Issue[] };
  const value = parser(new Place(document, '', issues));
  return { value: issues.errors.length === 0 ? value : null, ...issues };
}
