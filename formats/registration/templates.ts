import type { Limits } from '../../src/model/limits';
import { Memory } from '../../src/model/remembered';
import type { ReadHeaders } from '../../src/work';
import { MAX_UINT64 } from '../codec/codec';
import type { Parsed } from '../codec/issues';

const LONGEST_TEMPLATE = 1000;
/** In characters: some thousand campaigns. Each registration that is kept takes several times its header. */
const TEMPLATES = 250_000;

/** The number that mostly differs between the headers of a campaign. */
interface Varying<Value> {
  /** The name of its field. */
  readonly field: string;
  /** Null where the registration has none. */
  readonly of: (registration: Value) => bigint | null;
  readonly with: (registration: Value, number: bigint) => Value;
}

/** Valid registrations by their headers. If headers differ only in one number, only the first is parsed. */
export class Templates<Value> {
  private readonly name: string;
  private readonly pattern: RegExp;

  constructor(private readonly varying: Varying<Value>) {
    this.name = `"${varying.field}"`;
    this.pattern = new RegExp(`${this.name}:"(\\d{1,20})"`);
  }

  /**
   * The parser's result for this header, whichever header it read before.
   * @param kind anything else that the result depends on.
   */
  parse(
    header: string,
    kind: string,
    limits: Limits,
    read: ReadHeaders<Value>,
    parser: () => Parsed<Value>,
  ): Parsed<Value> {
    const found = this.numberIn(header);
    const memory = memoryFor(limits, read);
    const template = `${kind} ${found?.rest ?? header}`;
    const before = memory.get(template);
    if (before !== undefined) {
      const { registration, warnings } = before;
      const value = found === null ? registration : this.varying.with(registration, found.number);
      return { value, errors: [], warnings };
    }
    const parsed = parser();
    const { value: registration, warnings } = parsed;
    if (registration !== null && (found === null || this.varying.of(registration) === found.number))
      memory.put(template, { registration, warnings });
    return parsed;
  }

  /** The number and the header without it, if only that field can contain the number. */
  private numberIn(header: string): { readonly number: bigint; readonly rest: string } | null {
    const found = this.pattern.exec(header);
    // An escape sequence could be another spelling of the name.
    if (found === null || header.includes('\\')) return null;
    const [text, digits = ''] = found;
    const number = BigInt(digits);
    const isOnly = header.indexOf(this.name) === header.lastIndexOf(this.name);
    if (!isOnly || number === 0n || number > MAX_UINT64) return null;
    // No JSON has this character between the two.
    const rest = `${header.slice(0, found.index)}\0${header.slice(found.index + text.length)}`;
    return { number, rest };
  }
}

function memoryFor<Value>(
  limits: Limits,
  read: ReadHeaders<Value>,
): NonNullable<ReturnType<typeof read.get>> {
  let memory = read.get(limits);
  if (memory === undefined)
    read.set(limits, (memory = new Memory({ longest: LONGEST_TEMPLATE, mostCharacters: TEMPLATES })));
  return memory;
}
