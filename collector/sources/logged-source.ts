import type { SourceType } from '../../src/model/limits';
import type { Parser } from '../../formats/codec/codec';
import {
  feature,
  isStorable,
  sourceRow,
  type NamedConfiguration,
  type Scalar,
} from '../../formats/sources/source-row';
import { configurationOf } from './configuration';
import type { IdentifiedConfiguration } from './definition';

/** A source of the log, as it is stored. */
export interface LoggedSource {
  readonly sourceEventId: bigint;
  readonly reportingOrigin: string;
  readonly destinations: readonly string[];
  readonly sourceType: SourceType;
  readonly time: Date;
  /** The configuration's id. */
  readonly configuration: string;
  /** Other values of the row, by name: campaign, position, … */
  readonly features: Readonly<Record<string, Scalar>>;
}

export interface ParsedSource {
  readonly source: LoggedSource;
  readonly configuration: IdentifiedConfiguration;
}

/** @param configurations the known ones, which a row may name by id. */
export const loggedSource =
  (configurations: ReadonlyMap<string, IdentifiedConfiguration>): Parser<ParsedSource | null> =>
  (place) => {
    const row = place.attempt(sourceRow((id) => namedBy(configurations.get(id))));
    if (row === null) return null;
    const { name, configuration: described, features, time, ...source } = row;
    if (described === null) {
      place.at('configuration', name).expected('known-configuration');
      return null;
    }
    const { registration, epsilon, mechanism } = described;
    const configuration = configurationOf(
      registration,
      source.sourceType,
      epsilon,
      mechanism,
      place.at('mechanism', null),
    );
    if (name !== null && name !== configuration.id)
      place.at('configuration', name).expected('same-configuration', { id: configuration.id });
    return {
      source: {
        ...source,
        time: new Date(time),
        configuration: configuration.id,
        features: Object.fromEntries(
          Object.entries(features).map(([field, value]) => {
            const isName = field !== '' && isStorable(field);
            if (!isName) place.at(field, field).expected('feature-name');
            return [field, feature(place.at(field, value))];
          }),
        ),
      },
      configuration,
    };
  };

const namedBy = (configuration: IdentifiedConfiguration | undefined): NamedConfiguration | null =>
  configuration === undefined
    ? null
    : {
        sourceType: configuration.definition.source_type,
        registration: configuration.definition.registration,
        epsilon: null,
        mechanism: configuration.definition.mechanism,
      };
