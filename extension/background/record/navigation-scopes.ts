import type { Registration } from '../../../src/model/incoming-registration';
import type { Limits } from '../../../src/model/limits';
import { parseHeader } from '../../../formats/registration/header';
import { parseSource } from '../../../formats/registration/source';

/** The most navigations and origins that are remembered. */
const MOST = 1000;

/**
 * Lets each reporting origin register one set of attribution scopes in a navigation (ARA, "Attribution scope"): which of several sources is
 * chosen would tell more about the person. As in Chromium, a source without scopes has the empty set.
 */
export class NavigationScopes {
  /** By navigation and reporting origin. */
  private readonly sets = new Map<string, string>();

  /** Whether the source has the set of the first one; a header that is refused has none. */
  allow(navigation: string, { header, occasion }: Registration, limits: Limits): boolean {
    const { value } = parseHeader(header, (json) => parseSource(json, 'navigation', limits));
    if (value === null) return true;
    const set = JSON.stringify([...(value.attributionScopes?.values ?? [])].sort());
    const key = `${navigation} ${occasion.reportingOrigin}`;
    const first = this.sets.get(key) ?? set;
    this.sets.set(key, first);
    const [oldest] = this.sets.keys();
    if (this.sets.size > MOST && oldest !== undefined) this.sets.delete(oldest);
    return first === set;
  }
}
