import { boolean, choice, list, number, pair, string } from '../../../formats/codec/codec';
import { orUndefined, record, required } from '../../../formats/codec/record';
import { byName } from './json-fields';
import type { GroupLoss, LostFit } from '../unbiased/lost-reports';

/** The share of all groups together. */
export interface LostReportsJson extends Omit<LostFit, 'ofGroups'> {
  /** The share of each group without parts, if its own heartbeats correct it. */
  readonly by_group?: readonly GroupLossJson[] | undefined;
}

interface GroupLossJson extends Pick<GroupLoss, 'rate' | 'range'> {
  readonly group: Readonly<Record<string, string>>;
}

export const lostReportsOf = (
  { rate, range, from, fits, ofGroups }: LostFit,
  named: (group: readonly string[]) => GroupLossJson['group'],
): LostReportsJson => ({
  ...{ rate, range, from, fits },
  ...(ofGroups === undefined
    ? {}
    : {
        by_group: [...ofGroups.values()].map((own) => ({
          group: named(own.group),
          rate: own.rate,
          range: own.range,
        })),
      }),
});

/** Whether an estimate has errors that its variance leaves out. */
export const isUncertain = (lost: LostReportsJson | null): boolean =>
  lost !== null && [lost, ...(lost.by_group ?? [])].some(({ range: [low, high] }) => low < high);

export const lostReportsJson = record<LostReportsJson>({
  rate: required('rate', number(0, 1)),
  range: required('range', pair(number(0, 1))),
  from: required('from', choice('given', 'reports', 'delays', 'heartbeats')),
  fits: required('fits', boolean),
  by_group: orUndefined(
    'by_group',
    list(
      record<GroupLossJson>({
        group: required('group', byName(string)),
        rate: required('rate', number(0, 1)),
        range: required('range', pair(number(0, 1))),
      }),
    ),
  ),
});
