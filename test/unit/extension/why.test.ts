import { whySteps } from '../../../extension/pages/explain/why';
import { causes, firstDropped, snapshotOf } from '../helpers/causes';

describe('the steps of "why"', () => {
  it.each(causes)('of %s end at "%s"', async (scenario, check, table) => {
    const { tables } = await snapshotOf(scenario);
    const first = firstDropped(tables.log, table);
    if (first === undefined) throw new Error('nothing was dropped');
    const steps = whySteps(first, true);
    expect(steps.filter(({ deciding }) => deciding)).toMatchObject([{ name: check, outcome: 'failed' }]);
    const index = steps.findIndex(({ deciding }) => deciding);
    expect(steps.map(({ outcome }) => outcome)).toEqual(
      steps.map((_, step) => (step < index ? 'passed' : step === index ? 'failed' : 'not-reached')),
    );
  });
});
