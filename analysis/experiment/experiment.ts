import type { Json, JsonObject } from '../../src/model/json';
import { isJsonObject } from '../../src/model/json';
import {
  anyJson,
  boolean,
  choice,
  codec,
  described,
  distinct,
  integer,
  list,
  number,
  plain,
  string,
  type Codec,
  type Parser,
} from '../../formats/codec/codec';
import {
  checked,
  Fields,
  optional,
  orUndefined,
  record,
  required,
  withDefault,
} from '../../formats/codec/record';
import { chromiumLimits } from '../../src/model/limits';
import { parse, type Parsed, type Place } from '../../formats/codec/issues';
import { parseSource } from '../../formats/registration/source';
import { withField } from './fields-at';
import { gridSection, type Axis } from './grid';
import { gridSchema, settingsSchema } from './grid-schema';
import { mostLift, type LiftTestPlan } from '../simulation/lift-test';
import type { MadeUpLog } from '../simulation/made-up-user';
import { taskNames, type TaskName } from './tasks/tasks';

/** What is simulated, and what is measured. */
export interface Experiment {
  /** Where editors find the JSON Schema. */
  readonly $schema?: string | undefined;
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
  | ({ readonly users: number } & MadeUpLog)
  /** From the folder of the experiment. */
  | { readonly input: readonly string[]; readonly map: string | null };

interface Measures {
  /** The levels at which groups of sources are estimated, each the columns that make the groups; none: all sources. */
  readonly levels: readonly (readonly string[])[];
  /** The confidence level of the intervals. */
  readonly confidence: number;
  /** A group is known if the half width of its interval is at most this share of the truth. */
  readonly known: number;
  /** What is done with the estimates of the groups. */
  readonly tasks: readonly TaskName[];
  /** The share of the people who are held out in a lift test; null: that of a made-up one. */
  readonly holdout: number | null;
  /** The most that a conversion counts, if its value is measured; null: each conversion counts 1. */
  readonly mostValue: number | null;
}

const MOST_CELLS = 10_000;

/** @returns the experiment with its defaults */
export const parseExperiment = (document: Json): Parsed<Experiment> => parse(document, experiment);

type Users = Extract<ExperimentData, { readonly users: number }>;
type Files = Exclude<ExperimentData, Users>;

/** Exact to a millionth, and neither 0 nor 1. */
const share = number(1e-6, 1 - 1e-6);

const liftTest: Codec<LiftTestPlan> = checked(
  record<LiftTestPlan>({
    lift: required(
      'lift',
      described(number(-1, 1e6), 'How many more convert because of the ads, as a share of rate'),
    ),
    holdout: withDefault('holdout', described(share, 'The share of the people who are held out'), 0.5),
    rate: withDefault('rate', described(share, 'The share of the people who convert without the ads'), 0.05),
  }),
  (plan, place) => {
    if (plan.lift > mostLift(plan))
      place.at('lift', plan.lift).expected('number-range', { min: -1, max: mostLift(plan) });
  },
);

const users = record<Users>({
  users: required('users', described(integer(1, 100_000_000), 'How many users the made-up log has')),
  demo: withDefault('demo', described(boolean, "Whether it is the demo's month of eight campaigns"), false),
  liftTest: optional('liftTest', described(liftTest, 'A lift test of one campaign instead')),
});

const files = record<Files>({
  input: required(
    'input',
    described(
      list(string, { min: 1 }),
      'Files or folders, from the folder of this file; as `simulate --input` reads them',
    ),
  ),
  map: optional('map', described(string, 'As `simulate --map`')),
});

const data: Codec<ExperimentData> = codec(
  (place) => (isJsonObject(place.value) && Object.hasOwn(place.value, 'input') ? files : users)(place),
  (value) => ('users' in value ? users.write(value) : files.write(value)),
  { anyOf: [users.schema, files.schema], description: 'A made-up log, or files' },
);

const settings: Codec<JsonObject> = plain((place) => {
  if (isJsonObject(place.value)) return place.value;
  place.expected('object');
  return {};
}, settingsSchema);

const readGrid: Parser<readonly Axis[]> = (place) => {
  const fields = new Fields(place);
  const axes = [...fields.names()].map((name) => ({
    name,
    values: fields.required<readonly Json[]>(name, (at) => axisValues(name, at), []),
  }));
  const cells = axes.reduce((product, { values }) => product * Math.max(values.length, 1), 1);
  if (cells > MOST_CELLS) place.error('too-many-items', { max: MOST_CELLS, count: cells });
  return axes;
};

const valuesOfAxis = distinct(anyJson, { min: 1 });

function axisValues(name: string, place: Place): readonly Json[] {
  const found = gridSection(name);
  const values = valuesOfAxis(place);
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

const grid: Codec<readonly Axis[]> = codec(
  readGrid,
  (axes) => Object.fromEntries(axes.map(({ name, values }) => [name, values])),
  gridSchema,
);

const defaultMeasures: Measures = {
  levels: [[], ['campaign']],
  confidence: 0.95,
  known: 0.1,
  tasks: [],
  holdout: null,
  mostValue: null,
};

const measures = record<Measures>({
  levels: withDefault(
    'levels',
    described(
      list(list(string), { min: 1 }),
      'The groups of sources that are estimated: for each level the columns of the source log, such as filter data with one value; an empty list is all sources',
    ),
    defaultMeasures.levels,
  ),
  confidence: withDefault(
    'confidence',
    described(number(0.5, 0.999999), 'The level of the intervals'),
    defaultMeasures.confidence,
  ),
  known: withDefault(
    'known',
    described(
      number(1e-6, 1),
      'A group is known if its interval is at most this share of the truth to each side',
    ),
    defaultMeasures.known,
  ),
  tasks: withDefault(
    'tasks',
    described(
      distinct(choice(...taskNames)),
      'What is done with the estimates of the groups; takes an api in the grid, and one column in levels',
    ),
    defaultMeasures.tasks,
  ),
  holdout: optional(
    'holdout',
    described(
      share,
      'For the task lift: the share of the people in the arm "holdout"; by default that of data.liftTest',
    ),
  ),
  mostValue: optional(
    'mostValue',
    described(
      integer(1, 65_536),
      'Measures the value of conversions, up to this each, instead of their number; takes an api in the grid',
    ),
  ),
});

const experiment = record<Experiment>({
  $schema: orUndefined('$schema', string),
  title: withDefault('title', described(string, 'The heading of the report'), 'Experiment'),
  seed: withDefault('seed', described(string, 'Decides all randomness'), '0'),
  repetitions: withDefault(
    'repetitions',
    described(integer(2, 100_000), 'How many runs with separate noise each cell of the grid has'),
    10,
  ),
  data: withDefault('data', data, { users: 1000, demo: false, liftTest: null }),
  settings: withDefault('settings', settings, {}),
  grid: withDefault('grid', grid, []),
  measure: withDefault('measure', measures, defaultMeasures),
});

/** The JSON Schema of the file; `npm run compile` writes it. */
export const experimentSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'An experiment of cointoss',
  description: 'What `cointoss experiment` simulates and measures; docs/experiments.md',
  ...experiment.schema,
};

/** The share of the people who are held out; null if there is no lift test. */
export const holdoutOf = ({ data: from, measure }: Experiment): number | null =>
  measure.holdout ?? ('users' in from ? (from.liftTest?.holdout ?? null) : null);
