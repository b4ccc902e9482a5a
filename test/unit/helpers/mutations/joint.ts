import type { Mutation } from './mutation';

const JOINT = 'src/limits/joint-budget.ts';

/** Joint budgets that are exceeded. */
export const joint: readonly Mutation[] = [
  {
    breaks: 'a period is a day',
    file: JOINT,
    before: 'const length = days(period);',
    after: 'const length = days(1);',
    foundBy: ['user, K = 1', 'labels-on-other-days'],
  },
  {
    breaks: 'the joint budget is never full',
    file: JOINT,
    before: 'if (!trace.check',
    after: 'if (trace === undefined && !trace.check',
    foundBy: ['user, one budget for all ad techs, K = 1', 'labels-of-all', 'everyone'],
  },
  {
    breaks: 'the joint budget is charged for quotas only',
    file: 'src/limits/privacy-budget.ts',
    before: 'for (const account of jointAccountsOf(budget, source)) charge',
    after: 'for (const account of jointAccountsOf(budget, source).slice(1)) charge',
    foundBy: ['user, one budget for all ad techs, K = 1', 'labels-of-all', 'everyone'],
  },
  {
    breaks: 'a reporting site has no quota of the joint budget',
    file: JOINT,
    before: "    quota('reportingSite', observerOf(budget.owners, reportingOrigin)),\n",
    after: '',
    foundBy: ['impression, one budget for all ad techs, with quotas of half', 'labels-for-adversary'],
  },
  {
    breaks: 'ad techs of one owner have a budget each',
    file: JOINT,
    before: 'owners.find((sites) => sites.includes(site))?.[0] ?? site;',
    after: 'owners.length === 0 ? site : site;',
    foundBy: ['user, two ad techs of one owner, exponential mechanism, K = 1', 'labels-of-all'],
  },
  {
    breaks: 'a page has no quota of the joint budget',
    file: JOINT,
    before: "    quota('sourceSite', sourceSite),\n",
    after: '',
    foundBy: ['impression, one budget for all ad techs, with quotas of half', 'labels-of-page'],
  },
  {
    breaks: 'an advertiser has no quota of the joint budget',
    file: JOINT,
    before: "    ...registration.destinations.map((destination) => quota('destination', destination)),\n",
    after: '',
    foundBy: ['impression, one budget for all ad techs, with quotas of half', 'labels-of-advertiser'],
  },
  {
    breaks: 'an impression for several advertisers charges the quota of the first one only',
    file: JOINT,
    before: '...registration.destinations.map((destination) => quota',
    after: '...registration.destinations.slice(0, 1).map((destination) => quota',
    foundBy: ['impression, one budget for all ad techs, with quotas of half', 'labels-of-advertiser'],
  },
  {
    breaks: 'ad techs of one owner have a quota each',
    file: JOINT,
    before: "quota('reportingSite', observerOf(budget.owners, reportingOrigin))",
    after: "quota('reportingSite', siteOf(reportingOrigin))",
    foundBy: ['impression, quotas of half, two ad techs of one owner', 'labels-of-all'],
  },
  {
    breaks: 'what was spent of a quota does not count once it is erased',
    file: 'src/limits/accounts.ts',
    before: '[holder, withoutNames(holder)].map(budgetKey)',
    after: '[holder, holder.reportingSite === null ? holder : withoutNames(holder)].map(budgetKey)',
    foundBy: ['impression, one budget for all ad techs, with quotas of half', 'labels-after-erasing'],
  },
  {
    breaks: 'quotas of ended periods are forgotten',
    file: 'extension/erasing/end-accounts.ts',
    before: 'if (id !== null)\n',
    after: "if (id !== null && id.startsWith('everyone'))\n",
    foundBy: [
      'impression, one budget for all ad techs, with quotas of half',
      'labels-after-clock-ahead-of-quotas',
    ],
  },
  {
    breaks: 'what was spent of the quotas of pages is forgotten with another period',
    file: 'extension/erasing/carry-accounts.ts',
    before: '    const named = (part: Account)',
    after: "    if (account.id.startsWith('sourceSite ')) return [];\n    const named = (part: Account)",
    foundBy: [
      'impression, one budget for all ad techs, with quotas of half',
      'labels-after-new-period-of-quotas',
      'everyone',
    ],
  },
  {
    breaks: 'what was spent of the quota of an erased advertiser is forgotten',
    file: 'extension/erasing/erase-spends.ts',
    before: 'isGone ? null : namelessId(account)',
    after: "isGone || (unit as string) === 'destination' ? null : namelessId(account)",
    foundBy: [
      'impression, one budget for all ad techs, with quotas of half',
      'labels-after-erasing-of-quotas',
      'everyone',
    ],
  },
  {
    breaks: 'each page has a joint budget',
    file: JOINT,
    before: "share: 'epsilon', of: '',",
    after: "share: 'epsilon', of: sourceSite,",
    foundBy: ['user, one budget for all ad techs, K = 1', 'labels-of-all', 'everyone'],
  },
  {
    breaks: 'a joint budget is exceeded by one output',
    file: 'src/limits/joint-budget.ts',
    before: 'sum.plus(epsilon).compare(Rational.of(joint[share])) <= 0n',
    after: 'sum.compare(Rational.of(joint[share])) < 0n',
    foundBy: [
      'impression, one budget for all ad techs, of which less is registered',
      'labels-of-all',
      'everyone',
    ],
  },
  {
    breaks: 'a conversion is charged to the joint budget',
    file: 'src/limits/joint-budget.ts',
    before: "const { sum } = spentOn(draft, account, 'report');",
    after:
      "const { sum: own } = spentOn(draft, account, 'report');\n    const converted = draft.candidates('https://adtech.example https://shop.example').some(({ reportCount }) => reportCount > 0);\n    const sum = converted ? own.plus(own) : own;",
    foundBy: [
      'impression, one budget for all ad techs, of two impressions',
      'label-before-last-of-joint-budget',
    ],
  },
];
