import type { JsonObject } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';
import { Memory } from '../../src/model/remembered';
import type { Parser } from '../../formats/codec/codec';
import { parse, type Place } from '../../formats/codec/issues';
import { Fields } from '../../formats/codec/record';
import { commonKeys, LONGEST_COMMON, ownFields } from '../../formats/sources/common-fields';
import {
  feature,
  featuresIn,
  isStorable,
  sourceRow,
  type NamedConfiguration,
  type Scalar,
  type SourceRow,
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

/**
 * A parser for the rows of a log.
 * @param configurations the known ones, which a row may name by id.
 */
export function loggedSource(
  configurations: ReadonlyMap<string, IdentifiedConfiguration>,
): Parser<ParsedSource | null> {
  const identify = identifier();
  const known = new Memory<ParsedSource>({ longest: LONGEST_COMMON });
  return (place) => {
    const keys = commonKeys(place.value);
    const key = keys === null ? '' : `${keys.configured}${keys.destination}${keys.origin}`;
    const like = keys === null ? undefined : known.get(key);
    const own = like === undefined ? null : parse(place.value, ownFields);
    // Otherwise, the mistakes are those of the row as a whole.
    if (like !== undefined && own?.value != null) {
      const { sourceEventId, time } = own.value;
      const features = storedFeatures(featuresIn(new Fields(place)), place);
      return { ...like, source: { ...like.source, sourceEventId, time: new Date(time), features } };
    }
    const { result, isClean } = place.observed(() => parsedSource(place, configurations, identify));
    if (keys !== null && isClean && result !== null) known.put(key, result);
    return result;
  };
}

function parsedSource(
  place: Place,
  configurations: ReadonlyMap<string, IdentifiedConfiguration>,
  identify: ReturnType<typeof identifier>,
): ParsedSource | null {
  const row = place.attempt(sourceRow((id) => namedBy(configurations.get(id))));
  if (row === null) return null;
  const { name, configuration: described, features, time, ...source } = row;
  if (described === null) {
    place.at('configuration', name).expected('known-configuration');
    return null;
  }
  const configuration = identify(source.sourceType, described, place);
  if (name !== null && name !== configuration.id)
    place.at('configuration', name).expected('same-configuration', { id: configuration.id });
  return {
    source: {
      ...source,
      time: new Date(time),
      configuration: configuration.id,
      features: storedFeatures(features, place),
    },
    configuration,
  };
}

const storedFeatures = (features: JsonObject, place: Place): LoggedSource['features'] =>
  Object.fromEntries(
    Object.entries(features).map(([field, value]) => {
      const isName = field !== '' && isStorable(field);
      if (!isName) place.at(field, field).expected('feature-name');
      return [field, feature(place.at(field, value))];
    }),
  );

type Described = NonNullable<SourceRow['configuration']>;

/** In characters. Longer registrations are rare and are identified each time. */
const LONGEST_REGISTRATION = 4000;
const MOST_IDENTIFIED = 1000;

/** Identifying a configuration takes longer than reading a row, and a log has few. So those of randomized response, which has no parameters, are kept. */
function identifier(): (type: SourceType, described: Described, place: Place) => IdentifiedConfiguration {
  const identified = new Map<string, IdentifiedConfiguration>();
  return (type, { registration, given, epsilon, mechanism }, place) => {
    const text = mechanism.kind === 'rr' ? `${type} ${epsilon} ${JSON.stringify(given)}` : null;
    const before = text === null ? undefined : identified.get(text);
    if (before !== undefined) return before;
    const found = configurationOf(registration, type, epsilon, mechanism, place.at('mechanism', null));
    // One that is refused has no outputs.
    const isKept = found.definition.k !== '0' && identified.size < MOST_IDENTIFIED;
    if (isKept && text !== null && text.length <= LONGEST_REGISTRATION) identified.set(text, found);
    return found;
  };
}

const namedBy = (configuration: IdentifiedConfiguration | undefined): NamedConfiguration | null =>
  configuration === undefined
    ? null
    : {
        sourceType: configuration.definition.source_type,
        registration: configuration.definition.registration,
        epsilon: null,
        mechanism: configuration.definition.mechanism,
      };
