import type { Levels } from '../group-sums';
import type { LoggedSource } from '../logged-sources';
import type { SummaryContender, SummaryDesign } from './design';
import { histogram } from './histogram';
import { labelSums } from './label-sums';
import { proportions } from './proportions';

/** By the kind that experiments have for them. */
const contenders = { summary: histogram, 'label-sums': labelSums, proportions };

type Contenders = typeof contenders;
type ApiOf<Contender> = Contender extends SummaryContender<infer Api> ? Api : never;

export type SummaryApi = { [Kind in keyof Contenders]: ApiOf<Contenders[Kind]> }[keyof Contenders];

export const summaryCodecs = Object.fromEntries(
  Object.entries(contenders).map(([kind, { codec }]) => [kind, codec]),
) as { readonly [Kind in keyof Contenders]: Contenders[Kind]['codec'] };

export const isSummary = (api: { readonly kind: string }): api is SummaryApi =>
  Object.hasOwn(contenders, api.kind);

/** That of its own kind accepts it. */
const contenderOf = (api: SummaryApi): Pick<SummaryContender<never>, 'designOf' | 'problem'> =>
  contenders[api.kind];

/**
 * @param sources of the log.
 * @param share of the people who have this API.
 */
export const designOf = (
  api: SummaryApi,
  levels: Levels,
  sources: readonly LoggedSource[],
  share: number,
): SummaryDesign => contenderOf(api).designOf(api as never, levels, sources, share);

/** Why it cannot measure so many levels; null if it can. */
export const summaryProblem = (api: SummaryApi, levels: number): string | null =>
  contenderOf(api).problem?.(api as never, levels) ?? null;
