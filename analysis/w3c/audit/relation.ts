import { defaultLimits, type ApiLimits } from '../../../w3c/limits';
import type { World } from './world';

/** ε of the budgets of an epoch. */
export interface Budgets {
  /** Of a conversion site. */
  readonly site: number;
  /** Of all conversion sites together. */
  readonly all: number;
  /** Of an impression site, for all conversion sites. */
  readonly quota: number;
}

/** What two worlds differ in, everything else being the same, and what their observer may learn. docs/audit.md lists all relations. */
export interface Relation {
  readonly id: string;
  /** In English, after "the worlds differ in". */
  readonly differs: string;
  /** Whose reports the observer gets; null: all. */
  readonly observer: string | null;
  readonly worlds: readonly [World, World];
  /** In words, as on the page; and as an ε. */
  readonly promise: readonly [words: string, epsilon: (budgets: Budgets) => number];
  /** Cointoss's unless given. */
  readonly limits?: Partial<ApiLimits>;
  readonly drawsEpochs?: true;
  /** With which ε the observer asks for sums; that of the conversions unless given. */
  readonly asked?: number;
  /** Whether the observer hands in all reports together; else only those that can be added up. */
  readonly isTogether?: true;
  /** How often the observer hands in each report; once unless given. */
  readonly copies?: number;
}

export const limitsOf = ({ limits }: Relation): ApiLimits => ({ ...defaultLimits, ...limits });

export function budgetsOf(relation: Relation): Budgets {
  const limits = limitsOf(relation);
  const inEpsilon = (microepsilons: number): number => microepsilons / 1_000_000;
  return {
    site: inEpsilon(limits.perSitePrivacyBudget),
    all: inEpsilon(limits.globalPrivacyBudgetPerEpoch),
    quota: inEpsilon(limits.impressionSiteQuotaPerEpoch),
  };
}

type Promised = Relation['promise'];

export const ofSite: Promised = ['the budget of a site', ({ site }) => site];
export const ofSiteTwice: Promised = ['twice the budget of a site', ({ site }) => 2 * site];
export const ofSites = (count: number): Promised => [
  `${count} times the budget of a site`,
  ({ site }) => count * site,
];
export const ofAll: Promised = ['the global budget', ({ all }) => all];
export const ofAllTwice: Promised = ['twice the global budget', ({ all }) => 2 * all];
export const ofQuota: Promised = ['the quota of an impression site', ({ quota }) => quota];
export const nothing: Promised = ['0', () => 0];

/** Worlds with what comes before and after, and only the second one also with what comes between. */
export function withMore(before: World, between: World, after: World): Relation['worlds'] {
  return [
    [...before, ...after],
    [...before, ...between, ...after],
  ];
}
