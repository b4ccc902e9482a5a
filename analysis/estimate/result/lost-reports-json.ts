import { boolean, choice, list, number, pair, string } from '../../../formats/codec/codec';
import { orUndefined, record, required } from '../../../formats/codec/record';
import { byName, groupNames } from './json-fields';
import { MOST_LOST, type GroupLoss, type LostFit } from '../unbiased/lost-reports';

/** The share of all heartbeats, also of those beside other ads, if they show it. */
export interface LostReportsJson extends Omit<LostFit, 'ofGroups' | 'unseen'> {
  /**
   * The share of each group without parts, if its own heartbeats correct it. Empty if they lost different shares, but some group has too few heartbeats of
   * its own: one share corrects them all.
   */
  readonly by_group?: readonly GroupLossJson[] | undefined;
  /**
   * If heartbeats of several groups do not show that these lost different shares: the smallest additional share in one group that they would show in 95 %
   * of cases.
   */
  readonly unseen?: number | undefined;
}

interface GroupLossJson extends Pick<GroupLoss, 'rate' | 'range'> {
  readonly group: Readonly<Record<string, string>>;
}

export const lostReportsOf = (
  { rate, range, from, fits, ofGroups, unseen }: LostFit,
  groupBy: readonly string[],
): LostReportsJson => ({
  ...{ rate, range, from, fits },
  ...(ofGroups === undefined
    ? {}
    : {
        by_group: [...ofGroups.values()].map((own) => ({
          group: groupNames(own.group, groupBy),
          rate: own.rate,
          range: own.range,
        })),
      }),
  ...(unseen === undefined ? {} : { unseen }),
});

/** Whether an estimate has errors that its variance leaves out. */
export const isUncertain = (lost: LostReportsJson | null): boolean =>
  lost !== null && [lost, ...(lost.by_group ?? [])].some(({ range: [low, high] }) => low < high);

/** For the message about them. @param lost as in a result: groups of a `LostFit` have another form. */
export function lostValues(
  lost: LostReportsJson & { readonly ofGroups?: never },
): Readonly<Record<string, string | number>> {
  const { by_group: byGroup, fits } = lost;
  if (!fits || byGroup === undefined) return { from: textOf(lost), ...percents(lost) };
  const groups = [...byGroup].sort((a, b) => a.rate - b.rate);
  const [fewest, most] = [groups[0], groups.at(-1)];
  if (fewest === undefined || most === undefined)
    return { from: lost.from === 'reports' ? 'uneven' : 'common', ...percents(lost) };
  const group = Object.values(most.group).join(', ');
  return groups.length === 1
    ? { from: 'group', ...percents(most), group }
    : {
        from: 'groups',
        rate: percent(lost.rate),
        least: percent(fewest.rate),
        most: percent(most.rate),
        group,
      };
}

/** For the message about losses in one group that heartbeats would not show; null if it does not apply. */
export function unseenLosses(lost: LostReportsJson | null): Readonly<Record<string, string | number>> | null {
  if (lost?.unseen === undefined || !lost.fits) return null;
  return lost.unseen < 1
    ? { shown: 'some', share: Number((100 * lost.unseen).toPrecision(2)) }
    : { shown: 'none', share: 100 };
}

const percent = (share: number): number => Number((100 * share).toPrecision(3));

const percents = ({ rate, range: [lowest, highest] }: Pick<LostReportsJson, 'rate' | 'range'>) => ({
  rate: percent(rate),
  least: percent(lowest),
  most: percent(highest),
});

function textOf({ rate, range, from, fits }: LostReportsJson): string {
  if (fits) return from === 'heartbeats' && rate === 0 ? 'none' : from;
  if (from === 'heartbeats') return range[1] < MOST_LOST ? 'refuted' : 'silent';
  return from === 'given' ? 'contradicted' : 'unlike';
}

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
  unseen: orUndefined('unseen', number(0, 1)),
});
