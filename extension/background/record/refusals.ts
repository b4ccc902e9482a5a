import { originOfPlace, type PagePlace, type Place } from '../../../recording/places';
import type { ObservedResponse } from '../../../recording/requests';
import type { Eligibility } from '../../../recording/eligibility';
import type { Occasion } from '../../../src/model/decision';
import type { InternalId } from '../../../src/model/records';
import type { IgnoredReason } from '../../../formats/codec/mistakes';
import type { Origin } from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import type { Clock } from '../state/clock';
import type { RequestLog } from '../documents/request-log';
import type { FairQueue } from './fair-queue';
import { holderOf, holdersOf, LEAST_SIZE, type OnPlace } from './holders';
import type { Inbox } from './inbox';
import type { Registrar } from './registrar';
import { webOriginOfUrl } from '../../urls';
import { Pace } from '../state/pace';
import { sleep } from '../state/sleep';
import type { Asked } from '../state/asked';
import type { SettingsHolder } from '../state/settings';

/** In ms: how long what is dropped is counted before it is logged. */
const COUNTING_TIME = 5000;

/** Refusals of a site that are logged at once, and in ms how soon each further one may be. The rest is counted. */
const AT_ONCE = 50;
const INTERVAL = 1000;

interface Parts {
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly inbox: Pick<Inbox, 'erasures' | 'room'>;
  readonly queue: FairQueue;
  readonly registrar: Registrar;
  readonly requests: Pick<RequestLog, 'decided'>;
}

interface Own {
  /** The browser's id of it; undefined if the browser never reports it. */
  readonly id: Promise<string | undefined>;
  readonly eligibility: Eligibility;
}

type OnPage = OnPlace & {
  readonly place: PagePlace;
  readonly asked: Asked;
  /** The request of Cointoss itself that it is about. */
  readonly own?: Own | undefined;
};

/** How many were dropped since the first. */
interface Count {
  count: number;
  /** That of the first. */
  readonly occasion: Occasion;
  readonly asked: Asked;
  /** The id of the entry that tells the count, once there is one; null if it was not logged. */
  readonly entry: Promise<InternalId | null>;
}

/** Logs what registers nothing, although nothing of it was stored. */
export class Refusals {
  /** How many were dropped because too much waits already: a flood makes one log entry for each that holds room, not one for each drop. */
  private readonly counts = new Map<string, Count>();
  private readonly pace = new Pace(AT_ONCE, INTERVAL);

  constructor(private readonly parts: Parts) {}

  /** Counts a response that is dropped because too much of its page waits already. */
  noRoom(response: ObservedResponse, place: Place | null): void {
    const { requester, reportingOrigin } = response;
    const seenOn = place === null ? null : originOfPlace(place);
    const contextOrigin = seenOn ?? requester.documentOrigin ?? reportingOrigin;
    if (this.parts.settings.isPaused(siteOf(contextOrigin))) return;
    const [holder = ''] = holdersOf({ id: 0, response, place, decided: null });
    const { inbox, clock } = this.parts;
    void this.count(holder, this.occasion(contextOrigin, reportingOrigin), inbox.erasures.asked(clock.now()));
  }

  /** @returns the id of the entry that will tell the count */
  private count(holder: string, occasion: Occasion, asked: Asked): Promise<InternalId | null> {
    const known = this.counts.get(holder);
    // After erasing, it is counted anew.
    if (known !== undefined && !this.parts.inbox.erasures.cover(known.asked, { occasion: known.occasion })) {
      known.count += 1;
      return known.entry;
    }
    const logged = async (): Promise<InternalId | null> => {
      await sleep(COUNTING_TIME);
      if (this.counts.get(holder) === counted) this.counts.delete(holder);
      return this.log(holder, occasion, { code: 'too-many', values: { count: counted.count } }, asked);
    };
    const counted: Count = { count: 1, occasion, asked, entry: logged() };
    this.counts.set(holder, counted);
    return counted.entry;
  }

  /**
   * Logs that something on a page registers nothing.
   * @param url the one that would have answered
   * @param why `too-many` is only counted, as is what comes faster than the pace
   * @param via the id of the recording rule, if one asked
   */
  async dropped(url: string, asking: OnPage, why: IgnoredReason | 'too-many', via?: string): Promise<void> {
    const { settings } = this.parts;
    const contextOrigin = originOfPlace(asking.place);
    const reportingOrigin = webOriginOfUrl(url);
    if (reportingOrigin === null || settings.isPaused(siteOf(contextOrigin))) return;
    const { asked, place, own } = asking;
    const occasion = this.occasion(contextOrigin, reportingOrigin, via);
    if (this.parts.inbox.erasures.cover(asked, { occasion })) return;
    const holder = holderOf(asking);
    const release = why === 'too-many' ? null : this.roomFor(holder);
    const isCounted = why === 'too-many' || release === null;
    const entry = isCounted
      ? this.count(holder, occasion, asked)
      : this.log(holder, occasion, why, asked).finally(release);
    if (own !== undefined) await this.decided(own, reportingOrigin, place, entry);
    else if (!isCounted) await entry;
  }

  /** Tells the list of requests which entry one led to. */
  private async decided(
    { id, eligibility }: Own,
    reportingOrigin: Origin,
    place: PagePlace,
    entry: Promise<InternalId | null>,
  ): Promise<void> {
    // Chrome may report a request later than its answer.
    const [requestId, logged] = await Promise.all([id, entry]);
    // It was erased meanwhile, or could not be stored.
    if (requestId === undefined || logged === null) return;
    this.parts.requests.decided({ requestId, reportingOrigin }, { eligibility, place }, logged);
  }

  /** @returns null if the site has had its share of log entries, or too many of them wait */
  private roomFor(holder: string): (() => void) | null {
    if (!this.pace.isFree(holder, performance.now())) return null;
    return this.parts.inbox.room.acquire(LEAST_SIZE, holder, `dropped ${holder}`);
  }

  private occasion(contextOrigin: Origin, reportingOrigin: Origin, via = 'header'): Occasion {
    return { time: this.parts.clock.now(), contextOrigin, reportingOrigin, via };
  }

  /** @returns the id of the entry; null if there is none */
  private async log(
    holder: string,
    occasion: Occasion,
    reason: IgnoredReason,
    asked: Asked,
  ): Promise<InternalId | null> {
    const { queue, registrar } = this.parts;
    try {
      return await queue.add(holder, null, () => registrar.ignore({ occasion, header: '', reason }, asked));
    } catch (error) {
      console.error('Cointoss could not record', error);
      return null;
    }
  }
}
