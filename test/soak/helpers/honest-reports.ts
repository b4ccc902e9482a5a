import { waitFor } from '../../../scenarios/kit';
import type { World } from '../../e2e/helpers/world';

/** In ms. */
const HOUR = 3_600_000;
export const REPORTS = '/.well-known/attribution-reporting/report-event-attribution';

/**
 * Registers honest conversions whose reports fall due at equal distances within this time, in ms, and others whose reports fall due a second
 * before these, at servers that do not answer.
 */
export async function makeReports(
  world: World,
  count: number,
  duration: number,
  silentServers: readonly string[],
): Promise<void> {
  const { extension, sites } = world;
  const dueOf = (index: number): number => HOUR + ((index + 0.5) * duration) / count;
  for (let index = 0; index < count; index++)
    await makeReport(world, 'publisher', sites.origin(`honest-${index}`), dueOf(index));
  for (const [index, server] of silentServers.entries())
    await makeReport(world, `raider-${index % 5}`, server, dueOf(index % count) - 1000);
  await extension.advance(HOUR);
}

/** Registers a conversion whose report falls due after this time, in ms. */
async function makeReport(
  { extension, sites }: World,
  site: string,
  reportingOrigin: string,
  due: number,
): Promise<void> {
  await extension.register(
    'event',
    { destination: sites.origin('shop'), event_report_window: String(Math.ceil(due / 1000)) },
    { contextOrigin: sites.origin(site), reportingOrigin },
  );
  await extension.register(
    'trigger',
    { event_trigger_data: [{ trigger_data: '0' }] },
    { contextOrigin: sites.origin('shop'), reportingOrigin },
  );
}

/**
 * Notes when the honest reports that wait now fall due.
 * @returns waits until all have arrived, and says how long after its time each did, in ms
 */
export async function watchReports({ extension, sites }: World): Promise<() => Promise<readonly number[]>> {
  const { clockAhead } = await extension.overview();
  const honest = (await extension.reports()).filter(({ url }) => url.includes('honest-'));
  const due = honest.map(({ url, reportTime }) => ({
    site: new URL(url).hostname.replace('.localhost', ''),
    time: reportTime - clockAhead,
  }));
  /** The tries to send those that did not arrive. */
  const lacking = async (): Promise<string> => {
    const waiting = (await extension.reports()).filter(({ url }) => url.includes('honest-'));
    const { now } = await extension.overview();
    return JSON.stringify(
      waiting.map(({ url, nextAttempt, attempts }) => ({ url, dueIn: nextAttempt - now, attempts })),
    );
  };
  const late = (): readonly number[] | null => {
    const found = due.flatMap(({ site, time }) => {
      const [report] = sites.received(site, REPORTS);
      return report === undefined ? [] : [report.time - time];
    });
    return found.length === due.length ? found : null;
  };
  return () =>
    waitFor('the honest reports', late).catch(async (error: unknown) => {
      throw new Error(`${String(error)}, where there were ${await lacking()}`, { cause: error });
    });
}
