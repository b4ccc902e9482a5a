import { after, days, type Moment } from '../../src/model/units';
import { english } from '../../words/english';
import type { ScenarioEvent } from '../scenario/scenario';
import { scenarioRegistration } from '../scenario/scenario-registration';
import { OutcomeCounter, type OutcomeCounts } from '../simulation/outcome-counter';
import { checkOrder } from '../simulation/user';
import { shortagesOf, type ConversionWhy } from '../../w3c/engine';
import type { RandomOfCall } from '../../w3c/epochs';
import { callerOf } from '../../w3c/matching';
import { AttributionApi } from './attribution-api';
import { apiCallOf, type ApiCall } from './calls';
import type { Profile } from './profile';

/** A conversion report as its receiver would see it, but not encrypted. */
export interface ConversionReport {
  readonly time: Moment;
  readonly conversionSite: string;
  /** The site that called the API, and receives the report. */
  readonly caller: string;
  readonly histogram: readonly number[];
}

/** How often a browser removes what has expired. */
const MAINTENANCE = days(1);

/**
 * Runs everything that one person did through W3C Attribution in a separate browser.
 * @param random the person's own randomness.
 * @throws LogError when the events are out of order.
 */
export function simulateApiUser(
  events: readonly ScenarioEvent[],
  profile: Profile,
  random: RandomOfCall,
): {
  readonly reports: readonly ConversionReport[];
  readonly tally: OutcomeCounts;
  /** ε of each conversion site and epoch. */
  readonly spent: readonly number[];
} {
  checkOrder(events);
  const api = new AttributionApi(profile.limits, random);
  const tally = new OutcomeCounter();
  const reports: ConversionReport[] = [];
  let nextMaintenance = 0;
  for (const event of events) {
    if (event.kind !== 'request') continue;
    if (event.time >= nextMaintenance) {
      api.removeExpired(event.time);
      nextMaintenance = after(event.time, MAINTENANCE);
    }
    for (const response of event.responses) {
      const result = scenarioRegistration(event, response);
      if (result.kind === 'ignored') {
        tally.add('responses_ignored', english.mistakeText(result.reason));
        continue;
      }
      const { kind } = result.registration.register;
      const report = perform(api, apiCallOf(result.registration, profile), kind, tally);
      if (report !== null) reports.push(report);
    }
  }
  tally.add('reports', 'made', reports.length);
  return { reports, tally: tally.entries(), spent: api.spentBySites() };
}

/** Makes the call and counts its result. */
function perform(
  api: AttributionApi,
  made: ApiCall,
  register: 'source' | 'trigger',
  tally: OutcomeCounter,
): ConversionReport | null {
  switch (made.kind) {
    case 'invalid':
      tally.add(`${register}s_invalid`, made.issue === undefined ? '' : english.issueText(made.issue));
      return null;
    case 'no-bucket':
      tally.add(register === 'source' ? 'sources_rejected' : 'triggers_dropped', made.kind);
      return null;
    case 'impression':
      api.saveImpression(made.call, made.options);
      tally.add('sources', 'saved');
      return null;
    case 'conversion': {
      const { call, options } = made;
      const measured = api.measureConversion(call, options);
      count(measured.histogram, measured.why, tally);
      if (made.losesFilters) tally.add('warnings', 'filters-left-out');
      return {
        time: call.time,
        conversionSite: call.topLevelSite,
        caller: callerOf(call),
        histogram: measured.histogram,
      };
    }
  }
}

function count(histogram: readonly number[], why: ConversionWhy | null, tally: OutcomeCounter): void {
  const [shortage] = why === null ? [] : shortagesOf(why);
  const isAttributed = histogram.some((bucket) => bucket > 0);
  tally.add(
    'triggers',
    isAttributed ? 'attributed' : why?.matched.length === 0 ? 'no-impression' : 'dropped',
  );
  if (!isAttributed && shortage !== undefined) tally.add('triggers_dropped', shortage);
}
