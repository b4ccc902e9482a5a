import { Memory } from '../../../src/model/remembered';
import { siteOfUrl } from '../../../src/model/site';

/** Reports and log may name different origins of a site, in different order. Remembers results, because logs repeat a few lists. */
export function sortedSites(): (destinations: readonly string[]) => readonly string[] {
  const known = new Memory<readonly string[]>();
  return (destinations) => {
    const key = destinations.join(' ');
    let sites = known.get(key);
    if (sites === undefined) {
      sites = [...new Set(destinations.map((url) => siteOfUrl(url) ?? url))].sort();
      known.put(key, sites);
    }
    return sites;
  };
}
