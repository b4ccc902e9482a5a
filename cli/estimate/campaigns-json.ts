import type { Campaign, CampaignView, Estimated } from '../../analysis/estimate/result/campaigns';
import { estimateResult } from '../../analysis/estimate/result/estimate-result';
import { resultJson, type EstimateResult } from '../../analysis/estimate/result/result-json';
import type { Json, JsonObject } from '../../src/model/json';
import { liftsJson, type FoundLifts } from './lifts';
import { viewOf, type Posted } from './posted';

/** The estimates, with the groups by all kinds of reports if there are others, and the lift if arms are compared. */
export const jsonOf = (
  result: EstimateResult,
  posted: Posted | null,
  lifts: FoundLifts | null,
): JsonObject => ({
  ...estimateResult.write(resultJson(result)),
  ...(posted === null ? {} : { campaigns: campaignsJson(viewOf(result, posted)) }),
  ...(lifts === null ? {} : { lift: liftsJson(lifts) }),
});

/** Numbers that are not finite become null. */
const campaignsJson = ({ basis, rows }: CampaignView): JsonObject => ({
  basis,
  groups: rows.map(campaignJson),
});

const campaignJson = ({ group, rate, rank, tied, conversions, values, ...posted }: Campaign): JsonObject => ({
  group,
  rate: rate === null ? null : { ...numberJson(rate), noise_share: rate.noiseShare },
  rank: rank === null ? null : { ...rank },
  tied: [...tied],
  conversions: estimateJson(conversions),
  values:
    values === null
      ? null
      : { sources: values.sources, sum: numberJson(values.sum), average: numberJson(values.average) },
  summary: estimateJson(posted.summary),
  histogram: estimateJson(posted.histogram),
});

const estimateJson = (found: Estimated | null): Json => (found === null ? null : numberJson(found));

const numberJson = ({ value, low, high }: Estimated): JsonObject => ({
  estimate: finite(value),
  interval: [finite(low), finite(high)],
});

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
