import { greatest } from '../../../numeric/extremes';
import { singleValues } from '../../../analysis/simulation/source-log';
import type { LogEntry } from '../../../src/model/decision';
import type { AttributionModel } from '../../../src/model/mechanisms';
import { field, headerJson } from '../data/header-json';
import type { TriggerEntry } from '../data/trigger-entry';
import { candidatesOf, sharesFor } from './model-comparison';

export interface CampaignCredits {
  /** In the order of the first model's credits. Null: sources that the log that was read lacks. */
  readonly rows: readonly {
    readonly campaign: string | null;
    /** The conversions that each model credits it with; a private model on average over its draws. */
    readonly credits: readonly number[];
  }[];
  /** The conversions that had a candidate: what the credits of each model add up to. */
  readonly conversions: number;
  /** For each model, the campaigns with the most credit of those that are known. */
  readonly winners: readonly (readonly string[])[];
  readonly verdict: Verdict;
}

/** Whether another model would change who wins. `unknown`: some sources have a campaign that is not known. `tied`: several always win together. */
type Verdict = 'unknown' | 'alone' | 'same' | 'tied' | 'differs';

/** Credits within this share of each other are equal: they are sums of rounded shares. */
const EQUAL = 1e-9;

/**
 * What each model credits to each campaign.
 * @param log has the sources @param column of filter data, `reporting_origin` or `source_type`
 */
export function campaignCredits(
  entries: readonly TriggerEntry[],
  log: readonly LogEntry[],
  column: string,
  models: readonly AttributionModel[],
): CampaignCredits {
  const campaigns = campaignsOf(log, column);
  const credits = new Map<string | null, number[]>();
  const matched = entries.filter((entry) => candidatesOf(entry).length > 0);
  for (const entry of matched) {
    const names = candidatesOf(entry).map(({ id }) => campaigns.get(id) ?? null);
    for (const [place, model] of models.entries())
      for (const [index, share] of sharesFor(model, entry).entries()) {
        const name = names[index] ?? null;
        const own = credits.get(name) ?? models.map(() => 0);
        own[place] = (own[place] ?? 0) + share;
        credits.set(name, own);
      }
  }
  const rows = [...credits]
    .map(([campaign, own]) => ({ campaign, credits: own }))
    .sort(
      (a, b) =>
        (b.credits[0] ?? 0) - (a.credits[0] ?? 0) || (String(a.campaign) < String(b.campaign) ? -1 : 1),
    );
  const winners = models.map((_, place) => {
    const known = rows.flatMap(({ campaign, credits: own }) =>
      campaign === null ? [] : [{ campaign, credit: own[place] ?? 0 }],
    );
    const most = greatest(known.map(({ credit }) => credit));
    return known.filter(({ credit }) => credit >= most * (1 - EQUAL)).map(({ campaign }) => campaign);
  });
  return { rows, conversions: matched.length, winners, verdict: verdictOf(rows, winners) };
}

function verdictOf(rows: CampaignCredits['rows'], winners: CampaignCredits['winners']): Verdict {
  if (rows.some(({ campaign }) => campaign === null)) return 'unknown';
  if (rows.length === 1) return 'alone';
  const [first = [], ...others] = winners;
  // They are in the order of the rows.
  if (!others.every((one) => one.join('\n') === first.join('\n'))) return 'differs';
  return first.length === 1 ? 'same' : 'tied';
}

/** The campaign of each source, by its number. */
function campaignsOf(log: readonly LogEntry[], column: string): ReadonlyMap<number, string> {
  const campaigns = new Map<number, string>();
  for (const entry of log)
    if (entry.kind === 'source' && entry.decision.kind === 'stored')
      campaigns.set(entry.decision.sourceId, campaignOf(entry, column));
  return campaigns;
}

function campaignOf(entry: Extract<LogEntry, { kind: 'source' }>, column: string): string {
  if (column === 'reporting_origin') return entry.reportingOrigin;
  if (column === 'source_type') return entry.sourceType;
  const value = singleValues(field(headerJson(entry.header), 'filter_data') ?? null)[column];
  return typeof value === 'string' ? value : '';
}
