import { setImmediate as turn } from 'node:timers/promises';
import { Analyst, EstimatesStopped } from '../../../collector/questions/analyst';
import type { AnalysisRequest } from '../../../collector/questions/analysis-request';
import { CountedJoin, outcomeOf } from '../../../analysis/estimate/join/counted-join';
import { rulesOf } from '../../../analysis/estimate/join/joined-groups';
import { moment, seconds } from '../../../src/model/units';
import { temporaryCollector } from '../helpers/empty-store';
import { configurationOf } from '../helpers/estimates';

/** Some sources of a configuration, none with a report. */
function request(sources: number): AnalysisRequest {
  const join = new CountedJoin();
  const configuration = configurationOf({}, 'event', 2);
  const outcome = outcomeOf(rulesOf(configuration), [], moment(0), seconds(60));
  join.add({ configuration: { name: 'views', configuration }, group: [] }, false, { ...outcome, sources });
  return {
    joined: { ...join.result(0, moment(0)), otherKinds: new Map() },
    groupBy: [],
    options: { level: 0.95, randomness: 'noise', likelihood: false, singles: false },
  };
}

const waits = (): AbortSignal => new AbortController().signal;

let analyst: Analyst;

afterEach(() => analyst.close());

test('what nobody waits for is stopped, at work or in line, and the next gets its own answer', async () => {
  analyst = new Analyst();
  const closed = new AbortController();
  const atWork = analyst.analyse(request(1), closed.signal);
  const inLine = analyst.analyse(request(2), closed.signal);
  const next = analyst.analyse(request(3), waits());
  // By then the first one is in the thread, which takes long to start.
  setImmediate(() => closed.abort());
  await expect(atWork).rejects.toThrow(EstimatesStopped);
  await expect(inLine).rejects.toThrow(EstimatesStopped);
  expect((await next).configurations[0]?.groups[0]?.sources).toBe(3);
});

test('what takes longer than the limit is stopped, with words', async () => {
  analyst = new Analyst(1);
  await expect(analyst.analyse(request(1), waits())).rejects.toThrow(
    'these estimates take longer than 0.001 seconds: choose fewer groups or sources',
  );
});

test('threads that cannot be loaded fail the request, and the next request tries again', async () => {
  jest.doMock('../../../node/worker-pool', () => {
    throw new Error('the file is gone');
  });
  analyst = new Analyst();
  await expect(analyst.start()).rejects.toThrow('the file is gone');
  await expect(analyst.analyse(request(1), waits())).rejects.toThrow('the file is gone');
  jest.dontMock('../../../node/worker-pool');
  expect((await analyst.analyse(request(2), waits())).configurations[0]?.groups[0]?.sources).toBe(2);
});

test('a collector that listens has loaded what its start left out', async () => {
  analyst = new Analyst();
  const loaded: string[] = [];
  const late = [
    '../../../node/worker-pool',
    '../../../collector/questions/label-evidence',
    '../../../collector/questions/training-rows',
  ];
  for (const name of late)
    jest.doMock(name, () => {
      loaded.push(name);
      return {};
    });
  const app = await temporaryCollector();
  expect(loaded).toEqual([]);
  await app.listen({ port: 0, host: '127.0.0.1' });
  await turn();
  await app.close();
  for (const name of late) jest.dontMock(name);
  expect(loaded.sort()).toEqual(late.sort());
});
