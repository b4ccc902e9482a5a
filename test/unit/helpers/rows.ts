import type { Report, Source } from '../../../src/model/records';
import { moment, probability, type Site } from '../../../src/model/units';
import { ADTECH, NEWS } from './engine';
import { accepted, parsedSource } from './parsing';

/** A report due at `nextAttempt`: of a source with two destinations, or of no source. */
export const report = (id: number, nextAttempt: number, sourceId: number | null = null): Report => ({
  id,
  kind: sourceId === null ? 'verbose-debug' : 'event-level',
  reportingOrigin: ADTECH,
  url: `https://adtech.example/${id}`,
  body: { nested: [{ id }] },
  reportTime: moment(nextAttempt),
  nextAttempt: moment(nextAttempt),
  attempts: [],
  event:
    sourceId === null
      ? null
      : {
          sourceId,
          sourceTime: moment(0),
          destinations: ['https://a.example', 'https://b.example'] as Site[],
          triggerData: 0,
          triggerTime: moment(0),
          triggerPriority: -(2n ** 63n),
          bucket: null,
          attributedTo: null,
          fake: false,
          held: false,
        },
});

/** A source that takes as much room as these characters. */
export const largeSource = (id: number, destinations: string[], characters: string): Source => {
  const small = source(id, destinations);
  const filterData = new Map([['key', [characters]]]);
  return { ...small, registration: { ...small.registration, filterData } };
};

/** A source with every kind of value that a store must keep. */
export const source = (id: number, destinations: string[]): Source => ({
  id,
  sourceType: 'event',
  sourceOrigin: NEWS,
  sourceSite: 'https://news.example' as Site,
  reportingOrigin: ADTECH,
  time: moment(0),
  expiryTime: moment(100 * id),
  registration: accepted(parsedSource({ destination: destinations })),
  attributionScopes: null,
  debugAllowed: true,
  fenced: false,
  states: 10n ** 27n,
  randomizedTriggerRate: probability(0.5),
  noise: { kind: 'replaced', state: 10n ** 26n, reports: 1 },
  attributable: false,
  reportCount: 1,
  deduplicationKeys: [2n ** 64n - 1n],
  flexible: { conversions: [], pending: [], finalBuckets: new Map([[3, 1]]) },
  aggregatable: {
    remainingBudget: 1,
    remainingNamedBudgets: new Map([['season', 0]]),
    deduplicationKeys: [2n ** 64n - 1n],
    reportCount: 20,
  },
});
