import type { RegistrationEntry } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import type { IgnoredReason } from '../../src/model/mistakes';
import type { RecordingRule } from '../../src/model/recording-rule';
import type { InternalId } from '../../src/model/records';
import type { Moment, Origin } from '../../src/model/units';
import type {
  Arrival,
  Decided,
  KnownPlace,
  PagePlace,
  Place,
  UndecidedResponse,
} from '../../src/model/requests';
import {
  DECLARATION_TIME,
  decideOverdue,
  noteEligibleRequest,
  noteResponse,
  type Declaration,
} from '../../recording/requests';
import { originOfPlace } from '../../recording/places';
import { originOfUrl } from '../../src/model/origin';
import { siteOf } from '../../src/model/site';
import { sizeOf } from '../store/ledger';
import { Arrivals } from './arrivals';
import type { Documents } from './documents';
import { FairQueue } from './fair-queue';
import { FairShare } from './fair-share';
import { Overflow } from './overflow';
import { Registrar, type RegistrarParts } from './registrar';
import { registrationByRule } from './rule-registration';

/** In bytes: the responses that may wait to be registered. A small one counts for more, because each takes time. */
const ROOM_FOR_RESPONSES = 2e6;
const LEAST_SIZE = 1000;
/** In bytes: the declarations that may wait for their response, and how long each counts, in ms. */
const ROOM_FOR_DECLARATIONS = 2e6;
const DECLARATION_LIFE = 70_000;

export interface RecorderParts extends RegistrarParts {
  readonly documents: Pick<Documents, 'isShown' | 'placeNow' | 'placeOf' | 'placeLater'>;
}

type Placed = Arrival & { readonly place: Place };
type OwnResponse = Pick<Arrival, 'requestId' | 'headers' | 'reportingOrigin' | 'time' | 'tabId'>;

/**
 * Turns what the browser and the content scripts observed into registrations. A response is written as soon as it comes, before anything
 * is waited for. Once its page is known it is noted, and registered when its site has its turn: each of it if need be by the next run of the
 * background.
 */
export class Recorder {
  private readonly registrar: Registrar;
  private readonly arrivals: Arrivals;
  private readonly queue: FairQueue;
  private readonly responses = new FairShare(ROOM_FOR_RESPONSES);
  private readonly declarations = new FairShare(ROOM_FOR_DECLARATIONS);
  private readonly overflow = new Overflow((holder, occasion, count) => {
    const reason = { code: 'too-many', values: { count } } as const;
    const logged = this.queue.add(holder, null, () =>
      this.registrar.ignore({ occasion, header: '', reason }),
    );
    logged.catch(couldNotRecord);
  });
  /** Gives back the room that a stored response takes. */
  private readonly rooms = new Map<InternalId, () => void>();
  /** Responses whose turn will come. */
  private readonly queued = new Map<InternalId, Promise<void>>();
  /** The last response to be noted. */
  private noting: Promise<unknown> = Promise.resolve();
  /** Resolves when what earlier runs of the background wrote is noted. */
  private earlier: Promise<void> | undefined;
  /** What runs alone now. */
  private exclusive: Promise<unknown> = Promise.resolve();
  private catchingUp: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: RecorderParts) {
    this.queue = new FairQueue(() => !parts.forcedState.isSet);
    this.registrar = new Registrar(parts);
    this.arrivals = new Arrivals(parts.store);
  }

  /**
   * Takes a response with registration headers.
   * @param afterSources resolves when the sources of the click that led here were answered; a trigger waits for it
   */
  async response(
    response: Omit<Arrival, 'decided'>,
    afterSources: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const { asker, reportingOrigin } = response;
    const { documents } = this.parts;
    await this.exclusive;
    const place = response.place ?? documents.placeNow(asker, reportingOrigin);
    const noted = await this.take({ ...response, place, decided: null }, () =>
      documents.placeOf({ ...asker, size: sizeOf(response.headers) }, reportingOrigin),
    );
    if (noted === null) return;
    const isTrigger = response.headers.trigger !== null;
    if (noted.decided === null) this.catchUpIn(DECLARATION_TIME);
    else await this.enqueue(noted, isTrigger ? afterSources().then(() => this.noting) : undefined);
  }

  /** Takes a response to one of Cointoss's own requests, whose context is already known. */
  async ownResponse(response: OwnResponse, decided: Decided & { readonly place: KnownPlace }): Promise<void> {
    await this.exclusive;
    const { place } = decided;
    const { contextOrigin } = place;
    const { tabId } = response;
    const asker = { tabId, frameId: -1, parentFrameId: -1, documentOrigin: contextOrigin };
    const known = { kind: 'element', requestUrl: '', documentId: null, openerTabId: null } as const;
    const row = { ...known, documentOrigin: contextOrigin, asker, place, decided, ...response };
    const noted = await this.take({ ...row, eligibility: decided.eligibility }, () => Promise.resolve(place));
    if (noted !== null) await this.enqueue(noted);
  }

  /**
   * Writes a response, and notes it once its place is known.
   * @returns null when it registers nothing
   */
  private async take(seen: Arrival, findPlace: () => Promise<Place>): Promise<UndecidedResponse | null> {
    if (this.isPausedFor(seen)) return null;
    const leave = this.roomFor(seen);
    if (leave === null) return null;
    const { noted, gone } = this.arrivals.take(seen, async (id) => {
      if (isPlaced(seen)) return this.note(id, seen, leave);
      const placed = { ...seen, place: await findPlace() };
      await this.exclusive;
      leave();
      const room = this.isPausedFor(placed) ? null : this.roomFor(placed);
      if (room === null) return null;
      this.noting = this.arrivals.departed(id).catch(() => undefined);
      return this.note(id, placed, room);
    });
    if (isPlaced(seen)) this.noting = gone.catch(() => undefined);
    noted.catch(leave);
    return noted;
  }

  /** @param leave gives back the room that it takes */
  private async note(id: string, seen: Placed, leave: () => void): Promise<UndecidedResponse> {
    const { asker, decided, ...response } = seen;
    const row = { ...response, tabId: asker.tabId, arrival: id };
    const noted = await this.parts.store.writeSoon((tx) => noteResponse(tx, row, decided));
    this.rooms.set(noted.id, leave);
    return noted;
  }

  /** Notes what an earlier run of the background wrote, and did not note. */
  private async noteEarlier(): Promise<void> {
    const { store, documents } = this.parts;
    const earlier = await this.arrivals.earlier();
    if (earlier.length === 0) return;
    const rows = await store.read((tx) => tx.table('undecidedResponses').upTo('time', Infinity));
    const known = new Set(rows.map(({ arrival }) => arrival));
    const note = async (id: string, seen: Arrival): Promise<void> => {
      if (known.has(id)) return;
      const place = seen.place ?? (await documents.placeLater(seen.asker, seen.reportingOrigin));
      const placed = { ...seen, place };
      await this.exclusive;
      if (!this.isPausedFor(placed)) await this.note(id, placed, () => undefined);
    };
    for (const [id, seen] of earlier)
      await this.arrivals.departAfter(id, note(id, seen)).catch(couldNotRecord);
  }

  /** Takes a document's declaration that a request is eligible. Resolves when it is written. What it decides is registered afterwards. */
  async eligibleRequest(request: Declaration): Promise<void> {
    await this.exclusive;
    const site = siteOf(originOfPlace(request.place));
    if (this.parts.settings.isPaused(site)) return;
    this.parts.requests.declared(request);
    const forget = this.declarations.take(sizeOf(request), site, `tab ${request.tabId}`);
    if (forget === null) return;
    setTimeout(forget, DECLARATION_LIFE);
    this.catchUpIn(DECLARATION_TIME);
    const decided = await this.parts.store.writeSoon((tx) => noteEligibleRequest(tx, request));
    for (const response of decided) void this.enqueue(response);
  }

  /** Counts a registration that is dropped because its page asks for too many. */
  overflowed(asker: Asker & { readonly place: PagePlace }, reportingOrigin: Origin): void {
    this.count(holderOf(asker), originOfPlace(asker.place), reportingOrigin);
  }

  private count(holder: string, contextOrigin: Origin, reportingOrigin: Origin): void {
    if (this.parts.settings.isPaused(siteOf(contextOrigin))) return;
    this.overflow.add(holder, {
      time: this.parts.clock.now(),
      contextOrigin,
      reportingOrigin,
      via: 'header',
    });
  }

  /** Decides responses that no document declared in time, and registers those of an earlier run of the background. */
  async catchUp(): Promise<void> {
    const { store, clock } = this.parts;
    await (this.earlier ??= this.noteEarlier().catch(couldNotRecord));
    const held = [...this.rooms.keys()];
    const { decided, open } = await store.writeSoon((tx) => decideOverdue(tx, clock.now()));
    const registered = Promise.all(decided.map((response) => this.enqueue(response)));
    const ids = new Set([...decided, ...open].map(({ id }) => id));
    for (const id of held) if (!ids.has(id)) this.leave(id);
    const [oldest] = open;
    // A stopped clock never reaches that time. Moving the clock calls `catchUp` again.
    if (oldest !== undefined && !clock.frozen) this.catchUpIn(oldest.time + DECLARATION_TIME - clock.now());
    await registered;
  }

  /** As `catchUp`, but waits no longer than this, in ms: what is left of a flood has its turn minutes later. */
  async catchUpWithin(patience: number): Promise<void> {
    await Promise.race([this.catchUp(), new Promise((resolve) => setTimeout(resolve, patience))]);
  }

  /** Sets one timer for all undecided responses, at the time of the oldest. */
  private catchUpIn(milliseconds: number): void {
    this.catchingUp ??= setTimeout(
      () => {
        this.catchingUp = undefined;
        this.catchUp().catch(couldNotRecord);
      },
      Math.max(milliseconds, 0),
    );
  }

  async ruleMet(
    rule: RecordingRule,
    { contextOrigin, tabId }: { readonly contextOrigin: Origin; readonly tabId: number },
    values: readonly (string | null)[],
    time: Moment,
  ): Promise<void> {
    const registration = registrationByRule(rule, contextOrigin, values, time);
    if (registration === null) return;
    const entry = await this.registerAtTurn(registration, true);
    if (entry !== null) this.parts.badge.count(tabId, false);
  }

  /** Registers what a person wrote in debug mode. */
  byHand(registration: Registration): Promise<RegistrationEntry | null> {
    return this.registerAtTurn(registration, false);
  }

  private registerAtTurn(registration: Registration, isPaced: boolean): Promise<RegistrationEntry | null> {
    const { occasion, register } = registration;
    return this.queue.add(
      siteOf(occasion.contextOrigin),
      { kind: register.kind, reportingOrigin: occasion.reportingOrigin },
      () => this.registrar.byHand(registration),
      isPaced,
    );
  }

  /** Runs `task` between two registrations. What is observed meanwhile waits. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.queue.add('', null, () => {
      const done = task();
      this.exclusive = done.catch(() => undefined);
      return done;
    });
  }

  /**
   * Logs that something on a page registers nothing.
   * @param url the one that would have answered
   * @param via the id of the recording rule, if one asked
   */
  async dropped(
    url: string,
    asker: Asker & { readonly place: PagePlace },
    reason: IgnoredReason,
    via = 'header',
  ): Promise<void> {
    const contextOrigin = originOfPlace(asker.place);
    const reportingOrigin = originOfUrl(url);
    if (reportingOrigin === null || this.parts.settings.isPaused(siteOf(contextOrigin))) return;
    const holder = holderOf(asker);
    const leave = this.responses.take(LEAST_SIZE, holder, `dropped ${holder}`);
    if (leave === null) {
      this.count(holder, contextOrigin, reportingOrigin);
      return;
    }
    const occasion = { time: this.parts.clock.now(), contextOrigin, reportingOrigin, via };
    const seen = { occasion, header: '', reason };
    const logged = this.queue.add(holder, null, () => this.registrar.ignore(seen));
    await logged.catch(couldNotRecord).finally(leave);
  }

  /** Whether nothing of this response may be stored, because its site is paused. */
  private isPausedFor({ kind, headers, place }: Arrival): boolean {
    const contextOrigin = place === null ? null : originOfPlace(place);
    // A navigation's source belongs to the page with the click, which the response does not name.
    const mayBeElsewhere = kind === 'navigation' && (headers.source !== null || headers.osSource);
    if (contextOrigin === null || mayBeElsewhere) return this.parts.settings.isPausedEverywhere;
    return this.parts.settings.isPaused(siteOf(contextOrigin));
  }

  /** @returns how to give the room back; null when there is none */
  private roomFor(seen: Arrival): (() => void) | null {
    const { tabId, documentOrigin, reportingOrigin, place } = seen;
    const size = Math.max(LEAST_SIZE, sizeOf(seen));
    const isWorker = tabId < 0;
    // Workers are in no tab: those of one site must take no room of another's.
    const tab = isWorker ? [] : [tabName(seen)];
    const ofWorker =
      isWorker && documentOrigin !== null
        ? ({ kind: 'known', contextOrigin: documentOrigin } as const)
        : null;
    const holder = holderOf({ tabId, place: place ?? ofWorker });
    const leave = this.responses.take(size, ...new Set([holder, ...tab]));
    const seenOn = place === null ? null : originOfPlace(place);
    if (leave === null) this.count(holder, seenOn ?? documentOrigin ?? reportingOrigin, reportingOrigin);
    return leave;
  }

  /** Resolves when the response was registered, or at once if its page is not shown yet. */
  private enqueue(response: UndecidedResponse, ready: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { id, headers, reportingOrigin, prerenderedIn } = response;
    const queued =
      this.queued.get(id) ??
      Promise.all([this.onceShown(response), ready, this.arrivals.departed(response.arrival)])
        .then(([shown]) =>
          this.queue.add(
            holderOf({ ...shown, ...shown.decided }),
            { kind: headers.trigger === null ? 'source' : 'trigger', reportingOrigin },
            () => this.registrar.response(shown),
          ),
        )
        .catch(couldNotRecord)
        .finally(() => {
          this.queued.delete(id);
          this.leave(id);
        });
    this.queued.set(id, queued);
    return prerenderedIn === undefined ? queued : Promise.resolve();
  }

  /** A prepared page's registrations are of the time when it is shown, if ever. */
  private async onceShown(response: UndecidedResponse): Promise<UndecidedResponse> {
    const { tabId, prerenderedIn, decided } = response;
    if (prerenderedIn === undefined || decided === null) return response;
    if (await this.parts.documents.isShown(tabId, prerenderedIn))
      return { ...response, time: this.parts.clock.now() };
    const seenOn = originOfPlace(decided.place);
    return seenOn === null
      ? response
      : { ...response, decided: { ...decided, place: { kind: 'not-shown', seenOn } } };
  }

  private leave(id: InternalId): void {
    this.rooms.get(id)?.();
    this.rooms.delete(id);
  }
}

const couldNotRecord = (error: unknown): void => console.error('Cointoss could not record', error);

/** On whose page something asks to be registered, as far as that is known. */
interface Asker {
  readonly tabId: number;
  /** Null: the browser has not told yet. */
  readonly place: Place | null;
}

const tabName = ({ tabId }: { readonly tabId: number }): string => `tab ${tabId}`;

/**
 * Whose turn it is, and whose room: the site of the page, or of the click. Where the page is unknown it is the tab, or all workers together,
 * because one tab can have frames, workers and redirects of any number of sites.
 */
function holderOf(asker: Asker): string {
  const { place } = asker;
  const origin = place === null || place.kind === 'unknown' ? null : originOfPlace(place);
  return origin === null ? tabName(asker) : siteOf(origin);
}

const isPlaced = (seen: Arrival): seen is Placed => seen.place !== null;
