import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { AttributionApi } from '../../analysis/w3c/attribution-api';
import { seededRandomStreams } from '../../analysis/random/sources';
import { openPayload, sealPayload } from '../../formats/reports/seal-in-browser';
import { parse } from '../../formats/codec/issues';
import type { Extension, W3cAnswer } from '../../scenarios/kit';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { days, moment } from '../../src/model/units';
import { MemoryDocuments } from '../../w3c/memory';
import { conversionOptions } from '../../w3c/options';
import { histogramIn, readReport, sealReport } from '../../w3c/report';
import { AGGREGATION_SERVICE } from '../../w3c/service';
import {
  perform,
  readConfig,
  readLimits,
  readW3cCase,
  type CaseConfig,
  type ParsedEvent,
} from '../conformance/w3c-cases';
import { newSealingKey, type SealingKey } from './helpers/sealing-key';
import { browsersOfRun, calm, isLong, useWorld } from './helpers/world';

/*
 * The cases in the format of w3c/attribution through the extension, each under a seed with which `simulate`'s engine gives what they expect.
 * The reports must be the same bytes, and hold what the case expects.
 */

const own = path.join(__dirname, '../conformance/w3c');
const folders = [own, process.env['COINTOSS_W3C_CASES'] ?? own].filter(
  (folder, index, all) => existsSync(folder) && all.indexOf(folder) === index,
);
const CONFIG = 'CONFIG.json';
/** A run takes some of ours; `npm run soak` all, and those of the draft if there are any. */
const all = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== CONFIG)
    .map((name) => path.join(folder, name)),
);

const cases = isLong ? all : all.filter((_, place) => place % 8 === 0);

const START = 1_767_225_600_000;
const HOUR = 3_600_000;
/** Cases are so far apart that nothing of one matters to the next. */
const APART = days(364);

describe.each(browsersOfRun)('cases of W3C Attribution (%s)', (name) => {
  const world = useWorld(name);
  let sealing: SealingKey;

  beforeAll(async () => {
    sealing = await newSealingKey();
  });

  test('every one', async () => {
    const { extension } = world;
    await extension.settings({
      w3cAttribution: true,
      aggregationKeys: [sealing.setting],
      debug: { ...calm.debug, enabled: true },
    });
    const wrong: string[] = [];
    let base = START;
    for (const file of cases) {
      base += APART;
      const config = readConfig(path.join(path.dirname(file), CONFIG));
      await extension.w3c.setLimits(readLimits(path.join(path.dirname(file), CONFIG)));
      const events = readW3cCase(file);
      const plan = await planOf(extension, config, events, base);
      if (plan === null) throw new Error(`${file}: no seed gives what is expected`);
      base = plan.base;
      await extension.settings({ paused: false, debug: { seed: plan.seed } });
      for (const event of events) {
        await extension.setClock(base + event.seconds * 1000, { frozen: true });
        const actual = await through(extension, event, config);
        const said = await read(actual, sealing.secret);
        if (JSON.stringify(said) !== JSON.stringify(event.expected))
          wrong.push(`${path.basename(file)} at ${event.seconds}: ${JSON.stringify(said)}`);
        const same = await simulated(plan, event, actual);
        if (!same) wrong.push(`${path.basename(file)} at ${event.seconds}: other bytes`);
      }
    }
    expect(wrong).toEqual([]);
  });

  /** Whether the engine of `simulate` makes the same report of the event. */
  async function simulated(plan: Plan, event: ParsedEvent, actual: W3cAnswer | null): Promise<boolean> {
    const moved = { ...event, seconds: event.seconds + plan.base / 1000 };
    const histogram = perform(plan.api, plan.config, moved);
    if (!Array.isArray(histogram) || actual === null || !('report' in actual)) return true;
    const stream = plan.api.enabled ? plan.api.documents.state.calls : 0;
    // The parser leaves the service out.
    const { value } = parse(event.options, conversionOptions(plan.config.limits));
    const sites = sitesOf(event);
    if (value === null) return false;
    const call = {
      time: moment(moved.seconds * 1000),
      topLevelSite: sites.site,
      intermediarySite: sites.intermediarySite === sites.site ? null : sites.intermediarySite,
    };
    const random = seededRandomStreams(plan.seed, 'w3c')(2 ** 32 + stream);
    const bytes = await sealReport(
      histogram as readonly number[],
      call,
      value,
      sealing.key,
      sealPayload,
      random,
    );
    return Buffer.from(bytes).toString('base64') === actual.report;
  }
});

interface Plan {
  readonly seed: string;
  readonly base: number;
  readonly api: AttributionApi;
  readonly config: CaseConfig;
}

/** A seed and a time with which the pure engine gives what a case expects, after all that the extension has decided so far. */
async function planOf(
  extension: Extension,
  config: CaseConfig,
  events: readonly ParsedEvent[],
  from: number,
): Promise<Plan | null> {
  const { state, budgets, impressions } = await extension.w3c.view();
  const newApi = (seed: string): AttributionApi =>
    new AttributionApi(
      config.limits,
      seededRandomStreams(seed, 'w3c'),
      new MemoryDocuments(
        state,
        impressions.map((one) => ({
          ...one,
          conversionSites: new Set(one.conversionSites),
          conversionCallers: new Set(one.conversionCallers),
        })),
        budgets,
      ),
    );
  for (let attempt = 0; attempt < 200; attempt++)
    for (let hour = 0; hour < 168; hour++) {
      const [seed, base] = [`case ${attempt}`, from + hour * HOUR];
      const api = newApi(seed);
      const isExpected = events.every(
        (event) =>
          JSON.stringify(perform(api, config, { ...event, seconds: event.seconds + base / 1000 })) ===
          JSON.stringify(event.expected),
      );
      if (isExpected) return { seed, base, api: newApi(seed), config };
    }
  return null;
}

function sitesOf({ pages }: ParsedEvent): {
  readonly site: string;
  readonly intermediarySite: string | null;
} {
  const { site = '', intermediarySite = null } = pages as {
    readonly site?: string;
    readonly intermediarySite?: string | null;
  };
  return { site, intermediarySite };
}

/** Lets the extension do what an event of a case says. */
async function through(
  extension: Extension,
  event: ParsedEvent,
  { services }: CaseConfig,
): Promise<W3cAnswer | null> {
  const { kind, sites, forgetVisits, options } = event;
  const asked: JsonObject = isJsonObject(options) ? options : {};
  switch (kind) {
    case 'saveImpression':
      return extension.w3c.saveImpression(asked, sitesOf(event));
    case 'measureConversion': {
      const service = asked['aggregationService'] ?? services[0];
      const aggregationService = services.some((known) => known === service) ? AGGREGATION_SERVICE : service;
      return extension.w3c.measureConversion(
        { ...asked, aggregationService: aggregationService ?? '' },
        sitesOf(event),
      );
    }
    case 'clearImpressionsForSite':
      for (const site of sites) await extension.w3c.clearImpressions(site);
      return null;
    case 'clearBrowsingHistoryForAttribution':
      if (!forgetVisits) await extension.w3c.forgetSiteData(sites);
      else if (sites.length === 0) await extension.clear();
      else
        await extension.send({
          kind: 'clear',
          scope: { kind: 'sites', sites: sites.map((site) => `https://${site}`) },
        });
      return null;
    case 'enableAPI':
    case 'disableAPI':
      await extension.settings({ paused: kind === 'disableAPI' });
      return null;
  }
}

/** What a case would say: a histogram, the name of an error, or nothing. */
async function read(answer: W3cAnswer | null, secret: Uint8Array): Promise<Json> {
  if (answer === null) return null;
  if ('error' in answer) return answer.error;
  if (answer.report === null) return null;
  const { value } = readReport(JSON.parse(Buffer.from(answer.report, 'base64').toString()) as Json);
  const payload = value === null ? null : await openPayload(value.sealed, value.contextText, secret);
  return value === null || payload === null ? 'not opened' : histogramIn(payload, value.context);
}
