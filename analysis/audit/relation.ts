import type { MeasurementSettings } from '../../src/model/mechanisms';
import type { Limits } from '../../src/model/limits';
import type { Epsilon } from '../../src/model/units';
import type { Observer } from './observer';
import { promisesOf, type Promises } from './promises';
import { bought, shown, type Impression, type World } from './world';

/** What two worlds differ in, everything else being the same, and what their observer may learn. docs/audit.md lists all relations. */
export interface Relation {
  readonly id: string;
  /** In English, after "the worlds differ in". */
  readonly differs: string;
  /** Those that the audit tries; one reporting site unless given. */
  readonly observers?: readonly Observer[];
  /** Limits that the worlds are to reach. */
  readonly limits?: Partial<Limits>;
  /** Not every configuration tries it, because it takes long or says the same in most: those that name it do. */
  readonly onRequest?: true;
  /** Null: there are no such worlds under these settings. */
  readonly neighbours: (setup: Setup) => Neighbours | null;
}

export const observersOf = ({ observers = ['reporting-site'] }: Relation): readonly Observer[] => observers;

export interface Neighbours {
  readonly worlds: readonly [World, World];
  /** The most that the observer may learn: an ε. Null: nothing is promised. */
  readonly promise: number | null;
  /** The probability with which they may learn more; 0 unless given. */
  readonly delta?: number;
  /** Outputs of which nothing is promised. */
  readonly besides?: (output: string) => boolean;
  /** In each world, the value of a past source that a private prior counts; 0 unless given. */
  readonly past?: readonly [number, number];
}

/** Two worlds with what comes before and after, and only the second one also with what comes between. */
export const withMore = (before: World, between: World, after: World = []): Neighbours['worlds'] => [
  [...before, ...after],
  [...before, ...between, ...after],
];

/** Worlds with `first` and a second impression, which have a conversion each in the second world only. */
export function withBoth(second: Impression, between: World = [], before: World = []): Neighbours['worlds'] {
  const { at, adTech, advertisers } = second;
  const ofSecond = bought(at + 1, advertisers[0] ?? '', { adTech });
  return [
    [...before, first, ...between, second],
    [...before, first, bought(2, 'shop'), ...between, second, ofSecond],
  ];
}

/** What worlds and promises are made of. */
export interface Setup extends Promises {
  readonly settings: MeasurementSettings;
  readonly observer: Observer;
  /** False: every source reports truthfully. */
  readonly isNoised: boolean;
  /** A further impression of the same unit as `first`, some hours later; null: a unit is one impression. */
  readonly later: ((at: number) => Impression) | null;
}

/** @param registered what each impression registers as its ε */
export const setupOf = (
  settings: MeasurementSettings,
  registered: Epsilon,
  observer: Observer,
  isNoised = true,
): Setup => ({
  ...promisesOf(settings, registered, observer),
  settings,
  observer,
  isNoised,
  later: laterOf[settings.budget.unit],
});

/** With more, there are too many outputs to go through. */
export const MOST_IMPRESSIONS = 6;

/** The impression that most relations are about. */
export const first = shown(1, 1, 'news', 'shop');

/** On one site, for one advertiser, or wherever. */
const laterOf: Readonly<Record<MeasurementSettings['budget']['unit'], Setup['later']>> = {
  impression: null,
  'user-publisher': (at) => shown(at, 2, 'm.news', 'mall'),
  'user-advertiser': (at) => shown(at, 2, 'blog', ['mall', 'shop', 'zoo']),
  user: (at) => shown(at, 2, 'blog', 'mall'),
};
