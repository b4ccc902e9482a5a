import { FairShare } from '../state/fair-share';
import { atAnyTrusted, ruleFor, type SessionRule } from './header-rules';

/** In ms: how long a host's navigations carry the header after a press on an eligible link. */
const LIFETIME = 10_000;
/** The most hosts at a time. */
const MOST = 100;

interface Expected {
  /** By the device's clock. */
  until: number;
  readonly added: Promise<void>;
  /** Removes the rule, if it is still there. */
  readonly end: () => Promise<void>;
}

interface Changing {
  readonly nextId: () => number;
  readonly change: (adding: readonly SessionRule[], removing: readonly number[]) => Promise<void>;
  /** Resolves when rules may be removed. */
  readonly nextTurn: () => Promise<void>;
}

/**
 * Chrome's rules for navigations: no rule can follow one navigation through its redirects. So for some seconds after a press on an eligible
 * link, all navigations that the link's host starts carry the header.
 */
export class NavigationRules {
  private readonly hosts = new Map<string, Expected>();
  private readonly share = new FairShare(MOST);

  constructor(private readonly rules: Changing) {}

  /** Resolves once the navigations of this host carry the header. */
  expect(host: string): Promise<void> {
    const known = this.hosts.get(host);
    if (known === undefined) return this.add(host);
    known.until = Date.now() + LIFETIME;
    return known.added;
  }

  /**
   * Somebody pressed a link of this host that is not eligible. Resolves once none of the host's navigations carries the header. A browser's rule
   * for a host holds for the hosts below it, too.
   */
  async forget(host: string): Promise<void> {
    const marking = [...this.hosts].filter(([known]) => `.${host}`.endsWith(`.${known}`));
    await Promise.all(marking.map(([, { end }]) => end()));
  }

  /** The rules are gone. */
  clear(): void {
    this.hosts.clear();
  }

  private add(host: string): Promise<void> {
    const leave = this.share.acquire(1, host);
    if (leave === null) return Promise.resolve();
    const id = this.rules.nextId();
    const condition = { ...atAnyTrusted, resourceTypes: ['main_frame'], initiatorDomains: [host] };
    const added = this.rules.change([ruleFor(id, 'navigation-source', condition)], []);
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      if (this.hosts.get(host) === expected) this.hosts.delete(host);
      leave();
      await this.rules.change([], [id]);
    };
    const expected: Expected = { until: Date.now() + LIFETIME, added, end };
    this.hosts.set(host, expected);
    const waitOrElse = (act: () => void): void => {
      const left = expected.until - Date.now();
      // The clock may have been set back.
      if (left > 0 && left <= LIFETIME) setTimeout(endWhenOver, left);
      else act();
    };
    // Meanwhile, somebody may press a link again.
    const endWhenOver = (): void =>
      waitOrElse(() => void this.rules.nextTurn().then(() => waitOrElse(() => void end())));
    setTimeout(endWhenOver, LIFETIME);
    return added;
  }
}
