import type { Mutation } from './mutation';

const RESPONSE = 'src/privacy/randomized-response.ts';
const SOURCE = 'src/attribution/process-source.ts';
const LABEL = 'src/privacy/label-mechanism.ts';
const CLOSE = 'src/attribution/close-windows.ts';

/** Outputs that are drawn with too little noise, or with none. */
export const noise: readonly Mutation[] = [
  {
    breaks: 'randomized response is drawn with 1.2 ε',
    file: RESPONSE,
    before: 'rationalBounds(Rational.double(epsilon))',
    after: 'rationalBounds(Rational.double(epsilon * 1.2))',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'an output is replaced a little too rarely: for one state fewer than there are',
    file: RESPONSE,
    before: '(states * chance) << BigInt(bits)',
    after: '((states - 1n) * chance) << BigInt(bits)',
    foundBy: ['no budget', 'label-of-impression'],
  },
  {
    breaks: 'the last state is never drawn',
    file: RESPONSE,
    before: 'state: uniformBelow(random, states)',
    after: 'state: uniformBelow(random, states - 1n)',
    foundBy: ['clicks with two windows', 'window-of-conversion'],
  },
  {
    breaks: 'clicks get no noise',
    file: SOURCE,
    before: 'const noise = chooseNoise(work, source);',
    after:
      "const noise = source.sourceType === 'navigation' ? ({ kind: 'truthful' } as const) : chooseNoise(work, source);",
    foundBy: ['clicks', 'label-of-impression'],
  },
  {
    breaks: 'sources with several windows get no noise',
    file: SOURCE,
    before: "if (noise.kind === 'off') return { kind: 'off' };",
    after:
      "if (noise.kind === 'off' || registration.triggerSpecs.some(({ windows }) => windows.ends.length > 1)) return { kind: 'off' };",
    foundBy: ['clicks with two windows', 'label-of-impression'],
  },
  {
    breaks: 'sources with several trigger data get no noise',
    file: SOURCE,
    before: "if (noise.kind === 'off') return { kind: 'off' };",
    after:
      "if (noise.kind === 'off' || registration.triggerSpecs[0]?.triggerData.length === 2) return { kind: 'off' };",
    foundBy: ['clicks with two trigger data', 'label-of-impression'],
  },
  {
    breaks: 'sources with trigger_specs get no noise',
    file: SOURCE,
    before: "if (noise.kind === 'off') return { kind: 'off' };",
    after: "if (noise.kind === 'off' || registration.flexible) return { kind: 'off' };",
    foundBy: ['sums of values in two windows', 'label-of-impression'],
  },
  {
    breaks: 'the output is drawn with the ε that was registered, not with that which the budget grants',
    file: SOURCE,
    before: 'registration: { ...source.registration, eventLevelEpsilon },',
    after: 'registration: source.registration,',
    foundBy: ['user, K = 2', 'label-of-impression'],
  },
  {
    breaks: 'a source over budget gets no noise: it is silent',
    file: SOURCE,
    before: 'const noise = chooseNoise(work, source);',
    after: "const noise = source.overBudget ? ({ kind: 'truthful' } as const) : chooseNoise(work, source);",
    foundBy: ['user, one budget for all ad techs, K = 1', 'other-ad-tech-here'],
  },
  {
    breaks: 'bins are drawn with 1.2 ε',
    file: LABEL,
    before: 'rrOnBins(noise.values, noise.prior, noise.loss, epsilon)',
    after: 'rrOnBins(noise.values, noise.prior, noise.loss, epsilon * 1.2)',
    foundBy: ['label noise on bins', 'label-of-impression'],
  },
  {
    breaks: 'the unbiased randomizer is drawn with 1.2 ε',
    file: LABEL,
    before: 'unbiasedRandomizer(noise.values, noise.prior, epsilon)',
    after: 'unbiasedRandomizer(noise.values, noise.prior, epsilon * 1.2)',
    foundBy: ['unbiased label noise', 'label-of-impression'],
  },
  {
    breaks: 'randomized response with a prior is drawn with 1.2 ε',
    file: LABEL,
    before: 'rrWithPrior(noise.prior, epsilon)',
    after: 'rrWithPrior(noise.prior, epsilon * 1.2)',
    foundBy: ['user, label noise with a prior', 'label-of-impression'],
  },
  {
    breaks: 'a label outside the likeliest ones is told by the first of them',
    file: 'src/privacy/rr-with-prior.ts',
    before: ': outputs.map(() => ONE),',
    after: ': outputs.map((_, index) => (index === 0 ? ONE : rationalBounds(Rational.ZERO))),',
    foundBy: ['label noise with a prior of three states', 'label-of-impression'],
  },
  {
    breaks: 'the label noise ignores ε of the budget',
    file: CLOSE,
    before: 'const { eventLevelEpsilon } = source.registration;',
    after: 'const eventLevelEpsilon = (source.registration.eventLevelEpsilon * 2) as never;',
    foundBy: ['unbiased label noise', 'label-of-impression'],
  },
  {
    breaks: 'an output is drawn only after a conversion',
    file: CLOSE,
    before: 'const truth = trueState(source, held);',
    after:
      "if (held.length === 0) return draft.delete('undrawn', undrawn.id);\n  const truth = trueState(source, held);",
    foundBy: ['unbiased label noise', 'label-of-impression'],
  },
  {
    breaks: 'a source that lost its conversion to another draws no output',
    file: CLOSE,
    before: 'const truth = trueState(source, held);',
    after:
      "if (draft.get('sources', source.id)?.forgotten) return draft.delete('undrawn', undrawn.id);\n  const truth = trueState(source, held);",
    foundBy: ['user, label noise with a prior', 'conversion'],
  },
  {
    breaks: 'held reports are sent beside the drawn ones',
    file: 'src/store/rows.ts',
    before: '(event?.held === true ? [] : [nextAttempt])',
    after: '[nextAttempt]',
    foundBy: ['unbiased label noise without delay', 'label-of-impression'],
  },
  {
    breaks: 'the output of a removed source is drawn only after a conversion',
    file: CLOSE,
    before: 'const truth = trueState(source, held);',
    after:
      "if (held.length === 0 && draft.get('sources', source.id) === undefined)\n    return draft.delete('undrawn', undrawn.id);\n  const truth = trueState(source, held);",
    foundBy: ['unbiased label noise', 'label-before-removal'],
  },
  {
    breaks: 'the rate in reports tells that a source is over budget',
    file: SOURCE,
    before: 'randomizedTriggerRate: randomizedTriggerRate(source.states, eventLevelEpsilon),',
    after:
      "randomizedTriggerRate: randomizedTriggerRate(source.states, kind === 'refused' ? (0 as never) : eventLevelEpsilon),",
    foundBy: ['user-publisher, one budget for all ad techs, last touch', 'other-ad-tech-here'],
  },
  {
    breaks: 'a source of more than 200 states is drawn as if it had one fewer',
    file: 'src/privacy/randomized-response.ts',
    before: 'const probability = replaceProbability(states, epsilon);',
    after: 'if (states > 200n) states -= 1n;\n  const probability = replaceProbability(states, epsilon);',
    foundBy: ['clicks that say nothing of reports', 'most-conversions'],
  },
  {
    breaks: 'a source of ten states is drawn as if it had one fewer',
    file: 'src/privacy/randomized-response.ts',
    before: 'const probability = replaceProbability(states, epsilon);',
    after: 'if (states === 10n) states -= 1n;\n  const probability = replaceProbability(states, epsilon);',
    foundBy: ['clicks with three trigger data', 'most-conversions'],
  },
  {
    breaks: 'a source over budget gets randomized response instead of the mechanism of the settings',
    file: 'src/attribution/process-source.ts',
    before: "if (work.noise.kind === 'on' && labelNoise.kind !== 'rr') {",
    after: "if (work.noise.kind === 'on' && labelNoise.kind !== 'rr' && source.overBudget === undefined) {",
    foundBy: ['user, one budget for all ad techs, K = 2, label noise with a prior', 'other-ad-tech-here'],
  },
  {
    breaks: 'an output is drawn again if it is not the truth',
    file: 'src/attribution/close-windows.ts',
    before: 'const output = drawOutput(work, noise, eventLevelEpsilon, truth);',
    after:
      "let output = drawOutput(work, noise, eventLevelEpsilon, truth);\n  if (output.kind === 'state' && output.state !== truth) output = drawOutput(work, noise, eventLevelEpsilon, truth);",
    foundBy: ['user, label noise with a prior', 'label-of-impression'],
  },
  {
    breaks: 'a source that lost reports its truth',
    file: 'src/attribution/close-windows.ts',
    before: 'const output = drawOutput(work, noise, eventLevelEpsilon, truth);',
    after:
      "const output =\n    draft.get('sources', source.id)?.forgotten === true ? ({ kind: 'state', state: truth } as const) : drawOutput(work, noise, eventLevelEpsilon, truth);",
    foundBy: ['user, label noise with a prior', 'conversion'],
  },
  {
    breaks: 'states with reports in the third window are decoded as those of the second',
    file: 'src/states/report-space.ts',
    before: 'placed.push(...new Array<number>(here).fill(window));',
    after: 'placed.push(...new Array<number>(here).fill(Math.min(window, 1)));',
    foundBy: ['clicks with three windows', 'window-of-conversion'],
  },
  {
    breaks: 'a source with ε = 0 gets no noise',
    file: 'src/attribution/process-source.ts',
    before: "if (work.noise.kind === 'on' && labelNoise.kind !== 'rr') {",
    after:
      "if (source.registration.eventLevelEpsilon === 0) return { ...source, noise: { kind: 'truthful' } };\n  if (work.noise.kind === 'on' && labelNoise.kind !== 'rr') {",
    foundBy: ['no budget', 'label-without-epsilon'],
  },
  {
    breaks: 'a source for which the label noise is not made gets none',
    file: 'src/attribution/process-source.ts',
    before: '  const noise = chooseNoise(work, source);',
    after: "  if (labelNoise.kind !== 'rr') return source;\n  const noise = chooseNoise(work, source);",
    foundBy: ['unbiased label noise of values that no source has', 'label-of-impression'],
  },
  {
    breaks: 'a source over budget is drawn with the ε that was registered',
    file: 'src/attribution/process-source.ts',
    before: '    registration: { ...source.registration, eventLevelEpsilon },',
    after:
      "    registration: kind === 'refused' ? source.registration : { ...source.registration, eventLevelEpsilon },",
    foundBy: ['user, one budget for all ad techs, K = 2', 'other-ad-tech-here'],
  },
];
