import { readMonth } from '../../../collector/demo/month';
import { DEMO_MONTH, simulateMonth, truthOfDemo } from '../../../collector/demo/simulate-month';

test('the stored month has what its first people do', async () => {
  const few = { ...DEMO_MONTH, users: 40 };
  const { month, truth } = readMonth();
  const { sources, reports } = await simulateMonth(few);
  expect(sources.length).toBeGreaterThan(100);
  expect(month.sources).toEqual(expect.arrayContaining([...sources]));
  expect(reports.length).toBeGreaterThan(10);
  expect(month.reports).toEqual(expect.arrayContaining([...reports]));
  expect(truth).toEqual(expect.arrayContaining([...(await truthOfDemo(few))]));
});
