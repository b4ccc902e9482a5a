import type { Json } from '../../src/model/json';
import {
  expectation,
  mistake,
  type ExpectationCode,
  type ExpectationValues,
  type Given,
  type Issue,
  type Mistake,
  type MistakeCode,
  type MistakeValues,
} from './mistakes';
import { shown } from './shown';

/** The result of parsing: a value only if there is no error. Warnings never refuse. */
export interface Parsed<T> {
  readonly value: T | null;
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** One mistake of the document as a whole. */
export const refused = (found: Mistake): Parsed<never> => ({
  value: null,
  errors: [{ ...found, path: '' }],
  warnings: [],
});

/** Turns warnings into errors, for documents that must be understood in full. */
export function strictly<T>({ value, errors, warnings }: Parsed<T>): Parsed<T> {
  const issues = [...errors, ...warnings];
  return { value: issues.length === 0 ? value : null, errors: issues, warnings: [] };
}

/** Limits on the mistakes of one document. A header can contain 100,000 mistakes, and a key as long as the header. */
const MOST_ISSUES = 20;
const LONGEST_PATH = 200;

interface IssueSink {
  /** How many were added. */
  readonly count: number;
  /** @param issue is not called once the limit is reached */
  add(issue: () => Issue): void;
}

/** Keeps the first issues of a document, and counts the others. */
export class Issues implements IssueSink {
  private readonly first: Issue[] = [];
  count = 0;

  add(issue: () => Issue): void {
    this.count += 1;
    if (this.first.length === MOST_ISSUES) return;
    const found = issue();
    this.first.push({ ...found, path: shortened(found.path) });
  }

  list(): readonly Issue[] {
    const others = this.count - this.first.length;
    return others === 0
      ? this.first
      : [...this.first, { ...mistake('more-issues', { count: others }), path: '' }];
  }
}

const shortened = (path: string): string =>
  path.length <= LONGEST_PATH
    ? path
    : `${path.slice(0, LONGEST_PATH / 2)}…${path.slice(1 - LONGEST_PATH / 2)}`;

/** A place in a JSON document. Parsers report mistakes to it and continue with a fallback, so that a person sees all mistakes at once. */
export class Place {
  /**
   * @param step null: the value is the whole document.
   * @param parent what the step leads from.
   */
  private constructor(
    readonly value: Json,
    private readonly issues: { readonly errors: IssueSink; readonly warnings: IssueSink },
    private readonly step: string | number | null,
    private readonly parent: Place | null,
  ) {}

  /** The document as a whole. */
  static of(document: Json, issues: { readonly errors: IssueSink; readonly warnings: IssueSink }): Place {
    return new Place(document, issues, null, null);
  }

  /** The path in messages: `event_trigger_data[0].priority`. Only messages need it, so it is not computed before. */
  get path(): string {
    const before = this.parent?.path ?? '';
    if (this.step === null) return before;
    if (typeof this.step === 'number') return `${before}[${this.step}]`;
    return before === '' ? this.step : `${before}.${this.step}`;
  }

  error<Code extends MistakeCode>(code: Code, ...given: Given<MistakeValues[Code]>): void {
    this.add(mistake(code, ...given));
  }

  warn<Code extends MistakeCode>(code: Code, ...given: Given<MistakeValues[Code]>): void {
    this.issues.warnings.add(() => ({ ...mistake(code, ...given), path: this.path }));
  }

  expected<Code extends ExpectationCode>(code: Code, ...given: Given<ExpectationValues[Code]>): void {
    this.issues.errors.add(() => ({
      ...mistake('must-be', { what: expectation(code, ...given), was: shown(this.value) }),
      path: this.path,
    }));
  }

  /** As `error`, for an existing mistake. */
  add(found: Mistake): void {
    this.issues.errors.add(() => ({ ...found, path: this.path }));
  }

  at(key: string, value: Json): Place {
    return new Place(value, this.issues, key, this);
  }

  /** The same place with another value. */
  with(value: Json): Place {
    return new Place(value, this.issues, null, this);
  }

  item(index: number, value: Json): Place {
    return new Place(value, this.issues, index, this);
  }

  /** The result of `parser`, or `otherwise` if it reported a mistake. */
  orElse<T>(parser: (place: Place) => T, otherwise: T): T {
    const before = this.issues.errors.count;
    const result = parser(this);
    return this.issues.errors.count === before ? result : otherwise;
  }

  /** The result of `parser`, and whether it reported nothing, not even a warning. */
  observed<T>(parser: (place: Place) => T): { readonly result: T; readonly isClean: boolean } {
    const { errors, warnings } = this.issues;
    const before = errors.count + warnings.count;
    const result = parser(this);
    return { result, isClean: errors.count + warnings.count === before };
  }

  /** As `orElse`, with null, so that callers need not report more. */
  attempt<T>(parser: (place: Place) => T): T | null {
    return this.orElse<T | null>(parser, null);
  }

  /** Runs `parser` with its errors as warnings, for fields whose mistakes must not refuse the rest. */
  lenient<T>(parser: (place: Place) => T, fallback: T): T {
    const { warnings } = this.issues;
    const errors = {
      count: 0,
      add(issue: () => Issue): void {
        errors.count += 1;
        warnings.add(() => {
          const { path, ...problem } = issue();
          return { ...mistake('ignored', { problem }), path };
        });
      },
    };
    const result = parser(new Place(this.value, { errors, warnings }, null, this));
    return errors.count === 0 ? result : fallback;
  }
}

export function parse<T>(document: Json, parser: (place: Place) => T): Parsed<T> {
  const [errors, warnings] = [new Issues(), new Issues()];
  const value = parser(Place.of(document, { errors, warnings }));
  return { value: errors.count === 0 ? value : null, errors: errors.list(), warnings: warnings.list() };
}
