import { Fields, integer, list, number, string, type Parser } from '../../src/parsing/fields';

/** What one run found of the sources of one group. Sums over the group. */
export interface GroupResult {
  /** Its number in the levels of the experiment. */
  readonly level: number;
  readonly group: readonly string[];
  /** `conversions`, `value`, `window 604800`, … */
  readonly quantity: string;
  /** Without correction for noise. */
  readonly observed: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** How many of something there were. */
export interface Count {
  readonly what: string;
  readonly count: number;
}

export interface RunResult {
  readonly groups: readonly GroupResult[];
  /** `sources stored`, `triggers_dropped trigger-event-excessive-reports`, …, as the summary of `simulate` counts them. */
  readonly counts: readonly Count[];
  /** Conversions by the time since the last source that they could be attributed to, and how many of them made a report. */
  readonly delays: readonly (Count & { readonly reported: number })[];
  /** ε of each privacy unit and period, by basic composition. */
  readonly spent: { readonly units: number; readonly mean: number; readonly most: number };
}

const count = integer(0, Number.MAX_SAFE_INTEGER);
const finite = number(-Number.MAX_VALUE, Number.MAX_VALUE);

const group: Parser<GroupResult> = (place) => {
  const fields = new Fields(place);
  return {
    level: fields.required('level', count, 0),
    group: fields.required('group', list(string()), []),
    quantity: fields.required('quantity', string(), ''),
    observed: fields.required('observed', finite, 0),
    estimate: fields.required('estimate', finite, 0),
    low: fields.required('low', finite, 0),
    high: fields.required('high', finite, 0),
  };
};

const counted = (fields: Fields): Count => ({
  what: fields.required('what', string(), ''),
  count: fields.required('count', count, 0),
});

const spent: Parser<RunResult['spent']> = (place) => {
  const fields = new Fields(place);
  return {
    units: fields.required('units', count, 0),
    mean: fields.required('mean', finite, 0),
    most: fields.required('most', finite, 0),
  };
};

/** Reads a result from a journal. */
export const runResult: Parser<RunResult> = (place) => {
  const fields = new Fields(place);
  const delay: Parser<RunResult['delays'][number]> = (at) => {
    const of = new Fields(at);
    return { ...counted(of), reported: of.required('reported', count, 0) };
  };
  return {
    groups: fields.required('groups', list(group), []),
    counts: fields.required(
      'counts',
      list((at) => counted(new Fields(at))),
      [],
    ),
    delays: fields.required('delays', list(delay), []),
    spent: fields.required('spent', spent, { units: 0, mean: 0, most: 0 }),
  };
};
