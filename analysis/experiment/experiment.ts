import type { Json, JsonObject } from '../../src/model/json';
import { isJsonObject } from '../../src/model/json';
import {
  boolean,
  choice,
  distinct,
  integer,
  list,
  number,
  string,
  type Parser,
} from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { chromiumLimits } from '../../src/model/limits';
import { parse, type Parsed, type Place } from '../../formats/codec/issues';
import { parseSource } from '../../formats/registration/source';
import { withField } from './fields-at';
import { gridSection, type Axis } from './grid';
import { taskNames, type TaskName } from './tasks/tasks';

/** What is simulated, and what is measured; scenarios/experiments/experiment.schema.json describes the file. */
export interface Experiment {
  readonly title: string;
  readonly seed: string;
  /** How many runs each cell has, each with separate noise. Run r of all cells has the same randomness. */
  readonly repetitions: number;
  readonly data: ExperimentData;
  /** As in a settings file of `simulate`; what the grid does not vary. */
  readonly settings: JsonObject;
  readonly grid: readonly Axis[];
  readonly measure: Measures;
}

export type ExperimentData =
  /** Made up as by `generate`, or `generate --demo`. */
  | { readonly users: number; readonly demo: boolean }
  /** From the folder of the experiment. */
  | { readonly input: readonly string[]; readonly map: string | null };

interface Measures {
  /** The levels at which groups of sources are estimated, each the columns that make the groups; none: all sources. */
  readonly levels: readonly (readonly string[])[];
  /** Of the intervals. */
  readonly confidence: number;
  /** A group is known if the half width of its interval is at most this share of the truth. */
  readonly known: number;
  /** What is done with the estimates of the groups. */
  readonly tasks: readonly TaskName[];
}

const MOST_CELLS = 10_000;

export function parseExperiment(document: Json): Parsed<Experiment> {
  return parse(document, (place) => {
    const fields = new Fields(place);
    fields.optional('$schema', string, '');
    const experiment: Experiment = {
      title: fields.optional('title', string, 'Experiment'),
      seed: fields.optional('seed', string, '0'),
      repetitions: fields.optional('repetitions', integer(2, 100_000), 10),
      data: fields.optional<ExperimentData>('data', data, { users: 1000, demo: false }),
      settings: fields.optional<JsonObject>('settings', object, {}),
      grid: fields.optional('grid', grid, []),
      measure: fields.optional('measure', measures, DEFAULT_MEASURES),
    };
    fields.refuseUnknown();
    return experiment;
  });
}

const object: Parser<JsonObject> = (place) => {
  if (isJsonObject(place.value)) return place.value;
  place.expected('object');
  return {};
};

const data: Parser<ExperimentData> = (place) => {
  const fields = new Fields(place);
  const isMadeUp = !fields.has('input');
  const read = isMadeUp
    ? {
        users: fields.required('users', integer(1, 100_000_000), 1),
        demo: fields.optional('demo', boolean, false),
      }
    : {
        input: fields.required('input', list(string, { min: 1 }), []),
        map: fields.optional<string | null>('map', string, null),
      };
  fields.refuseUnknown();
  return read;
};

const grid: Parser<readonly Axis[]> = (place) => {
  const fields = new Fields(place);
  const axes = [...fields.names()].map((name) => ({
    name,
    values: fields.required<readonly Json[]>(name, (at) => axisValues(name, at), []),
  }));
  const cells = axes.reduce((product, { values }) => product * Math.max(values.length, 1), 1);
  if (cells > MOST_CELLS) place.error('too-many-items', { max: MOST_CELLS, count: cells });
  return axes;
};

function axisValues(name: string, place: Place): readonly Json[] {
  const found = gridSection(name);
  const values = distinct<Json>((item) => item.value, { min: 1 })(place);
  if (found === null || (found.section.endsWith('source') && values.some(isUnknownToSources(found.path))))
    place.error('unknown-field');
  return values;
}

/** A log may contain fields of registrations that no browser knows. In a grid, such a field would vary nothing, so it is an error. */
const isUnknownToSources =
  (path: string) =>
  (value: Json): boolean =>
    parseSource(withField({}, path, value), 'navigation', chromiumLimits).warnings.some(
      ({ code }) => code === 'unknown-field',
    );

const DEFAULT_MEASURES: Measures = { levels: [[], ['campaign']], confidence: 0.95, known: 0.1, tasks: [] };

const measures: Parser<Measures> = (place) => {
  const fields = new Fields(place);
  const read = {
    levels: fields.optional('levels', list(list(string), { min: 1 }), DEFAULT_MEASURES.levels),
    confidence: fields.optional('confidence', number(0.5, 0.999999), DEFAULT_MEASURES.confidence),
    known: fields.optional('known', number(1e-6, 1), DEFAULT_MEASURES.known),
    tasks: fields.optional<Measures['tasks']>('tasks', distinct(choice(...taskNames)), []),
  };
  fields.refuseUnknown();
  return read;
};
