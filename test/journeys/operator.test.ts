import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import { root } from '../../node/root';
import { waitFor } from '../../scenarios/kit';
import type { JsonObject } from '../../src/model/json';
import { startCollectorProcess, type CollectorProcess } from '../unit/helpers/collector-process';
import { source, trigger } from '../e2e/helpers/registrations';
import { emptyStore } from '../unit/helpers/empty-store';
import { browsersOfRun, isLong, World } from '../e2e/helpers/world';
import { Project } from './helpers/project';

const example = (file: string): JsonObject =>
  JSON.parse(readFileSync(path.join(root, 'docs/field-trial', file), 'utf8')) as JsonObject;

const registration = example('click.json');
const HOUR = 3_600_000;
/** Further ahead than a collector believes outside of a rehearsal. */
const START = Date.now() + 400 * 24 * HOUR;

let project: Project;

beforeAll(async () => {
  project = await Project.empty();
  await project.unpack('cointoss');
  // As `umask 077` in the runbook makes them.
  for (const token of ['token', 'source-log-token'])
    writeFileSync(project.path(token), randomBytes(24).toString('hex'), { mode: 0o600 });
});

afterAll(() => project.remove());

const bearer = (token: string): Readonly<Record<string, string>> => ({
  Authorization: `Bearer ${readFileSync(project.path(token), 'utf8')}`,
});

/* Follows docs/field-trial.md with the package `cointoss`. */
describe.each(browsersOfRun)('an operator rehearses a trial from an empty folder (%s)', (name) => {
  const world = new World(name);
  let store: string;
  let collector: CollectorProcess;

  beforeAll(async () => {
    // Making a database takes a processor some seconds.
    store = isLong ? project.path(`rehearsal-${name}`) : await emptyStore();
    const tokens = ['--token-file', project.path('token')];
    const logToken = ['--source-log-token-file', project.path('source-log-token')];
    const cli = project.path('node_modules/cointoss/cli/cointoss.mjs');
    collector = await startCollectorProcess(store, ['--rehearsal', ...tokens, ...logToken], cli);
    await world.start({ consent: false });
  });

  afterAll(async () => {
    await world.stop();
    await rm(store, { recursive: true, force: true });
  });

  const get = async (address: string): Promise<string> =>
    (await fetch(collector.origin + address, { headers: bearer('token') })).text();

  const arrived = (count: number): Promise<boolean> =>
    waitFor(`${count} reports`, async () => (await get('/reports')).split('\n').length === count + 1);

  /** As the trial's ad server does: registers a source, and logs it with the time on the browser's clock. */
  async function see(id: number): Promise<void> {
    const { sites, extension } = world;
    const destination = sites.origin('shop');
    const url = sites.serve('adtech', `/ad-${id}`, { headers: source(id, destination, registration) });
    const row = {
      source_event_id: String(id),
      reporting_origin: sites.origin('adtech'),
      source_type: 'event',
      destination,
      time: (await extension.overview()).now,
      registration,
    };
    const logged = await fetch(`${collector.origin}/sources`, {
      method: 'POST',
      headers: { ...bearer('source-log-token'), 'Content-Type': 'application/x-ndjson' },
      body: JSON.stringify(row),
    });
    expect(await logged.json()).toEqual({ stored: 1, duplicates: 0, conflicting: 0 });
    await world.open('publisher', `<img attributionsrc="${url}">`);
    await waitFor(`source ${id}`, async () =>
      (await extension.sources()).some((stored) => stored.registration.sourceEventId === String(id)),
    );
  }

  async function convert(): Promise<void> {
    const url = world.sites.serve('adtech', '/convert', { headers: trigger(1) });
    await world.open('shop', `<img src="${url}">`);
    await world.extension.waitForReports(1);
  }

  it('up to the estimate, in which later sources count as well, and erases the store', async () => {
    const { extension } = world;
    const { settings, ...documented } = example('trial.json');
    const trial: JsonObject = {
      ...documented,
      start: new Date(START).toISOString(),
      end: new Date(START + 90 * 24 * HOUR).toISOString(),
      settings: {
        ...(settings as JsonObject),
        collector: collector.origin.replace('127.0.0.1', 'localhost'),
      },
    };
    await project.write('trial.json', JSON.stringify(trial));
    expect(JSON.parse(await project.cointoss('trial', 'trial.json'))).toMatchObject({ id: trial['id'] });
    await extension.send({ kind: 'offer-trial', trial });
    await extension.accept();
    await extension.setClock(START + HOUR);

    await see(1);
    await convert();
    await extension.advance('next-report');
    await arrived(1);
    // The budget of the trial is for two ads.
    await see(2);
    await convert();
    await extension.deliverAll();
    await arrived(2);

    const estimates = JSON.parse(await get('/estimates')) as EstimateResultJson;
    expect(estimates.sources).toMatchObject({ read: 2, used: 2, open: 0 });
    expect(estimates.reports).toMatchObject({ read: 2, used: 2 });
    const { now } = await extension.overview();
    // The last report left when the clock reached its time.
    expect(Math.abs(Date.parse(estimates.as_of ?? '') - now)).toBeLessThan(HOUR);

    const page = await world.visit(collector.origin);
    await page.type('#token', readFileSync(project.path('token'), 'utf8'));
    await page.keyboard.press('Enter');
    const notice = await page.waitForSelector('#left-out [data-clock-ahead]', { timeout: 0 });
    expect(await notice?.evaluate((element) => element.textContent)).toContain('clocks are turned forward');

    await project.write('reports.ndjson', await get('/reports?format=ndjson'));
    await project.write('sources.ndjson', await get('/sources?format=ndjson'));
    const logs = ['--reports', 'reports.ndjson', '--sources', 'sources.ndjson'];
    expect(await project.cointoss('estimate', ...logs, '--table')).toContain('conversions');
    expect(await collector.end('SIGTERM')).toBe(0);
    const cli = project.path('node_modules/cointoss/cli/cointoss.mjs');
    const wiped = spawnSync(process.execPath, [cli, 'collect', '--wipe', '--store', store], {
      input: `${store}\n`,
      encoding: 'utf8',
    });
    expect([wiped.status, wiped.stderr]).toEqual([0, expect.stringContaining('is erased')]);
  });
});
