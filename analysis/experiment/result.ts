import { choice, integer, list, number, orNull, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { sections, type Section } from '../simulation/outcome-counter';

/** The result of one run for the sources of one group, as sums over the group. */
export interface GroupResult {
  /** Its number in the levels of the experiment. */
  readonly level: number;
  readonly group: readonly string[];
  /** `conversions`, `value`, …, or that of a window. */
  readonly quantity: string;
  /** Without correction for noise. */
  readonly observed: number;
  readonly estimate: number;
  /** The ends of the interval; null where it has none. */
  readonly low: number | null;
  readonly high: number | null;
  /** The variance of the estimate, from the noise alone; null if it is unknown, so that the estimate says nothing. */
  readonly variance: number | null;
}

/** Null for what has no limit, because JSON has no infinity. */
export const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

const WINDOW = 'window ';

/** The name of the quantity of one report window. @param end in seconds after the source. */
export const windowQuantity = (end: number): string => `${WINDOW}${end}`;

export const isOfWindow = (quantity: string): boolean => quantity.startsWith(WINDOW);

/** How many of a kind there were in a section of the summary of `simulate`. */
export interface Count {
  readonly section: Section;
  readonly kind: string;
  readonly count: number;
}

interface SourceCount {
  readonly group: readonly string[];
  readonly count: number;
  readonly conversions: number;
}

/** Conversions that came so long after the last source that they could be attributed to, and how many of them made a report. */
interface DelayCount {
  readonly what: string;
  readonly count: number;
  readonly reported: number;
}

export interface RunResult {
  /** The sources of each group in the log, by all columns, and their conversions; only of runs for the truth of several APIs. */
  readonly sources: readonly SourceCount[];
  readonly groups: readonly GroupResult[];
  readonly counts: readonly Count[];
  readonly delays: readonly DelayCount[];
  /** ε of each privacy unit and period, by basic composition. */
  readonly spent: { readonly units: number; readonly mean: number; readonly most: number };
}

const count = integer(0, Number.MAX_SAFE_INTEGER);
const finite = number(-Number.MAX_VALUE, Number.MAX_VALUE);

const group: Parser<GroupResult> = (place) => {
  const fields = new Fields(place);
  return {
    level: fields.required('level', count, 0),
    group: fields.required('group', list(string), []),
    quantity: fields.required('quantity', string, ''),
    observed: fields.required('observed', finite, 0),
    estimate: fields.required('estimate', finite, 0),
    low: fields.required('low', orNull(finite), 0),
    high: fields.required('high', orNull(finite), 0),
    variance: fields.required('variance', orNull(finite), 0),
  };
};

const counted: Parser<Count> = (place) => {
  const fields = new Fields(place);
  return {
    section: fields.required('section', choice(...sections), 'sources'),
    kind: fields.required('kind', string, ''),
    count: fields.required('count', count, 0),
  };
};

const delay: Parser<DelayCount> = (place) => {
  const fields = new Fields(place);
  return {
    what: fields.required('what', string, ''),
    count: fields.required('count', count, 0),
    reported: fields.required('reported', count, 0),
  };
};

const spent: Parser<RunResult['spent']> = (place) => {
  const fields = new Fields(place);
  return {
    units: fields.required('units', count, 0),
    mean: fields.required('mean', finite, 0),
    most: fields.required('most', finite, 0),
  };
};

const sourceCount: Parser<SourceCount> = (place) => {
  const fields = new Fields(place);
  return {
    group: fields.required('group', list(string), []),
    count: fields.required('count', count, 0),
    conversions: fields.required('conversions', count, 0),
  };
};

/** Reads a result from a journal. */
export const runResult: Parser<RunResult> = (place) => {
  const fields = new Fields(place);
  return {
    sources: fields.required('sources', list(sourceCount), []),
    groups: fields.required('groups', list(group), []),
    counts: fields.required('counts', list(counted), []),
    delays: fields.required('delays', list(delay), []),
    spent: fields.required('spent', spent, { units: 0, mean: 0, most: 0 }),
  };
};
