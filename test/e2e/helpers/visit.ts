import { source, trigger } from './registrations';
import type { World } from './world';

/** Visits the publisher, where one ad view is kept and one refused, then buys something at the shop. */
export async function visitAdsAndShop(world: World): Promise<void> {
  const { sites } = world;
  const good = sites.serve('adtech', '/good', {
    headers: source(11, sites.origin('shop'), { event_report_window: '172800' }),
  });
  const bad = sites.serve('adtech', '/bad', { headers: { 'Attribution-Reporting-Register-Source': '{}' } });
  await world.open('publisher', `<img attributionsrc="${good}"><img attributionsrc="${bad}">`);
  await world.waitForRecorded(2);
  await world.open('shop', `<img src="${sites.serve('adtech', '/t', { headers: trigger(1) })}">`);
  await world.extension.waitForReports(1);
}
