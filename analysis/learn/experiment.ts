import type { Json } from '../../src/model/json';
import type { PrivacyUnit } from '../../src/model/mechanisms';
import { boolean, integer, list, number, choice, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse, type Parsed } from '../../formats/codec/issues';
import { MAX_UNBIASED_VALUES, ParameterError } from '../../src/privacy/parameters';
import { countedValues } from '../optimize/private-prior';
import type { AllocationPolicy } from '../simulation/allocation';
import type { DemoShape } from './demo-log';
import type { LabelKind } from './examples';
import type { LossKind } from './loss';
import type { LabelPhase, Method } from './recipe';
import { DEFAULT_SIZE, type NetworkSize } from './network-model';
import type { ModelKind } from './new-model';
import type { PriorSource } from './prior-histogram';
import type { StageSplit } from './prior-stages';
import {
  DEFAULT_PRIVATE,
  DEFAULT_TRAINING,
  oneOrSeveral,
  privateSchedule,
  schedule,
  type PrivateSchedule,
  type Schedule,
} from './schedule';
import { MAX_UINT32 } from '../../src/model/registration';

/** What tells the lines of a figure apart. */
const LINES = ['method', 'unit', 'cap', 'debiased', 'configuration', 'sampling', 'threshold'] as const;
type LineBy = (typeof LINES)[number];

/** A figure: one training for each combination of its lists, and for each seed. */
export interface Figure {
  readonly title: string;
  /** If `line` is not `cap`, each point uses the cap with the least validation error. */
  readonly line: LineBy;
  readonly methods: readonly Method[];
  readonly model: ModelKind;
  readonly network: NetworkSize;
  readonly label: LabelKind;
  readonly examples: 'all' | 'conversions';
  readonly loss: LossKind;
  /** For numbers and values: those that mechanisms distinguish. */
  readonly values: readonly number[];
  readonly prior: PriorSource;
  /** For `rr-with-prior`: the number of stages. */
  readonly stages: number;
  readonly stageSplit: StageSplit;
  /** For `hybrid`: the method of the labels. */
  readonly labelPhase: LabelPhase;
  /** For `hybrid`: K of the labels; null: as for the gradients. */
  readonly labelCap: number | null;
  readonly features: 'all' | 'known';
  readonly debiased: readonly boolean[];
  readonly units: readonly PrivacyUnit[];
  readonly allocation: AllocationPolicy;
  readonly caps: readonly number[];
  readonly epsilons: readonly number[];
  /** For the method `reports`: names in the experiment's `reports`. */
  readonly configurations: readonly string[];
}

export interface Experiment {
  readonly seed: string;
  /** How many trainings each mean is over. */
  readonly seeds: number;
  /** A file of examples, from the folder of the experiment; null: a made-up log. */
  readonly data: string | null;
  /** Files with labels from reports, from the folder of the experiment, by the name of their configuration. */
  readonly reports: ReadonlyMap<string, string>;
  /** How many users the made-up log has. */
  readonly users: number;
  /** Which made-up log. */
  readonly log: DemoShape;
  readonly delta: number;
  /** Days after which a unit has a new budget. */
  readonly period: number;
  readonly training: Schedule;
  readonly privateTraining: PrivateSchedule;
  /** For `hybrid`: shares of ε for labels. Each point uses the share with the least validation error. */
  readonly labelShares: readonly number[];
  readonly figures: readonly Figure[];
}

/** As Chua et al. (2024) have it. */
const DEFAULT_SHARES = [0.6];

/** Reads an experiment file; docs/lab.md describes it. */
export function parseExperiment(document: Json): Parsed<Experiment> {
  return parse(document, (place) => {
    const fields = new Fields(place);
    const reports = fields.optional('reports', fileNames, new Map<string, string>());
    const experiment: Experiment = {
      reports,
      seed: fields.optional('seed', string, '0'),
      seeds: fields.optional('seeds', integer(1, 1000), 3),
      data: fields.optional<string | null>('data', string, null),
      users: fields.optional('users', integer(100, 10_000_000), 20_000),
      log: fields.optional('log', choice<DemoShape>('crossed', 'interactions'), 'crossed'),
      delta: fields.optional('delta', number(1e-12, 0.1), 1e-6),
      period: fields.optional('period', integer(1, 3650), 30),
      training: fields.optional('training', schedule, DEFAULT_TRAINING),
      privateTraining: fields.optional('private_training', privateSchedule, DEFAULT_PRIVATE),
      labelShares: fields.optional('label_share', oneOrSeveral(number(0, 1)), DEFAULT_SHARES),
      figures: fields.required('figures', list(figure([...reports.keys()]), { min: 1 }), []),
    };
    for (const name of ['users', 'log'] as const)
      if (experiment.data !== null && fields.has(name))
        place.at(name, experiment[name]).error('field-beside', { other: 'data' });
    if (experiment.data === null && reports.size > 0) place.error('missing-field', { name: 'data' });
    const hasNetwork = experiment.figures.some(({ model }) => model === 'network');
    for (const [name, { dropouts }] of [
      ['training', experiment.training],
      ['private_training', experiment.privateTraining],
    ] as const)
      if (!hasNetwork && dropouts.some((share) => share > 0))
        place.at(name, null).at('dropout', null).error('field-beside', { other: 'logistic' });
    fields.refuseUnknown();
    return experiment;
  });
}

const fileNames: Parser<ReadonlyMap<string, string>> = (place) => {
  const fields = new Fields(place);
  return new Map([...fields.names()].map((name) => [name, fields.optional(name, string, '')]));
};

const UNITS = ['impression', 'user-publisher', 'user-advertiser', 'user'] as const;
const DEFAULT_VALUES = [0, 10, 25, 50, 100, 200, 400];

/** What each kind of label can be trained with; the first loss is the default. */
const CHOICES: Readonly<
  Record<
    LabelKind,
    { readonly losses: readonly [LossKind, ...LossKind[]]; readonly methods: readonly [Method, ...Method[]] }
  >
> = {
  conversion: {
    losses: ['cross-entropy'],
    methods: [
      'rr',
      'rr-with-prior',
      'laplace',
      'alibi',
      'clusters',
      'pate',
      'label-sums',
      'dp-sgd',
      'hybrid',
      'reports',
    ],
  },
  number: {
    losses: ['poisson', 'squared'],
    methods: ['rr-on-bins', 'unbiased', 'laplace', 'feature-sums', 'dp-sgd', 'reports'],
  },
  value: {
    losses: ['squared', 'poisson'],
    methods: ['rr-on-bins', 'unbiased', 'laplace', 'feature-sums', 'dp-sgd', 'reports'],
  },
};

const networkSize: Parser<NetworkSize> = (place) => {
  const fields = new Fields(place);
  const size: NetworkSize = {
    embedding: fields.optional<NetworkSize['embedding']>('embedding', embedding, DEFAULT_SIZE.embedding),
    layers: fields.optional('layers', list(integer(1, 4096), { min: 1, max: 16 }), DEFAULT_SIZE.layers),
  };
  fields.refuseUnknown();
  return size;
};

const embedding: Parser<NetworkSize['embedding']> = (place) =>
  typeof place.value === 'string' ? choice('fourth-root')(place) : integer(1, 1024)(place);

/** Their noise hides K examples of a unit, so no more of them may take part. */
const CAPPED: readonly Method[] = ['clusters', 'label-sums', 'feature-sums', 'dp-sgd', 'hybrid'];

/** Optimising bins takes cubic time. */
const MAX_BINNED_VALUES = 100;

const values: Parser<readonly number[]> = (place) => {
  const read = list(integer(0, MAX_UINT32), { min: 2, max: MAX_UNBIASED_VALUES })(place);
  try {
    return countedValues(read);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    place.add(error.issue);
    return read;
  }
};

const figure =
  (configurations: readonly string[]): Parser<Figure> =>
  (place) => {
    const fields = new Fields(place);
    const configuration: Parser<string> = (at) => {
      const name = string(at);
      if (!configurations.includes(name)) at.expected('one-of', { values: configurations.join(', ') });
      return name;
    };
    const label = fields.optional('label', choice<LabelKind>('conversion', 'number', 'value'), 'conversion');
    const { losses, methods } = CHOICES[label];
    const read: Figure = {
      label,
      title: fields.required('title', string, ''),
      line: fields.optional('line', choice<LineBy>(...LINES), 'method'),
      methods: fields.required('methods', list(choice(...methods), { min: 1 }), []),
      model: fields.optional('model', choice<ModelKind>('logistic', 'network'), 'logistic'),
      network: fields.optional('network', networkSize, DEFAULT_SIZE),
      examples: fields.optional('examples', choice<Figure['examples']>('all', 'conversions'), 'all'),
      loss: fields.optional('loss', choice(...losses), losses[0]),
      values: fields.optional('values', values, DEFAULT_VALUES),
      prior: fields.optional(
        'prior',
        choice<PriorSource>('uniform', 'split-budget', 'split-people'),
        'uniform',
      ),
      stages: fields.optional('stages', integer(2, 10), 2),
      stageSplit: fields.optional('stage_split', choice<StageSplit>('examples', 'budget'), 'examples'),
      labelPhase: fields.optional('label_phase', choice<LabelPhase>('rr', 'rr-with-prior'), 'rr'),
      labelCap: fields.optional<number | null>('label_cap', integer(1, 1e6), null),
      features: fields.optional('features', choice<'all' | 'known'>('all', 'known'), 'all'),
      debiased: fields.optional('debiased', list(boolean, { min: 1 }), [true]),
      units: fields.optional('units', list(choice<PrivacyUnit>(...UNITS), { min: 1 }), ['impression']),
      allocation: fields.optional(
        'allocation',
        choice<AllocationPolicy>('per-cap', 'per-count', 'random-cap'),
        'per-cap',
      ),
      caps: fields.optional('caps', list(integer(1, 1e6), { min: 1 }), [1]),
      epsilons: fields.optional('epsilons', list(number(1e-6, 100), { min: 1 }), []),
      configurations: fields.optional('configurations', list(configuration, { min: 1 }), []),
    };
    const byReports = read.methods.filter((method) => method === 'reports').length;
    if (byReports > 0) {
      fields.required('configurations', list(configuration), []);
      // Nobody knows from reports which examples have a conversion.
      choice('all')(place.at('examples', read.examples));
    }
    if (byReports < read.methods.length) fields.required('epsilons', list(number(0, 100)), []);
    const [max, count] = [MAX_BINNED_VALUES, read.values.length];
    if (read.methods.includes('rr-on-bins') && count > max)
      place.at('values', null).error('too-many-items', { max, count });
    const capped = read.methods.find((method) => CAPPED.includes(method));
    if (
      capped !== undefined &&
      read.allocation === 'per-count' &&
      read.units.some((unit) => unit !== 'impression')
    )
      place.at('allocation', read.allocation).error('uncapped-method', { method: capped });
    // An impression is alone in its unit, so the cap would do nothing.
    for (const [given, needed] of [
      [read.methods, (method: string) => method === 'hybrid'],
      [read.units, (unit: string) => unit !== 'impression'],
    ] as const)
      if (read.labelCap !== null && given.length > 0 && !given.some(needed))
        place.at('label_cap', read.labelCap).error('field-beside', { other: given.join(', ') });
    if (fields.has('network') && read.model !== 'network')
      place.at('network', null).error('field-beside', { other: read.model });
    // The sums are enough for logistic regression only, and those of features for linear regression.
    if (read.methods.includes('label-sums') || read.methods.includes('feature-sums'))
      choice('logistic')(place.at('model', read.model));
    if (read.methods.includes('feature-sums')) {
      choice('squared')(place.at('loss', read.loss));
      // Noise is for the last value, and nobody has 400 conversions.
      if (label === 'number') fields.required('values', values, DEFAULT_VALUES);
    }
    fields.refuseUnknown();
    return read;
  };
