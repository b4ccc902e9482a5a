import type { LogEntry, TriggerDecision } from '../../../../src/model/decision';
import { outcomeOf } from '../../explain/outcome';
import { from, type Cell, type TableDefinition } from '../table';
import {
  debugColumn,
  field,
  headerJson,
  occasionColumns,
  sitesOfEntry,
  textOf,
  timeColumn,
  toneOfOutcome,
} from './common';

/** Of which kind a registration is, or was meant to be. */
export function whatOf(entry: LogEntry): string {
  switch (entry.kind) {
    case 'source':
      return entry.sourceType === 'navigation' ? 'click' : 'impression';
    case 'trigger':
      return 'conversion';
    case 'refused':
      return entry.register === 'source' ? 'source' : 'conversion';
    case 'ignored':
      return 'header';
  }
}

export const log: TableDefinition<LogEntry> = {
  name: 'log',
  title: 'Log',
  noun: 'entry',
  empty: 'Nothing yet. Impressions, clicks and conversions appear here as you browse.',
  from: [from('log', (entry) => entry)],
  sites: sitesOfEntry,
  columns: [
    timeColumn,
    { key: 'what', title: 'What', value: whatOf, width: 110, facet: true },
    {
      key: 'outcome',
      title: 'Outcome',
      value: (entry) => outcomeOf(entry, false).words,
      tone: toneOfOutcome,
      width: 210,
      facet: true,
      truth: false,
    },
    {
      key: 'exact',
      title: 'Outcome',
      value: (entry) => outcomeOf(entry, true).words,
      tone: toneOfOutcome,
      width: 210,
      facet: true,
      truth: true,
    },
    ...occasionColumns,
    {
      key: 'event_id',
      title: 'Event id',
      value: ({ kind, header }) =>
        kind === 'source' ? textOf(field(headerJson(header), 'source_event_id')) : null,
      as: 'number',
      width: 130,
    },
    { key: 'source', title: 'Source', value: sourceIdOf, as: 'number', width: 80 },
    { key: 'warnings', title: 'Warnings', value: ({ warnings }) => warnings.length, as: 'number', width: 90 },
    debugColumn,
  ],
};

/** The source that an entry registered, or that its conversion was credited to. */
export function sourceIdOf(entry: LogEntry): Cell {
  if (entry.kind === 'source') return entry.decision.kind === 'stored' ? entry.decision.sourceId : null;
  return entry.kind === 'trigger' ? sourcesCredited(entry.decision) : null;
}

/** One source's id, or several in a list when the value was split among them. */
export function sourcesCredited(decision: TriggerDecision): Cell {
  if (decision.kind !== 'split') return decision.sourceId;
  return decision.shares.map((share) => share.decision.sourceId).join(', ');
}
