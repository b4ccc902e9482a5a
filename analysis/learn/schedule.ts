import { choice, distinct, integer, number, type Parser } from '../../formats/codec/codec';
import type { Place } from '../../formats/codec/issues';
import { Fields } from '../../formats/codec/record';
import type { OptimiserKind } from './optimiser';
import type { PrivateTrainingSettings, Sampling } from './private-train';
import type { TrainingSettings } from './train';

/** How to train. Each point takes the combination with the least validation error. */
export interface Schedule {
  readonly optimisers: readonly OptimiserKind[];
  /** First learning rates. */
  readonly rates: readonly number[];
  readonly batches: readonly number[];
  readonly epochs: readonly number[];
  /** In place of epochs; empty: none. */
  readonly steps: readonly number[];
  /** For networks. */
  readonly dropouts: readonly number[];
}

export interface PrivateSchedule extends Schedule {
  readonly clips: readonly number[];
  readonly samplings: readonly Sampling[];
  readonly thresholds: readonly number[];
}

export const DEFAULT_TRAINING: Schedule = {
  optimisers: ['adam'],
  rates: [0.01],
  batches: [256],
  epochs: [4],
  steps: [],
  dropouts: [0],
};

export const DEFAULT_PRIVATE: PrivateSchedule = {
  optimisers: ['sgd'],
  rates: [0.3],
  batches: [1024],
  epochs: [8],
  steps: [],
  dropouts: [0],
  clips: [3],
  samplings: ['poisson'],
  thresholds: [0],
};

/** Each combination, the first values first. */
export const settingsOf = ({
  optimisers,
  rates,
  batches,
  epochs,
  steps,
  dropouts,
}: Schedule): readonly Omit<TrainingSettings, 'loss'>[] =>
  optimisers.flatMap((optimiser) =>
    rates.flatMap((rate) =>
      batches.flatMap((batch) =>
        lengthsOf(epochs, steps).flatMap((length) =>
          dropouts.map((dropout) => ({ optimiser, rate, batch, ...length, dropout })),
        ),
      ),
    ),
  );

const lengthsOf = (
  epochs: readonly number[],
  steps: readonly number[],
): readonly Pick<TrainingSettings, 'epochs' | 'steps'>[] =>
  steps.length === 0
    ? epochs.map((each) => ({ epochs: each }))
    : steps.map((each) => ({ epochs: 1, steps: each }));

/** For a model without hidden units, which nothing can be left out of. */
export const withoutDropout = <Of extends Schedule>(schedule: Of): Of => ({ ...schedule, dropouts: [0] });

export const privateSettingsOf = (
  schedule: PrivateSchedule,
): readonly Omit<PrivateTrainingSettings, 'loss'>[] =>
  settingsOf(schedule).flatMap((settings) =>
    schedule.clips.flatMap((clip) =>
      schedule.samplings.flatMap((sampling) =>
        schedule.thresholds.map((threshold) => ({ ...settings, clip, sampling, threshold })),
      ),
    ),
  );

/** One, or a list. */
export const oneOrSeveral =
  <T extends string | number>(one: Parser<T>): Parser<readonly T[]> =>
  (place) =>
    Array.isArray(place.value) ? distinct(one, { min: 1 })(place) : [one(place)];

function scheduleIn(place: Place, fields: Fields, missing: Schedule): Schedule {
  if (fields.has('epochs') && fields.has('steps'))
    place.at('steps', null).error('field-beside', { other: 'epochs' });
  const optimiser = choice<OptimiserKind>('sgd', 'rmsprop', 'adam', 'yogi');
  return {
    optimisers: fields.optional('optimiser', oneOrSeveral(optimiser), missing.optimisers),
    rates: fields.optional('rate', oneOrSeveral(number(1e-9, 1000)), missing.rates),
    batches: fields.optional('batch', oneOrSeveral(integer(1, 1e9)), missing.batches),
    epochs: fields.optional('epochs', oneOrSeveral(integer(1, 10_000)), missing.epochs),
    steps: fields.optional('steps', oneOrSeveral(integer(1, 1e7)), missing.steps),
    dropouts: fields.optional('dropout', oneOrSeveral(number(0, 0.99)), missing.dropouts),
  };
}

export const schedule: Parser<Schedule> = (place) => {
  const fields = new Fields(place);
  const read = scheduleIn(place, fields, DEFAULT_TRAINING);
  fields.refuseUnknown();
  return read;
};

export const privateSchedule: Parser<PrivateSchedule> = (place) => {
  const fields = new Fields(place);
  const read = {
    ...scheduleIn(place, fields, DEFAULT_PRIVATE),
    clips: fields.optional('clip', oneOrSeveral(number(1e-6, 1e6)), DEFAULT_PRIVATE.clips),
    samplings: fields.optional(
      'sampling',
      oneOrSeveral(choice<Sampling>('poisson', 'replacement')),
      DEFAULT_PRIVATE.samplings,
    ),
    thresholds: fields.optional('threshold', oneOrSeveral(number(0, 1e9)), DEFAULT_PRIVATE.thresholds),
  };
  fields.refuseUnknown();
  return read;
};
