import type { LoggedSource } from './join';
import { isJsonObject, type Json } from '../../src/model/json';
import { parse, type Parsed } from '../../formats/codec/issues';
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

/** Reads the source log in order, because a row may name a configuration that later rows refer to. */
export class SourceRows {
  private readonly named = new Map<string, NamedConfiguration>();
  private readonly found = new Set<string>();
  private read = 0;

  constructor(private readonly groupBy: readonly string[]) {}

  /** Reads a row, and remembers the configuration that it names. */
  parse(json: Json): Parsed<LoggedSource> {
    return parse(json, (place) => {
      this.read += 1;
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
          if (value !== undefined || own !== undefined) this.found.add(column);
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
