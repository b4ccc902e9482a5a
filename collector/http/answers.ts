import {
  as,
  choice,
  integer,
  list,
  number,
  orNull,
  string,
  boolean,
  codec,
  type Codec,
} from '../../formats/codec/codec';
import { record, required } from '../../formats/codec/record';
import { isoTime } from '../../analysis/estimate/result/json-fields';
import type { ReportWindows, TriggerSpec } from '../../src/model/registration';
import { milliseconds } from '../../src/model/units';
import type { Truth } from '../../analysis/estimate/result/campaigns';
import type { OutputShape } from '../../analysis/estimate/quantities/quantities';
import { reachNumber } from './posted-reach';
import { summarySlice } from './posted-summary';
import { definition, type IdentifiedConfiguration } from '../sources/definition';
import type { Dimension } from '../store/dimensions';
import type { Statistics } from '../store/statistics';
import type { Counts } from '../store/report-counts';

/* What the collector answers to its dashboard, apart from reports and estimates. */

export interface CountsAnswer extends Counts {
  /** The number of the newest stored source; 0: there is none. */
  readonly newest_source: number;
  /** When something was last posted for the dashboard, in ms since 1970; 0: never. */
  readonly newest_posted: number;
}

/** What was last posted for the dashboard. */
export interface PostedAnswer<Row> {
  /** Null: nothing yet. */
  readonly received_time: Date | null;
  readonly rows: readonly Row[];
}

export interface ConfigurationAnswer extends IdentifiedConfiguration {
  /** Null at ε = 0, where nothing can be estimated. */
  readonly shape: OutputShape | null;
}

export interface DimensionsAnswer {
  /** From before all else in the answer: while they stay the same, nothing is newer. */
  readonly counts: CountsAnswer;
  readonly dimensions: readonly Dimension[];
  readonly configurations: readonly ConfigurationAnswer[];
}

/** What happened, by configuration and group; a group without conversions is missing. */
export type TruthAnswer = Truth;

const count = integer(0, Number.MAX_SAFE_INTEGER);

const date: Codec<Date> = codec(
  (place) => new Date(isoTime(place)),
  (value) => value.toISOString(),
  isoTime.schema,
);

const duration = as(milliseconds, number());

const shape = record<OutputShape>({
  triggerSpecs: required(
    'triggerSpecs',
    list(
      record<TriggerSpec>({
        triggerData: required('triggerData', list(count)),
        windows: required(
          'windows',
          record<ReportWindows>({
            start: required('start', duration),
            ends: required('ends', list(duration)),
          }),
        ),
        summaryOperator: required('summaryOperator', choice('count', 'value_sum')),
        summaryBuckets: required('summaryBuckets', list(count)),
      }),
    ),
  ),
  maxEventLevelReports: required('maxEventLevelReports', count),
  flexible: required('flexible', boolean),
});

const configuration = record<ConfigurationAnswer>({
  id: required('id', string),
  definition: required('definition', definition),
  shape: required('shape', orNull(shape)),
});

export const counts: Codec<CountsAnswer> = record<CountsAnswer>({
  received: required('received', count),
  duplicates: required('duplicates', count),
  conflicting: required('conflicting', count),
  refused: required('refused', count),
  newest_source: required('newest_source', count),
  newest_posted: required('newest_posted', count),
});

const posted = <Row>(row: Codec<Row>): Codec<PostedAnswer<Row>> =>
  record<PostedAnswer<Row>>({
    received_time: required('received_time', orNull(date)),
    rows: required('rows', list(row)),
  });

/** Slices of summary reports and of W3C histograms. */
export const summary = posted(summarySlice);
export const reach = posted(reachNumber);

export const truth: Codec<TruthAnswer> = record<TruthAnswer>({
  groups: required(
    'groups',
    list(
      record<TruthAnswer['groups'][number]>({
        configuration: required('configuration', string),
        group: required('group', string),
        conversions: required('conversions', count),
        converted: required('converted', count),
      }),
    ),
  ),
});

export const statistics: Codec<Statistics> = record<Statistics>({
  reports: required('reports', count),
  sources: required('sources', count),
  unit: required('unit', choice('hour', 'day', 'month')),
  groups: required(
    'groups',
    list(
      record<Statistics['groups'][number]>({
        group: required('group', orNull(string)),
        reports: required('reports', count),
        sources: required('sources', count),
      }),
    ),
  ),
  moreGroups: required('moreGroups', count),
  overTime: required(
    'overTime',
    list(
      record<Statistics['overTime'][number]>({
        start: required('start', date),
        group: required('group', orNull(string)),
        other: required('other', boolean),
        reports: required('reports', count),
      }),
    ),
  ),
  delays: required(
    'delays',
    list(
      record<Statistics['delays'][number]>({
        from: required('from', orNull(number())),
        to: required('to', orNull(number())),
        reports: required('reports', count),
      }),
    ),
  ),
});

export const dimensions: Codec<DimensionsAnswer> = record<DimensionsAnswer>({
  counts: required('counts', counts),
  dimensions: required(
    'dimensions',
    list(
      record<Dimension>({
        name: required('name', string),
        isFeature: required('isFeature', boolean),
        values: required(
          'values',
          list(
            record<Dimension['values'][number]>({
              value: required('value', string),
              sources: required('sources', count),
            }),
          ),
        ),
        distinct: required('distinct', count),
      }),
    ),
  ),
  configurations: required('configurations', list(configuration)),
});
