import { Erasing } from '../../extension/background/erasing';
import type { ClearScope } from '../../extension/messages';
import type { LabelNoise } from '../../src/model/mechanisms';
import { after, days } from '../../src/model/units';
import { conditions, newEngine, sourceRegistration, START } from './helpers/engine';

const noise: LabelNoise = { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] };
const source = sourceRegistration(
  {
    trigger_specs: [{ trigger_data: [0], event_report_windows: { end_times: [3600] }, summary_buckets: [1] }],
    max_event_level_reports: 1,
    event_level_epsilon: 1,
  },
  'event',
);

test.each<[string, ClearScope, number]>([
  ['its site', { kind: 'site', site: 'https://news.example' }, 0],
  ['its time', { kind: 'time', from: START, to: START }, 0],
  ['another site', { kind: 'site', site: 'https://blog.example' }, 1],
])(
  'after erasing %s, a source whose output is still to be drawn makes so many reports',
  async (_what, scope, reports) => {
    const { engine, store } = newEngine();
    await engine.register(source, conditions({ kind: 'on' }, { labelNoise: noise }));
    const erasing = new Erasing(store);
    await erasing.erase(scope);
    expect(await engine.due(after(START, days(1)))).toHaveLength(reports);
  },
);

test('what was erased comes back whole, with its output to be drawn, while the spend stayed', async () => {
  const { engine, store } = newEngine();
  await engine.register(source, conditions({ kind: 'on' }, { labelNoise: noise }));
  const erasing = new Erasing(store);
  await erasing.erase({ kind: 'site', site: 'https://news.example' });
  expect(await store.read((tx) => tx.table('spends').count())).toBe(1);
  await erasing.undo();
  expect(await engine.due(after(START, days(1)))).toHaveLength(1);
});
