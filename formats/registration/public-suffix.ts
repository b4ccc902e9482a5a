import { parse } from 'tldts';
import type { Site } from '../../src/model/units';

/** Whether others can register names under this one, as under `com`, so that it is a site by itself. */
export function isPublicSuffix(site: Site): boolean {
  const { hostname } = new URL(site);
  const { publicSuffix, isIcann, isPrivate } = parse(hostname, { allowPrivateDomains: true });
  return hostname === publicSuffix && (isIcann === true || isPrivate === true);
}
