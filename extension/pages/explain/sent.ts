import type { LogEntry } from '../../../src/model/decision';
import type { Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import type { Report } from '../../../src/model/records';
import { epsilon as epsilonOf, type Epsilon } from '../../../src/model/units';
import { parseHeader } from '../../../formats/registration/header';
import { parseSource } from '../../../formats/registration/source';
import { field, textOf } from '../data/header-json';
import { t } from '../../i18n';
import { allOf, anyOf, bare } from '../words/words';
import { trueReports } from '../../../analysis/audit/true-reports';
import { outOf } from './invented';

/** Where the report was sent, each once, in the order of the attempts. */
export const sentTo = ({ url, attempts }: Report): readonly string[] => [
  ...new Set(attempts.map(({ outcome }) => outcome.to ?? url)),
];

/** The address of its row on the dashboard of the collector that took it; null if it went elsewhere, or was not taken. */
export function rowAtCollector(report: Pick<Report, 'attempts' | 'body' | 'recipient'>): string | null {
  const outcome = report.attempts.at(-1)?.outcome;
  const id = textOf(field(report.body, 'report_id'));
  const isTaken = outcome?.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
  if (!isTaken || outcome.to === undefined || id === null) return null;
  const { origin } = new URL(outcome.to);
  return origin === report.recipient ? `${origin}/#report=${encodeURIComponent(id)}` : null;
}

/** What one report told those to whom it was sent, in words for a participant. @param epsilon see `chance` */
export function sentInWords(report: Report, epsilon: Epsilon | null): string {
  const { body, kind, noise, aggregatable } = report;
  const text = (name: string): string => textOf(field(body, name)) ?? '';
  const origin = allOf(sentTo(report).map((url) => bare(new URL(url).origin)));
  if (aggregatable !== undefined)
    return t('explain_sent_aggregatable', {
      origin,
      destination: bare(aggregatable.destination),
      debug: field(body, 'source_debug_key') === undefined ? 'no' : 'yes',
    });
  if (kind === 'verbose-debug') return t('explain_sent_verbose', { origin });
  const destination = field(body, 'attribution_destination');
  const sites = Array.isArray(destination) ? (destination as readonly Json[]) : [destination];
  const values = {
    origin,
    id: text('source_event_id'),
    data: text('trigger_data'),
    where: anyOf(sites.map((site) => bare(textOf(site) ?? ''))),
  };
  const what =
    text('source_type') === 'navigation' ? t('explain_sent_clicked', values) : t('explain_sent_seen', values);
  const copy = kind === 'event-level-debug' ? [t('explain_sent_copy')] : [];
  return [what, likelihood(noise, Number(text('randomized_trigger_rate')), epsilon), ...copy].join(' ');
}

function likelihood(noise: Report['noise'], rate: number, epsilon: Epsilon | null): string {
  if (noise === 'off') return t('explain_sent_noise_off');
  return noise === 'forced' ? t('explain_sent_forced') : chance(rate, epsilon);
}

/** What chance does to such reports, and what they then tell. @param epsilon of the source's output; null if it is not known any more */
export const chance = (rate: number, epsilon: Epsilon | null): string =>
  [
    rate > 0 ? t('explain_sent_odds', { rate: outOf(rate) }) : t('explain_sent_unknown_rate'),
    ...(epsilon === null ? [] : [t('explain_sent_true', trueReports(epsilon))]),
  ].join(' ');

/** The ε of a source's output by its log entry: what it registered, or what the budget left of it. */
export function epsilonIn(entry: LogEntry | null): Epsilon | null {
  if (entry?.kind !== 'source') return null;
  const share = entry.checks.find((check) => check.id === 'budget-share');
  if (share !== undefined) return epsilonOf(share.values.epsilon);
  const { value } = parseHeader(entry.header, (json) => parseSource(json, entry.sourceType, chromiumLimits));
  return value?.eventLevelEpsilon ?? null;
}
