import { isJsonObject, type Json } from '../../../src/model/json';
import { Memory } from '../../../src/model/remembered';
import { COMMON_FIELDS, commonKeys, LONGEST_COMMON } from '../../../formats/sources/common-fields';
import type { LoggedSource } from './logged-source';
import { RowPattern, type PatternFields } from './row-pattern';
import type { CommonOfRow, SourceRows } from './source-rows';

/** A line is compared with each. */
const MOST_PATTERNS = 8;
/** A pattern takes longer to make than a row to parse. After the first ones, only one line of so many is tried. */
const ADMITTED = 100;

/** Texts of common fields, and what they mean. */
interface Configured extends Omit<CommonOfRow, 'destinations'> {
  readonly texts: readonly string[];
}

const MOST_LAST = 4;

/** Rows with the same fields, and what the texts of their common fields mean. */
interface Alike {
  readonly pattern: RowPattern;
  readonly configured: Memory<Configured>;
  /** Of `configured`, the ones that were found last: to compare few texts is faster than to look for one. */
  readonly last: Configured[];
  readonly destinations: Memory<CommonOfRow['destinations']>;
}

/** Reads lines that are like some that `SourceRows` has read, in a third of the time. */
export class AlikeRows {
  /** The one that was last used is the first. */
  private readonly patterns: Alike[] = [];
  private readonly fields: PatternFields | null;
  private tried = 0;

  constructor(private readonly rows: SourceRows) {
    const values = rows.ownColumns;
    this.fields = values === null ? null : { values, known: COMMON_FIELDS, other: 'destination' };
  }

  /** What `SourceRows` makes of the line, which then has no mistake; null if it must read the line. */
  parse(text: string): LoggedSource | null {
    for (let place = 0; place < this.patterns.length; place++) {
      const alike = this.patterns[place];
      const found = alike?.pattern.match(text) ?? null;
      if (alike === undefined || found === null) continue;
      if (place > 0) {
        this.patterns.splice(place, 1);
        this.patterns.unshift(alike);
      }
      const configured = configuredIn(alike, found.known);
      const destinations = alike.destinations.get(found.other);
      return configured === undefined || destinations === undefined
        ? null
        : this.rows.validOne(found.values, {
            part: configured.part,
            reportingOrigin: configured.reportingOrigin,
            destinations,
          });
    }
    return null;
  }

  /** Remembers a line that `SourceRows` has read without any mistake. */
  add(text: string, json: Json): void {
    const { fields } = this;
    if (fields === null || !isJsonObject(json) || text.length > LONGEST_COMMON) return;
    let alike = this.patterns.find(({ pattern }) => pattern.match(text) !== null);
    if (alike === undefined && ++this.tried > MOST_PATTERNS && this.tried % ADMITTED !== 0) return;
    const common = this.rows.commonOf(commonKeys(json));
    if (common === null) return;
    alike ??= this.begun(RowPattern.of(text, json, fields));
    const found = alike?.pattern.match(text) ?? null;
    if (alike === undefined || found === null) return;
    const { part, reportingOrigin, destinations } = common;
    alike.configured.put(keyOf(found.known), { texts: found.known, part, reportingOrigin });
    alike.destinations.put(found.other, destinations);
  }

  private begun(pattern: RowPattern | null): Alike | undefined {
    if (pattern === null) return undefined;
    const longest = LONGEST_COMMON;
    this.patterns.splice(MOST_PATTERNS - 1);
    this.patterns.unshift({
      pattern,
      configured: new Memory({ longest }),
      last: [],
      destinations: new Memory({ longest }),
    });
    return this.patterns[0];
  }
}

function configuredIn({ last, configured }: Alike, texts: readonly string[]): Configured | undefined {
  for (const one of last) if (texts.every((text, place) => text === one.texts[place])) return one;
  const found = configured.get(keyOf(texts));
  if (found === undefined) return undefined;
  last.unshift(found);
  last.splice(MOST_LAST);
  return found;
}

/** No JSON in a line has a line break. */
const keyOf = (texts: readonly string[]): string => texts.join('\n');
