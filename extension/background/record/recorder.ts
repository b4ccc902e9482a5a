import type { RegistrationEntry } from '../../../src/engine';
import type { Registration } from '../../../src/model/incoming-registration';
import type { RecordingRule } from '../../../recording/recording-rule';
import type { Moment, Origin } from '../../../src/model/units';
import { originOfPlace, type Place } from '../../../recording/places';
import {
  DECLARATION_TIME,
  type Decided,
  type Declaration,
  type EligibleRequest,
  type ObservedResponse,
  type StoredResponse,
} from '../../../recording/requests';
import { resultOf } from '../../../recording/decide-registration';
import { siteOf } from '../../../src/model/site';
import type { UndeclaredResponse } from '../../messages';
import { sizeOf } from '../../store/charges';
import type { Clock } from '../state/clock';
import type { Asked } from '../state/asked';
import type { Documents } from '../documents/documents';
import { FairQueue } from './fair-queue';
import { holderOf } from './holders';
import { isDecided, type DecidedRow } from './inbox';
import { Refusals } from './refusals';
import { Registrar, type RegistrarParts } from './registrar';
import { registrationByRule } from './rule-registration';
import { sourcesFirst, type SourcesFirstParts } from './sources-first';

export interface RecorderParts extends RegistrarParts, SourcesFirstParts {
  readonly documents: Pick<Documents, 'isShown' | 'placeNow' | 'placeOf' | 'tabsOf' | 'wasLeft'>;
}

/** Resolves once responses can be recorded. */
export type Recording = Promise<{ readonly clock: Clock; readonly recorder: Recorder }>;

/** A response, and where it happened if the browser said so with it. */
export type PlacedResponse = ObservedResponse & { readonly place: Place | null };
/** A response to a request that Cointoss made itself. */
export type OwnResponse = Pick<ObservedResponse, 'requestId' | 'headers' | 'reportingOrigin' | 'time'>;

/** Why Cointoss made it. */
type Reason = Omit<Decided, 'place'> & {
  readonly tabId: number;
  /** Whose element asked; undefined for a click, whose page is left. */
  readonly documentId?: string;
  readonly contextOrigin: Origin;
  readonly asked: Asked;
};

/** In ms: each look at what is overdue goes through all that waits, so a flood must not cause one for each response. */
const CATCH_UP_PAUSE = 250;

/**
 * Leads what the browser and the content scripts observed to its registration. A response is a row of the inbox (./inbox.ts has its states)
 * until its site has its turn (./fair-queue.ts) and it is registered (./registrar.ts).
 */
export class Recorder {
  readonly refusals: Refusals;
  private readonly registrar: Registrar;
  private readonly queue: FairQueue;
  /** Rows whose turn will come. */
  private readonly queued = new Map<number, Promise<void>>();
  /** Rows of earlier runs of the background. What those erased was deleted. */
  private readonly earlier: { readonly row: StoredResponse; readonly asked: Asked }[];
  /** What runs alone now. */
  private exclusive: Promise<unknown> = Promise.resolve();
  private catchingUp: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: RecorderParts) {
    this.queue = new FairQueue(() => !parts.forcedState.isSet);
    this.registrar = new Registrar(parts);
    this.refusals = new Refusals({ ...parts, queue: this.queue, registrar: this.registrar });
    this.earlier = parts.inbox.responses.map((row) => ({
      row,
      asked: parts.inbox.erasures.asked(row.response.time),
    }));
  }

  /** Takes a response with registration headers. Resolves when it is registered, if that needs no declaration. */
  async response(
    { place, ...response }: PlacedResponse,
    asked = this.parts.inbox.erasures.asked(response.time),
  ): Promise<void> {
    // Nothing from before an agreement is recorded under it, though it waits for the end of joining.
    if (this.isPausedFor(response, place)) return;
    await this.exclusive;
    const { requester, reportingOrigin } = response;
    const known = place ?? this.parts.documents.placeNow(requester, reportingOrigin);
    // The next run could not know what was erased since it was asked for.
    const mayWaitOnDisk = known !== null || !this.parts.inbox.erasures.cameAfter(asked);
    await this.add(response, asked, mayWaitOnDisk ? known : await this.placeOf(response));
  }

  /** Of what is asked for now. */
  asked(): Asked {
    return this.parts.inbox.erasures.asked(this.parts.clock.now());
  }

  /** Takes a response to one of Cointoss's own requests, whose context is already known. */
  async ownResponse(
    { tabId, documentId, contextOrigin, eligibility, navigation, asked }: Reason,
    response: OwnResponse,
  ): Promise<void> {
    await this.exclusive;
    const place = { kind: 'known', contextOrigin } as const;
    const document = documentId === undefined ? {} : { documentId };
    const requester = { tabId, frameId: -1, ...document, documentOrigin: contextOrigin };
    const known = { kind: 'element', requestUrl: '', openerTabId: null, requester, eligibility } as const;
    await this.add({ ...known, ...response }, asked, place, { place, eligibility, navigation });
  }

  private async add(
    response: ObservedResponse,
    asked: Asked,
    place: Place | null,
    known: Decided | null = null,
  ): Promise<void> {
    const { inbox } = this.parts;
    if (this.isPausedFor(response, place) || inbox.erasures.cover(asked, { response, place })) return;
    const added = inbox.add(response, place, known);
    if (added === null) this.noRoom(response, place);
    else await Promise.all([added.written.catch(couldNotRecord), this.proceed(added.row, asked)]);
  }

  /** Goes on with a row from the state in which it is. */
  private proceed(row: StoredResponse, asked: Asked): Promise<void> {
    if (isDecided(row)) return this.enqueue(row);
    if (row.place === null) return this.findPlace(row, asked);
    this.catchUpIn(DECLARATION_TIME);
    return Promise.resolve();
  }

  private async findPlace({ id, response }: StoredResponse, asked: Asked): Promise<void> {
    const { inbox } = this.parts;
    const place = await this.placeOf(response);
    if (!inbox.has(id)) return;
    if (this.isPausedFor(response, place) || inbox.erasures.cover(asked, { response, place })) {
      inbox.remove(id);
      return;
    }
    const row = inbox.place(id, place);
    if (row === null) this.noRoom(response, place);
    else await this.proceed(row, asked);
  }

  /** Where a response belongs, once the browser has told it and nothing runs alone. */
  private async placeOf({ requester, reportingOrigin, headers }: ObservedResponse): Promise<Place> {
    const place = await this.parts.documents.placeOf(requester, reportingOrigin, sizeOf(headers));
    await this.exclusive;
    return place;
  }

  private noRoom(response: ObservedResponse, place: Place | null): void {
    this.refusals.noRoom(response, place);
    if (place !== null)
      this.parts.requests.decided(response, { eligibility: response.eligibility ?? 'unset', place }, null);
  }

  /** Takes a document's declaration that a request is eligible. Resolves when it is written. What it decides is registered afterwards. */
  async eligibleRequest(request: Declaration, asked: Asked): Promise<void> {
    const { inbox, requests, settings } = this.parts;
    const isPaused = (): boolean => settings.isPaused(siteOf(originOfPlace(request.place)));
    if (isPaused()) return;
    await this.exclusive;
    if (isPaused() || inbox.erasures.cover(asked, request)) return;
    requests.declared(request);
    const declared = inbox.declare(request);
    // If there is no room, then for the next one.
    this.catchUpIn(DECLARATION_TIME);
    if (declared === null) return;
    for (const row of declared.decided) void this.enqueue(row);
    await declared.written;
  }

  /** What documents declared for requests that are not answered yet. */
  get unclaimed(): readonly EligibleRequest[] {
    return this.parts.inbox.unclaimed;
  }

  /** What the log will say of each response that waits for its declaration, if there is none. */
  get undeclared(): readonly UndeclaredResponse[] {
    const { inbox, lackOf } = this.parts;
    return inbox.undeclared.flatMap(({ id, response, decided }) => {
      const result = resultOf(response, decided, lackOf(response.requestId));
      return result?.kind === 'ignored' ? [{ id, ...result.occasion, reason: result.reason }] : [];
    });
  }

  /** Decides and deletes what is overdue, and goes on with responses of an earlier run of the background. Resolves when all is registered. */
  async catchUp(): Promise<void> {
    const earlier = this.goOn();
    const registered = this.parts.inbox.responses.filter(isDecided).map((row) => this.enqueue(row));
    await Promise.all([...registered, ...earlier]);
  }

  /**
   * As `catchUp`, but waits for nothing: a flood calls it again and again while thousands of rows wait for their turn.
   * @returns when each response of an earlier run is registered
   */
  private goOn(): readonly Promise<void>[] {
    const { inbox, clock } = this.parts;
    inbox.decideOverdue(clock.now());
    for (const row of inbox.responses) if (isDecided(row) && !this.queued.has(row.id)) void this.enqueue(row);
    const { nextOverdue } = inbox;
    // A stopped clock never reaches that time. Moving the clock calls `catchUp` again.
    if (nextOverdue !== null && !clock.frozen)
      // No later than a response that comes now is overdue.
      this.catchUpIn(Math.min(Math.max(nextOverdue - clock.now(), CATCH_UP_PAUSE), DECLARATION_TIME));
    return this.earlier.splice(0).map(({ row, asked }) => this.proceed(row, asked));
  }

  /** As `catchUp`, but waits no longer than this, in ms: what is left of a flood has its turn minutes later. */
  async catchUpWithin(timeout: number): Promise<void> {
    await Promise.race([this.catchUp(), new Promise((resolve) => setTimeout(resolve, timeout))]);
  }

  /** Sets one timer for all undecided responses and all declarations, unless it is set. */
  private catchUpIn(milliseconds: number): void {
    this.catchingUp ??= setTimeout(
      () => {
        this.catchingUp = undefined;
        for (const earlier of this.goOn()) earlier.catch(couldNotRecord);
      },
      Math.max(milliseconds, 0),
    );
  }

  async ruleMet(
    rule: RecordingRule,
    {
      contextOrigin,
      tabId,
      documentId,
      asked,
    }: Pick<Reason, 'contextOrigin' | 'tabId' | 'documentId' | 'asked'>,
    values: readonly (string | null)[],
    time: Moment,
  ): Promise<void> {
    const registration = registrationByRule(rule, contextOrigin, values, time);
    if (registration === null) return;
    const isTrigger = registration.register.kind === 'trigger';
    const page = { tabId, documentOrigin: contextOrigin };
    const settled = isTrigger ? sourcesFirst(this.parts, page) : undefined;
    const entry = await this.registerAtTurn(registration, asked, true, settled);
    if (entry !== null)
      this.registrar.count({ tabId, ...(documentId === undefined ? {} : { documentId }) }, null);
  }

  /** Registers what a person wrote in debug mode. */
  byHand(registration: Registration): Promise<RegistrationEntry | null> {
    return this.registerAtTurn(registration, this.asked(), false);
  }

  private async registerAtTurn(
    registration: Registration,
    asked: Asked,
    isPaced: boolean,
    settled?: Promise<void>,
  ): Promise<RegistrationEntry | null> {
    const { occasion, register } = registration;
    const site = siteOf(occasion.contextOrigin);
    if (this.parts.settings.isPaused(site)) return null;
    await settled;
    return this.queue.add(
      site,
      { kind: register.kind, reportingOrigin: occasion.reportingOrigin },
      () => this.registrar.byHand(registration, asked),
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

  /** Whether nothing of this response may be stored, because its site is paused. */
  private isPausedFor({ kind, headers }: ObservedResponse, place: Place | null): boolean {
    const { settings } = this.parts;
    const contextOrigin = place === null ? null : originOfPlace(place);
    // A navigation's source belongs to the page with the click, which the response does not name.
    const mayBeElsewhere = kind === 'navigation' && (headers.source !== null || headers.osSource);
    if (contextOrigin === null || mayBeElsewhere) return settings.isPausedEverywhere;
    return settings.isPaused(siteOf(contextOrigin));
  }

  /** Resolves when the response was registered, or at once if its page is not shown yet. */
  private enqueue(row: DecidedRow): Promise<void> {
    const { id, response } = row;
    const queued =
      this.queued.get(id) ??
      this.register(row)
        .catch(couldNotRecord)
        .finally(() => this.queued.delete(id));
    this.queued.set(id, queued);
    return response.prerenderedIn === undefined ? queued : Promise.resolve();
  }

  private async register(row: DecidedRow): Promise<void> {
    const shown = await this.onceShown(row);
    const { id, response, decided } = shown;
    const { requester, headers, reportingOrigin } = response;
    const kind = headers.trigger === null ? 'source' : 'trigger';
    if (kind === 'trigger') await sourcesFirst(this.parts, requester);
    const holder = holderOf({ tabId: requester.tabId, place: decided.place });
    await this.queue.add(holder, { kind, reportingOrigin }, () => this.registrar.response(shown));
    this.parts.inbox.remove(id);
  }

  /** A prepared page's registrations are of the time when it is shown, if ever. */
  private async onceShown(row: DecidedRow): Promise<DecidedRow> {
    const { response, decided } = row;
    const { requester, prerenderedIn } = response;
    if (prerenderedIn === undefined) return row;
    if (await this.parts.documents.isShown(requester.tabId, prerenderedIn))
      return { ...row, response: { ...response, time: this.parts.clock.now() } };
    const seenOn = originOfPlace(decided.place);
    return seenOn === null ? row : { ...row, decided: { ...decided, place: { kind: 'not-shown', seenOn } } };
  }
}

const couldNotRecord = (error: unknown): void => console.error('Cointoss could not record', error);
