import { createHash } from 'node:crypto';
import type { Mechanism } from '../../analysis/estimate/quantities/configuration';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import type { SourceRegistration } from '../../src/model/registration';
import type { Epsilon } from '../../src/model/units';
import { ParameterError } from '../../src/privacy/parameters';
import type { Place } from '../../formats/codec/issues';
import { serializeSource } from '../../formats/registration/serialize';
import { parseSource } from '../../formats/registration/source';
import { countStates } from '../../src/states/report-space';
import { shapeOf } from '../../src/states/source-space';
import { mechanism as codec } from '../../formats/settings/mechanism';
import type { IdentifiedConfiguration, Definition } from './definition';
import { outputsOf } from './mechanism';

const RELEVANT = [
  'event_level_epsilon',
  'event_report_windows',
  'max_event_level_reports',
  'trigger_data',
  'trigger_data_matching',
  'trigger_specs',
] as const;

/**
 * @param epsilon the ε in effect.
 * @param place receives errors about the mechanism's parameters.
 */
export function configurationOf(
  registration: SourceRegistration,
  sourceType: SourceType,
  epsilon: Epsilon,
  mechanism: Mechanism,
  place: Place,
): IdentifiedConfiguration {
  const serialized = serializeSource({ ...registration, eventLevelEpsilon: epsilon }) as {
    readonly [field: string]: Json;
  };
  const relevant = Object.fromEntries(
    RELEVANT.flatMap((name) => {
      const value = serialized[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const identity = JSON.stringify(
    sorted({ source_type: sourceType, registration: relevant, mechanism: codec.write(mechanism) }),
  );
  const k = kOf(identity, () => {
    const states = countStates(shapeOf(registration));
    if (
      mechanism.kind === 'rr-with-prior' &&
      mechanism.values === undefined &&
      BigInt(mechanism.prior.length) !== states
    ) {
      place.error('prior-per-state', { states: String(states) });
      return 0n;
    }
    try {
      return outputsOf(mechanism, states, epsilon);
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      place.error('mechanism-impossible', { problem: error.issue });
      return 0n;
    }
  });
  return {
    id: createHash('sha256').update(identity).digest('hex'),
    definition: { source_type: sourceType, registration: relevant, mechanism, k: String(k) },
  };
}

/** Some mechanisms take long to build, but there are few different configurations, so the results are kept. */
const knownK = new Map<string, bigint>();
const MAX_KNOWN = 1000;

function kOf(identity: string, compute: () => bigint): bigint {
  const known = knownK.get(identity);
  if (known !== undefined) return known;
  const k = compute();
  if (knownK.size >= MAX_KNOWN) knownK.clear();
  if (k > 0n) knownK.set(identity, k);
  return k;
}

/** Parses a definition's registration. The destination is not part of a configuration, so it uses a placeholder. */
export function parsedRegistration({ registration, source_type: type }: Definition): SourceRegistration {
  const { value, errors } = parseSource(
    { destination: 'https://destination.example', ...registration },
    type,
    chromiumLimits,
  );
  if (value === null) throw new Error(`a configuration is not valid: ${JSON.stringify(errors[0])}`);
  return value;
}

/** Sorts the names of all objects, so that equal values have equal JSON. */
function sorted(json: Json): Json {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json as { readonly [name: string]: Json });
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, sorted(value)]),
  );
}
