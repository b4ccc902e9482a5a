import { outcomeOf } from '../../../extension/pages/words/outcome';
import { accountOf } from '../../../extension/pages/explain/source-why';
import { trueState } from '../../../extension/pages/explain/true-state';
import { whySentence, whySteps } from '../../../extension/pages/explain/why';
import { log } from '../../../extension/pages/tables/log';
import { defaultMeasurement } from '../../../src/model/mechanisms';
import { epsilon } from '../../../src/model/units';
import { conditions, newEngine, sourceRegistration, START, triggerRegistration } from '../helpers/engine';

/** The second impression of a unit whose budget is for one, and a conversion of it. */
const overBudget = async (noise: 'on' | 'off', seed = 'test') => {
  const { engine, store } = newEngine({ seed });
  const budget = { ...defaultMeasurement.budget, unit: 'user', epsilon: epsilon(1), cap: 1 } as const;
  const under = conditions({ kind: noise }, { budget });
  // Two states, so that chance replaces the output of some and not of others.
  const plain = { trigger_data: [0], max_event_level_reports: 1, event_report_window: 86_400 };
  await engine.register(sourceRegistration(plain), under);
  const entry = await engine.register(sourceRegistration({ ...plain, priority: '9' }), under);
  const conversion = await engine.register(triggerRegistration(), under);
  const sources = await store.read((tx) => tx.table('sources').latest(2));
  const source = sources.find(({ overBudget: isOver }) => isOver === true);
  if (source === undefined || conversion.kind !== 'trigger') throw new Error('it must be kept');
  return { entry, conversion: { ...conversion, id: 99 }, source };
};

describe.each([false, true])('a source over its privacy budget (in debug mode: %s)', (truth) => {
  it('is listed as kept and over budget', async () => {
    const { entry } = await overBudget('off');
    expect(outcomeOf(entry, truth)).toEqual({
      key: 'kept-over-budget',
      words: 'kept, over budget',
      tone: 'warn',
    });
    const column = log.columns.find(
      ({ key, truth: ofTruth }) => key === (truth ? 'exact' : 'outcome') && ofTruth === truth,
    );
    expect(column?.value(entry)).toBe('kept-over-budget');
  });

  it('is explained by the check that it failed', async () => {
    const { entry } = await overBudget('off');
    expect(whySentence(entry, truth)).toBe(
      'The source is over its privacy budget. It was kept, and answers with noise only: no conversion counts for it.',
    );
    expect(whySteps(entry, truth).filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
  });

  it('says so where its reports are explained', async () => {
    const { source, conversion } = await overBudget('off');
    const { sentences, next } = accountOf(source, { triggers: [conversion], reports: [], now: START, truth });
    expect(sentences[0]).toMatch(/^It is over its privacy budget/);
    expect(sentences.join(' ')).toContain('source over budget');
    expect(sentences.join(' ')).not.toContain('A conversion now would be reported');
    expect(next).toBeNull();
  });
});

test('the true state of a source over budget has no conversion', async () => {
  const { source, conversion } = await overBudget('off');
  expect(conversion.decision).toMatchObject({ reason: 'trigger-source-over-budget', sourceId: source.id });
  expect(trueState(source, [conversion]).number).toBe(0n);
});

test('outside debug mode, nothing tells whether chance replaced the output of a source over budget', async () => {
  const told = new Set<string>();
  const drawn = new Set<string>();
  for (let seed = 0; seed < 30; seed++) {
    const { entry } = await overBudget('on', String(seed));
    if (entry.kind !== 'source' || entry.decision.kind !== 'stored') throw new Error('it must be kept');
    drawn.add(entry.decision.noise.kind);
    told.add(JSON.stringify([outcomeOf(entry, false), whySentence(entry, false), whySteps(entry, false)]));
  }
  expect([drawn.size, told.size]).toEqual([2, 1]);
});
