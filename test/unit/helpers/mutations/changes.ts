import type { Mutation } from './mutation';

const CARRY = 'extension/erasing/carry-accounts.ts';

/** Budgets that are full again after a change of settings or of the clock, or after erasing. */
export const changes: readonly Mutation[] = [
  {
    breaks: 'another owner begins with a full budget',
    file: CARRY,
    before: 'ownerOf(present.owners, one)',
    after: 'ownerOf(before.owners, one)',
    foundBy: ['user, K = 1', 'labels-after-new-owners'],
  },
  {
    breaks: 'another period begins with a full budget',
    file: CARRY,
    before: 'if (period === last) return named(account);',
    after: 'if (period === last) return before.period === present.period ? named(account) : [];',
    foundBy: ['user, K = 1', 'labels-after-new-period'],
  },
  {
    breaks: 'another period begins with a full budget if the clock was ahead at the change',
    file: CARRY,
    before: 'if (period === last) return named(account);',
    after: 'if (period === last) return named(account);\n    if (!isAsked(period)) return [];',
    foundBy: ['user, K = 1', 'labels-after-new-period-with-clock-ahead'],
  },
  {
    breaks: 'another period begins with a full budget if the clock was behind at the change',
    file: CARRY,
    before: 'until: await lastTime(tx, now)',
    after: 'until: now',
    foundBy: ['user, K = 1', 'labels-after-new-period-with-clock-behind'],
  },
  {
    breaks: 'another period begins with a full budget if everything was erased and the clock was behind',
    file: CARRY,
    before: 'isNamed ? until : NEVER',
    after: 'isNamed ? until : until',
    foundBy: ['user, K = 1', 'labels-after-erasing-with-clock-behind'],
  },
  {
    breaks: 'another unit begins with a full budget',
    file: CARRY,
    before: 'before.unit === present.unit',
    after: 'before.unit === before.unit',
    foundBy: ['user, K = 1', 'labels-after-new-unit'],
  },
  {
    breaks: 'new quotas begin with full budgets',
    file: CARRY,
    before: 'before.isJoint || !present.isJoint ?',
    after: 'before.isJoint || before.period > 0 ?',
    foundBy: ['impression, one budget for all ad techs, with quotas of half', 'labels-after-new-quotas'],
  },
  {
    breaks: 'accounts are deleted when the clock says that their period has ended',
    file: 'extension/erasing/end-accounts.ts',
    before: 'const id = lastingId(account);',
    after: 'const id = account.end > now ? lastingId(account) : null;',
    foundBy: ['user, K = 1', 'labels-after-clock-ahead'],
  },
  {
    breaks: 'what attribution asked is forgotten with another period',
    file: CARRY,
    before: 'if (period === last) return named(account);',
    after: 'if (period === last) return named({ ...account, attribution: nothing });',
    foundBy: ['exponential mechanism, a budget for one attribution', 'credits-after-new-period'],
  },
  {
    breaks: 'what attribution asked is forgotten with another unit',
    file: CARRY,
    before: 'present, accounts, now), ...asked]',
    after: 'present, accounts, now)]',
    foundBy: ['exponential mechanism, a budget for one attribution', 'credits-after-new-unit'],
  },
  {
    breaks: 'what attribution asked is forgotten when everything is erased',
    file: 'extension/erasing/erase-spends.ts',
    before: "if (of !== '' || reportingSite !== null) moveTo(draft, account, lastingId(account));",
    after:
      "if (of !== '' || reportingSite !== null) moveTo(draft, account.attribution.count === 0 ? account : { ...account, attribution: { ...account.attribution, sum: { numerator: 0n, denominator: 1n }, squares: { numerator: 0n, denominator: 1n } } }, lastingId(account));",
    foundBy: [
      'exponential mechanism, a budget for one attribution and four impressions',
      'credits-after-erasing',
    ],
  },
  {
    breaks: 'quotas do not follow owners',
    file: CARRY,
    before: 'isQuota ? { of: one }',
    after: 'isQuota ? { of: unit.of }',
    foundBy: [
      'impression, one budget for all ad techs, with quotas of half',
      'labels-after-new-owners-of-quotas',
    ],
  },
];
