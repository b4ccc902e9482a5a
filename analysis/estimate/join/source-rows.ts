import type { LoggedSource } from './logged-source';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import { Memory } from '../../../src/model/remembered';
import { parse, type Parsed, type Place } from '../../../formats/codec/issues';
import {
  COMMON_FIELDS,
  commonKeys,
  LONGEST_COMMON,
  OWN_FIELDS,
  ownFields,
  validOwnFields,
} from '../../../formats/sources/common-fields';
import {
  feature,
  isStorable,
  sourceRow,
  type NamedConfiguration,
  type SourceRow,
} from '../../../formats/sources/source-row';

/** What decides the groups of a source, besides its features. */
type Grouped = Pick<SourceRow, 'destinations' | 'sourceType' | 'reportingOrigin' | 'name'> & {
  readonly mechanism: string;
};

/** The properties by which sources can be grouped besides their features, as in the collector. */
const groups: Readonly<Record<string, (row: Grouped) => string>> = {
  destination: ({ destinations }) => destinations.join(' '),
  source_type: ({ sourceType }) => sourceType,
  reporting_origin: ({ reportingOrigin }) => reportingOrigin,
  configuration: ({ name }) => name ?? '',
  mechanism: ({ mechanism }) => mechanism,
};

/** Fields by which rows can be grouped, though others have the same in common. */
const isCommon = (column: string): boolean =>
  !Object.hasOwn(groups, column) && (COMMON_FIELDS.has(column) || column === 'destination');

/** What `configured` of the common keys decides. */
type ConfiguredPart = Pick<LoggedSource, 'sourceType' | 'configuration'> &
  Pick<Grouped, 'name' | 'mechanism'>;

/**
 * What rows of sources have in common, by the fields that decide it. Logs have few configurations, origins and destinations, but many combinations
 * of them.
 */
export interface CommonParts {
  readonly configured: Memory<ConfiguredPart>;
  readonly origins: Memory<string>;
  readonly destinations: Memory<readonly string[]>;
}

/** What a row has in common with others. */
export interface CommonOfRow extends Pick<Grouped, 'reportingOrigin' | 'destinations'> {
  readonly part: ConfiguredPart;
}

export const commonParts = (): CommonParts => ({
  configured: new Memory({ longest: LONGEST_COMMON }),
  origins: new Memory({ longest: LONGEST_COMMON }),
  destinations: new Memory({ longest: LONGEST_COMMON }),
});

/** Reads the source log in order, because a row may name a configuration that later rows refer to. */
export class SourceRows {
  private readonly named = new Map<string, NamedConfiguration>();
  private readonly found = new Set<string>();
  private read = 0;

  /** @param common what was read of other logs, if no log names configurations; to compute less */
  constructor(
    private readonly groupBy: readonly string[],
    private readonly common = commonParts(),
  ) {}

  /** Reads a row, and remembers the configuration that it names. */
  parse(json: Json): Parsed<LoggedSource> {
    this.read += 1;
    if (this.found.size < this.groupBy.length) this.findColumns(json);
    const keys = commonKeys(json);
    const common = this.commonOf(keys);
    if (common !== null) return parse(json, (place) => this.oneOf(common, place));
    const { configured, origins, destinations } = this.common;
    const { parsed, part } = this.parseAll(json);
    const { value, warnings } = parsed;
    // A row that gives no configuration may name one that a later row makes.
    if (keys !== null && part !== null && value?.configuration != null && warnings.length === 0) {
      configured.put(keys.configured, part);
      origins.put(keys.origin, value.reportingOrigin);
      destinations.put(keys.destination, value.destinations);
    }
    return parsed;
  }

  /** What is known of a row that was read; null if it has to be read as a whole. */
  commonOf(keys: ReturnType<typeof commonKeys>): CommonOfRow | null {
    if (keys === null) return null;
    const { configured, origins, destinations } = this.common;
    const part = configured.get(keys.configured);
    const reportingOrigin = origins.get(keys.origin);
    const sites = destinations.get(keys.destination);
    return part === undefined || reportingOrigin === undefined || sites === undefined
      ? null
      : { part, reportingOrigin, destinations: sites };
  }

  /** The source of a row of which this is known, and whose own columns have no nested values. @returns null if `parse` must say what is wrong */
  validOne(row: JsonObject, { part, reportingOrigin, destinations }: CommonOfRow): LoggedSource | null {
    const own = validOwnFields(row);
    if (own === null) return null;
    const { sourceType, configuration, name, mechanism } = part;
    const { sourceEventId, time } = own;
    const group: string[] = [];
    for (const column of this.groupBy) {
      const of = Object.hasOwn(groups, column) ? groups[column] : undefined;
      const value = (Object.hasOwn(row, column) ? row[column] : null) ?? '';
      const text = typeof value === 'object' ? null : String(value);
      if (of === undefined && (text === null || !isStorable(text))) return null;
      group.push(of?.({ reportingOrigin, destinations, sourceType, name, mechanism }) ?? text ?? '');
    }
    return { reportingOrigin, destinations, sourceType, configuration, group, sourceEventId, time };
  }

  /** The fields that `validOne` reads; null if they are not only a row's own. */
  get ownColumns(): ReadonlySet<string> | null {
    const columns = this.groupBy.filter((column) => !Object.hasOwn(groups, column));
    return columns.some(isCommon) ? null : new Set([...OWN_FIELDS, ...columns]);
  }

  private findColumns(json: Json): void {
    for (const column of this.groupBy)
      if (Object.hasOwn(groups, column) || (isJsonObject(json) && Object.hasOwn(json, column)))
        this.found.add(column);
  }

  private parseAll(json: Json): {
    readonly parsed: Parsed<LoggedSource>;
    readonly part: ConfiguredPart | null;
  } {
    let part: ConfiguredPart | null = null;
    const parsed = parse(json, (place) => {
      const row = sourceRow((name) => this.named.get(name) ?? null)(place);
      const { sourceType, name, configuration } = row;
      if (name !== null && configuration !== null && !this.named.has(name)) {
        const { given: registration, epsilon, mechanism } = configuration;
        this.named.set(name, { sourceType, registration, epsilon, mechanism });
      }
      part = {
        sourceType,
        name,
        configuration: configurationOf(row),
        mechanism: configuration?.mechanism.kind ?? '',
      };
      return { ...row, configuration: part.configuration, group: this.groupOf({ ...row, ...part }, place) };
    });
    return { parsed, part };
  }

  private groupOf(row: Grouped, place: Place): readonly string[] {
    const { value: json } = place;
    return this.groupBy.map((column) => {
      const value = isJsonObject(json) && Object.hasOwn(json, column) ? json[column] : undefined;
      const own = Object.hasOwn(groups, column) ? groups[column] : undefined;
      return own?.(row) ?? String(feature(place.at(column, value ?? null)) ?? '');
    });
  }

  /** One of the sources with this in common. To spread objects would take a quarter of the time for a row. */
  private oneOf({ part, reportingOrigin, destinations }: CommonOfRow, place: Place): LoggedSource {
    const { sourceType, configuration, name, mechanism } = part;
    const { sourceEventId, time } = ownFields(place);
    return {
      reportingOrigin,
      destinations,
      sourceType,
      configuration,
      group: this.groupOf({ reportingOrigin, destinations, sourceType, name, mechanism }, place),
      sourceEventId,
      time,
    };
  }

  /** The columns to group by that a row had. */
  get columns(): readonly string[] {
    return [...this.found];
  }

  /** A column to group by that none of the rows had. */
  missing(): string | undefined {
    return this.read === 0 ? undefined : this.groupBy.find((column) => !this.found.has(column));
  }
}

/** At ε = 0 outputs are noise alone. Those of randomized response still show how many reports are lost. */
function configurationOf({ name, configuration }: SourceRow): LoggedSource['configuration'] {
  if (configuration === null) return null;
  const { registration, epsilon, mechanism } = configuration;
  if (epsilon === 0 && mechanism.kind !== 'rr') return null;
  const { triggerSpecs, maxEventLevelReports, flexible } = registration;
  return {
    name,
    configuration: { shape: { triggerSpecs, maxEventLevelReports, flexible }, epsilon, mechanism },
  };
}
