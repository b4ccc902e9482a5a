import { chromiumLimits } from '../../../src/model/limits';
import { epsilon, type Moment } from '../../../src/model/units';
import { as, list, number, orNull, string, codec, type Codec } from '../../../formats/codec/codec';
import {
  Fields,
  nullable,
  orUndefined,
  record,
  required,
  type RecordCodec,
} from '../../../formats/codec/record';
import { serializeOutputs } from '../../../formats/registration/serialize';
import { parseSource } from '../../../formats/registration/source';
import { mechanism } from '../../../formats/settings/mechanism';
import type { Configuration } from '../quantities/configuration';
import { reportCounts, sourceCounts, type EstimateResultJson } from './estimate-result';
import { byName, count, isoTime } from './json-fields';
import type { OutputShape } from '../quantities/quantities';
import { delaysUntil, type DelayedReports } from '../unbiased/report-delays';
import { mergeConfigurations, type CountedConfiguration, type GroupTally } from '../unbiased/tally';

/**
 * Sufficient statistics of a log: how many sources of each configuration and group gave each output, and how the lines were used. Estimates need
 * nothing else. Those of parts of a log add up to those of the whole, if no source has reports in another part.
 */
export interface Statistics extends Pick<EstimateResultJson, 'sources' | 'reports'> {
  readonly groupBy: readonly string[];
  /** ISO 8601, as in `EstimateResultJson`. */
  readonly asOf: string | null;
  /** The largest difference between the clocks of the log and the browsers, in seconds. */
  readonly skew: number;
  readonly configurations: readonly CountedConfiguration[];
}

/** The registration needs a destination, which affects no output. */
const DESTINATION = 'https://statistics.example';

const shape: Codec<OutputShape> = codec(
  (place) => {
    const fields = new Fields(place);
    const registration = { ...fields.verbatim([...fields.names()]), ...fixed };
    const { value, errors } = parseSource(registration, 'navigation', chromiumLimits);
    for (const error of errors) place.at(error.path, null).add(error);
    const { triggerSpecs = [], maxEventLevelReports = 0, flexible = false } = value ?? {};
    return { triggerSpecs, maxEventLevelReports, flexible };
  },
  serializeOutputs,
  { type: 'object' },
);

/** `exact` takes any trigger data. */
const fixed = { destination: DESTINATION, trigger_data_matching: 'exact' };

const tallies = byName(count);

const tally: Codec<GroupTally['tally']> = codec(
  (place): ReadonlyMap<string, number> => new Map(Object.entries(tallies(place))),
  (outputs) => Object.fromEntries(outputs),
  tallies.schema,
);

const configuration = record<Configuration>({
  shape: required('registration', shape),
  epsilon: required('epsilon', as(epsilon, number(0))),
  mechanism: required('mechanism', mechanism),
});

const delays = list(
  record<DelayedReports>({
    due: required('due_hour', count),
    delay: required('hours_late', count),
    last: required('last_arrival_hour', count),
    reports: required('reports', count),
  }),
);

const counted = record<CountedConfiguration>({
  given: nullable('name', string),
  configuration: required('configuration', configuration),
  delays: orUndefined('report_delays', delays),
  groups: required(
    'groups',
    list(record<GroupTally>({ group: required('group', list(string)), tally: required('outputs', tally) })),
  ),
});

export const statistics: RecordCodec<Statistics> = record<Statistics>({
  groupBy: required('group_by', list(string)),
  asOf: required('as_of', orNull(isoTime)),
  skew: required('skew', number(0)),
  sources: required('sources', sourceCounts),
  reports: required('reports', reportCounts),
  configurations: required('configurations', list(counted)),
});

/** The fields of the JSON that statistics must have in common to be added up. */
export const joining = ['group_by', 'as_of', 'skew'] as const;

/** Adds up the statistics of two parts, which agree in `joining`. */
export const addStatistics = (a: Statistics, b: Statistics): Statistics => ({
  ...a,
  sources: sums(a.sources, b.sources),
  reports: {
    ...sums(a.reports, b.reports),
    inconsistent: sums(a.reports.inconsistent, b.reports.inconsistent),
    other_kinds: Object.fromEntries(
      Object.entries(sums(a.reports.other_kinds, b.reports.other_kinds)).sort(),
    ),
  },
  configurations: mergeConfigurations([...a.configurations, ...b.configurations]),
});

/** Statistics of a part of a log whose last report arrived in another part. @param last in that part */
export const arrivedUntil = (part: Statistics, last: Moment): Statistics => ({
  ...part,
  configurations: part.configurations.map(({ delays, ...counted }) =>
    delays === undefined ? counted : { ...counted, delays: delaysUntil(delays, last) },
  ),
});

/** Adds the numbers of two objects, name by name. Anything else is taken from the first. */
const sums = <T extends object>(a: T, b: T): T =>
  Object.fromEntries(
    Object.entries({ ...b, ...a }).map(([name, value]: [string, unknown]) => {
      const other: unknown = new Map<string, unknown>(Object.entries(b)).get(name);
      const both = Object.hasOwn(a, name) && typeof value === 'number' && typeof other === 'number';
      return [name, both ? value + other : value];
    }),
  ) as T;
