import type { LoggedSource } from './join';
import { isJsonObject, type Json } from '../../src/model/json';
import { Memory } from '../../src/model/remembered';
import { moment } from '../../src/model/units';
import { uint64 } from '../../formats/codec/codec';
import { parse, type Parsed, type Place } from '../../formats/codec/issues';
import { Fields } from '../../formats/codec/record';
import { time } from '../../formats/codec/time';
import {
  feature,
  sourceRow,
  type NamedConfiguration,
  type SourceRow,
} from '../../formats/sources/source-row';

/** The properties by which sources can be grouped besides their features, as in the collector. */
const groups: Readonly<Record<string, (row: SourceRow) => string>> = {
  destination: ({ destinations }) => destinations.join(' '),
  source_type: ({ sourceType }) => sourceType,
  reporting_origin: ({ reportingOrigin }) => reportingOrigin,
  configuration: ({ name }) => name ?? '',
  mechanism: ({ configuration }) => configuration?.mechanism.kind ?? '',
};

/** What sources have in common: all but their ids and times. */
type CommonPart = Omit<LoggedSource, 'sourceEventId' | 'time'>;

/** The fields that decide it, besides the columns to group by. */
const COMMON = [
  'configuration',
  'source_type',
  'reporting_origin',
  'destination',
  'registration',
  'epsilon',
  'mechanism',
] as const;

/** By what decides them. */
export type CommonParts = Memory<CommonPart>;

/** In characters: what decides it for a source of any but the rarest kind. */
const LONGEST_COMMON = 4000;

export const commonParts = (): CommonParts => new Memory({ longest: LONGEST_COMMON });

/** Reads the source log in order, because a row may name a configuration that later rows refer to. */
export class SourceRows {
  private readonly deciding: readonly string[];
  private readonly named = new Map<string, NamedConfiguration>();
  private readonly found = new Set<string>();
  private read = 0;

  /** @param common what was read of other logs, if no log names configurations and all are grouped alike; to compute less */
  constructor(
    private readonly groupBy: readonly string[],
    private readonly common = commonParts(),
  ) {
    this.deciding = [...COMMON, ...groupBy];
  }

  /** Reads a row, and remembers the configuration that it names. */
  parse(json: Json): Parsed<LoggedSource> {
    this.read += 1;
    if (this.found.size < this.groupBy.length) this.findColumns(json);
    const key = this.keyOf(json);
    const common = key === null ? undefined : this.common.get(key);
    if (common !== undefined) return parse(json, (place) => oneOf(common, place));
    const parsed = this.parseAll(json);
    // A row that gives no configuration may name one that a later row makes.
    if (key !== null && parsed.value?.configuration != null && parsed.warnings.length === 0)
      this.common.put(key, commonPart(parsed.value));
    return parsed;
  }

  private findColumns(json: Json): void {
    for (const column of this.groupBy)
      if (Object.hasOwn(groups, column) || (isJsonObject(json) && Object.hasOwn(json, column)))
        this.found.add(column);
  }

  /** What decides the common part; null if a registration has an id, which must be that of the row. */
  private keyOf(json: Json): string | null {
    if (!isJsonObject(json)) return null;
    let key = '';
    for (const name of this.deciding)
      key += `${Object.hasOwn(json, name) ? JSON.stringify(json[name]) : ''}\n`;
    return key.includes('source_event_id') ? null : key;
  }

  private parseAll(json: Json): Parsed<LoggedSource> {
    return parse(json, (place) => {
      const row = sourceRow((name) => this.named.get(name) ?? null)(place);
      const { sourceType, name, configuration } = row;
      if (name !== null && configuration !== null && !this.named.has(name)) {
        const { given: registration, epsilon, mechanism } = configuration;
        this.named.set(name, { sourceType, registration, epsilon, mechanism });
      }
      return {
        ...row,
        configuration: configurationOf(row),
        group: this.groupBy.map((column) => {
          const value = isJsonObject(json) && Object.hasOwn(json, column) ? json[column] : undefined;
          const own = Object.hasOwn(groups, column) ? groups[column] : undefined;
          return own?.(row) ?? String(feature(place.at(column, value ?? null)) ?? '');
        }),
      };
    });
  }

  /** A column to group by that none of the rows had. */
  missing(): string | undefined {
    return this.read === 0 ? undefined : this.groupBy.find((column) => !this.found.has(column));
  }
}

const commonPart = ({
  reportingOrigin,
  destinations,
  sourceType,
  configuration,
  group,
}: CommonPart): CommonPart => ({ reportingOrigin, destinations, sourceType, configuration, group });

/** One of the sources with this in common. */
function oneOf(common: CommonPart, place: Place): LoggedSource {
  const fields = new Fields(place);
  const { reportingOrigin, destinations, sourceType, configuration, group } = common;
  return {
    sourceEventId: fields.required('source_event_id', uint64, 0n),
    time: fields.required('time', time, moment(0)),
    reportingOrigin,
    destinations,
    sourceType,
    configuration,
    group,
  };
}

/** At ε = 0 outputs are noise alone, from which nothing can be estimated. */
function configurationOf({ name, configuration }: SourceRow): LoggedSource['configuration'] {
  if (configuration === null || configuration.epsilon === 0) return null;
  const { registration, epsilon, mechanism } = configuration;
  const { triggerSpecs, maxEventLevelReports, flexible } = registration;
  return {
    name,
    configuration: { shape: { triggerSpecs, maxEventLevelReports, flexible }, epsilon, mechanism },
  };
}
