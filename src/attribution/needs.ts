import { pairKey } from '../limits/attribution-limits';
import { debugLimitNeeds } from '../limits/debug-limits';
import { accountGroups } from '../limits/privacy-budget';
import { keysOf } from '../limits/accounts';
import type { Trigger } from '../model/trigger';
import type { Need } from '../store/draft';
import type { Work } from '../work';
import type { MatchingSources } from './find-source';
import { countsOf } from './remove-sources';

/** The rows that the attribution of a conversion reads after its candidates are known. */
export function attributionNeeds(
  { measurement }: Work,
  { destination, reportingOrigin, registration }: Trigger,
  { all, eligible }: MatchingSources,
): readonly Need[] {
  const { kind } = measurement.attribution;
  const credited = kind === 'priority' ? eligible.slice(0, 1) : eligible;
  const accounts =
    kind === 'exponential' || kind === 'permute-and-flip' ? accountGroups(measurement.budget, all) : [];
  return [
    ...credited.flatMap(({ id, sourceSite, registration: { destinations }, flexible }): Need[] => [
      { of: 'sourceReports', id },
      { of: 'sources', id },
      { of: 'pairUse', id: pairKey({ sourceSite, destination }) },
      ...destinations.map((one): Need => ({ of: 'destinationUse', id: one })),
      ...(flexible?.pending ?? []).map(({ reportId }): Need => ({ of: 'reports', id: reportId })),
    ]),
    // The others may be forgotten, which changes what is stored for their sites.
    ...all.flatMap(countsOf),
    ...accounts.flatMap(({ account }) => keysOf(account).map((id): Need => ({ of: 'accounts', id }))),
    ...(registration.aggregatable.debug === undefined
      ? []
      : debugLimitNeeds({ contextSite: destination, reportingOrigin })),
  ];
}
