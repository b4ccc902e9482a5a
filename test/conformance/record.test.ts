import { accept } from '../../cli/io/input';
import { chromiumLimits } from '../../src/model/limits';
import { type Json, type JsonObject } from '../../src/model/json';
import { seededRandomSource } from '../../analysis/random/sources';
import { recordScenario } from '../../analysis/scenario/record';
import { replay } from '../../analysis/scenario/replay';
import { parseScenario, type Scenario, type ScenarioReport } from '../../analysis/scenario/scenario';
import { MemoryStore } from '../../analysis/store/memory-store';
import { scenarioFiles } from './scenario-files';
import { canonical } from '../../formats/codec/plain-json';

/** Browsers have neither fenced frames nor retries that wait for a navigation, so a record cannot contain them. */
const canBeRecorded = ({ config, events }: Scenario): boolean =>
  config.navigationRetry === null && events.every((event) => event.kind !== 'request' || !event.fenced);

const cases = scenarioFiles().filter(({ scenario }) => canBeRecorded(scenario));

async function run(
  scenario: Scenario,
  seed: string,
): Promise<{ sent: readonly ScenarioReport[]; store: MemoryStore }> {
  const store = new MemoryStore();
  const random = (stream: number): ReturnType<typeof seededRandomSource> => seededRandomSource(seed, stream);
  return { sent: await replay(scenario, { noise: false, random, store }), store };
}

async function record(store: MemoryStore, { settings, config }: Scenario, debug: boolean): Promise<Json> {
  const recorded = await store.read(async (tx) => ({
    log: await tx.table('log').latest(Infinity),
    reports: await tx.table('reports').latest(Infinity),
    finished: await tx.table('finished').latest(Infinity),
  }));
  // Converts to JSON text and back, because a file can only hold JSON.
  return JSON.parse(
    JSON.stringify(recordScenario(recorded, { settings, limits: config.limits, debug })),
  ) as Json;
}

/** As a multiset, without the ids. */
const comparable = (reports: readonly ScenarioReport[]): readonly string[] =>
  reports.map((report) => canonical({ ...report }).replace(/"report_id":"[^"]*",?/g, '')).sort();

const isDebugField = (name: string): boolean => /^((source|trigger)_debug_keys?|debug_mode)$/.test(name);

const withoutDebugFields = (json: Json | undefined): JsonObject =>
  Object.fromEntries(Object.entries(json as JsonObject).filter(([name]) => !isDebugField(name)));

const withoutDebug = (reports: readonly ScenarioReport[]): readonly ScenarioReport[] =>
  reports
    .filter(
      ({ report_url: url }) => !url.includes('/debug/') || url.endsWith('/debug/report-aggregate-debug'),
    )
    .map((report) => {
      const payload = withoutDebugFields(report.payload);
      const info = payload['shared_info'];
      return {
        ...report,
        payload: info === undefined ? payload : { ...payload, shared_info: withoutDebugFields(info) },
      };
    });

describe('a recorded scenario', () => {
  it.each(cases)('replays with the same reports, debug reports too: $name', async ({ name, scenario }) => {
    const { sent, store } = await run(scenario, 'first');
    const recorded = parseScenario(await record(store, scenario, true), chromiumLimits);
    expect(recorded.warnings).toEqual([]);
    const again = accept(name, recorded);
    expect(comparable((await run(again, 'second')).sent)).toEqual(comparable(sent));
    expect(comparable(again.reports)).toEqual(comparable(sent));
  });

  it.each(cases)('leaves out debug reports and keys unless asked: $name', async ({ name, scenario }) => {
    const { sent, store } = await run(scenario, 'first');
    const again = accept(name, parseScenario(await record(store, scenario, false), chromiumLimits));
    expect(comparable((await run(again, 'second')).sent)).toEqual(comparable(withoutDebug(sent)));
    expect(comparable(again.reports)).toEqual(comparable(withoutDebug(sent)));
  });
});
