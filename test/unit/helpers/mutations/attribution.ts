import type { Mutation } from './mutation';

const SCORES = 'src/attribution/click-scores.ts';

/** Private attributions that lose more than they are charged for. */
export const attribution: readonly Mutation[] = [
  {
    breaks: 'the exponential mechanism has twice its ε',
    file: SCORES,
    before: 'const half = epsilon.over(Rational.of(2));',
    after: 'const half = epsilon;',
    foundBy: ['exponential mechanism, hardly any noise', 'credit-of-moved-click'],
  },
  {
    breaks: 'the exponential mechanism has 1.2 ε',
    file: SCORES,
    before: 'const epsilon = epsilonParameter(choice.epsilon);',
    after: 'const epsilon = epsilonParameter(choice.epsilon).times(Rational.fraction(6n, 5n));',
    foundBy: ['exponential mechanism, hardly any noise', 'credit-of-moved-click'],
  },
  {
    breaks: 'the credit goes to the last click',
    file: 'src/attribution/credit.ts',
    before: "    work.noise.kind === 'off'\n      ? candidates.length - 1",
    after: "    work.noise.kind !== 'forced'\n      ? candidates.length - 1",
    foundBy: ['exponential mechanism, hardly any noise', 'credit-of-passed-click'],
  },
  {
    breaks: 'permute-and-flip takes a click with twice its ε',
    file: 'src/attribution/private-choice.ts',
    before: 'if (bernoulli(random, probability)) return index;',
    after: 'if (bernoulli(random, probability) && bernoulli(random, probability)) return index;',
    foundBy: ['permute-and-flip, hardly any noise', 'credit-of-moved-click'],
  },
  {
    breaks: 'permute-and-flip looks at the clicks in the order of time',
    file: 'src/attribution/private-choice.ts',
    before: 'of shuffle(random, coins))',
    after: 'of coins)',
    foundBy: ['permute-and-flip, hardly any noise', 'credit-of-passed-click'],
  },
  {
    breaks: 'attribution is charged half of what it loses',
    file: 'src/attribution/credit.ts',
    before: 'touches, lossOfChoice(model));',
    after: 'touches, (lossOfChoice(model) / 2) as never);',
    foundBy: ['exponential mechanism, a budget for one attribution', 'credits-of-moved-click'],
  },
  {
    breaks: 'the reciprocal score is twenty times as sensitive as it says',
    file: SCORES,
    before: 'Rational.ONE.over(gap.minus(tau)).minus(Rational.ONE.over(gap));',
    after: 'Rational.ONE.over(gap.minus(tau)).minus(Rational.ONE.over(gap)).over(Rational.of(20));',
    foundBy: ['exponential mechanism, reciprocal score, hardly any noise', 'credit-of-moved-click'],
  },
  {
    breaks: 'conversions of other ad techs are credited, too',
    file: 'src/attribution/find-source.ts',
    before: 'const key = candidateKey(trigger.reportingOrigin, trigger.destination);',
    after: "const key = candidateKey('https://adtech.example' as never, trigger.destination);",
    foundBy: ['no budget', 'conversions-of-other-ad-tech'],
  },
  {
    breaks: 'an impression whose output told a conversion gets no credit any more',
    file: 'src/attribution/close-windows.ts',
    before: 'attributable: false,\n    });',
    after: 'attributable: false,\n      ...(truth > 0n ? { forgotten: true } : {}),\n    });',
    foundBy: ['unbiased label noise of two values', 'label-before-later-conversion'],
  },
];
