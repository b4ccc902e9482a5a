import type { Page } from 'puppeteer-core';
import { waitFor } from '../../../../scenarios/kit';
import type { Visited } from '../visited';
import { serverOf, type Attack, type Siege } from './attack';
import { linkToNowhere } from './clicks';
import { manyFrames, mixedFlood, oddUrls } from './floods';
import { leaving, meetingRules, policies, workers } from './odd-documents';

/** All kinds of attack that a page makes by itself. */
export const allAttacks: readonly Attack[] = [
  mixedFlood,
  oddUrls,
  manyFrames,
  linkToNowhere,
  workers,
  leaving,
  policies,
  meetingRules,
];

/** Opens a page that attacks in waves, in several ways at once. */
export async function besiege(
  visited: Visited,
  site: string,
  siege: Siege,
  attacks: readonly Attack[] = [mixedFlood],
): Promise<Page> {
  const page = await visited.open(site, attacks.map((attack) => attack(visited, site, siege)).join(''));
  await waitFor('the attack', () => visited.sites.received(serverOf(site)).length > 0);
  return page;
}
