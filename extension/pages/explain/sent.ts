import type { Json } from '../../../src/model/recording-rule';
import type { Report } from '../../../src/model/records';
import { field, textOf } from '../data/tables/common';
import { bare } from '../lib/words';

/** What one report tells whoever gets it, for a person who takes part in a trial. */
export function sentInWords({ body, kind, reportingOrigin }: Report): string {
  const text = (name: string): string => textOf(field(body, name)) ?? '';
  if (kind === 'verbose-debug')
    return `To ${bare(reportingOrigin)}: debugging data about what became of its registrations on this device. You allowed that in debug mode.`;
  const destination = field(body, 'attribution_destination');
  const where = (Array.isArray(destination) ? (destination as readonly Json[]) : [destination])
    .map((site) => bare(textOf(site) ?? ''))
    .join(' or ');
  const what = text('source_type') === 'navigation' ? 'ad that was clicked' : 'ad that was seen';
  const copy = kind === 'event-level-debug' ? ' (A copy for debugging, sent at once.)' : '';
  return `To ${bare(reportingOrigin)}: an ${what}, number ${text('source_event_id')}, led to something of kind ${text('trigger_data')} on ${where}. ${chance(Number(text('randomized_trigger_rate')))}${copy}`;
}

/** The rate in words that need no mathematics. */
export function chance(rate: number): string {
  if (!(rate > 0)) return 'It may be invented: chance decides for some ads what is reported.';
  if (rate >= 0.5)
    return `For ${Math.round(rate * 100)} of 100 such ads, what is reported is invented by chance, so that this may well be untrue.`;
  return `For one in about ${Math.round(1 / rate).toLocaleString()} such ads, what is reported is invented by chance, so that nobody can be sure that this is true.`;
}
