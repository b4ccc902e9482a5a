import type { RegistrationEntry } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import type { IgnoredReason } from '../../src/model/mistakes';
import type { RecordingRule } from '../../src/model/recording-rule';
import type { InternalId } from '../../src/model/records';
import type { Moment, Origin } from '../../src/model/units';
import type { Decided, EligibleRequest, Obstacle, UndecidedResponse } from '../../src/model/requests';
import { DECLARATION_TIME, noteEligibleRequest, noteResponse, settleOverdue } from '../../recording/requests';
import { originOfUrl } from '../../src/parsing/origin';
import { siteOf } from '../../src/parsing/site';
import type { Transaction } from '../../src/store/store';
import { sizeOf } from '../store/ledger';
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
  /** Whether a page is shown that the browser prepared in this frame; resolves when that is known. */
  readonly isShown: (tabId: number, frameId: number) => Promise<boolean>;
}

type Response = Omit<UndecidedResponse, 'id' | 'decided'>;
type OwnResponse = Pick<Response, 'requestId' | 'headers' | 'reportingOrigin' | 'time' | 'tabId'>;

/**
 * Turns what the browser and the content scripts observed into registrations. A response is written as soon as it comes, before anything
 * is waited for, and registered when its site has its turn, if need be by the next run of the background.
 */
export class Recorder {
  private readonly registrar: Registrar;
  private readonly queue = new FairQueue();
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
  /** The last response to be written. */
  private writing: Promise<unknown> = Promise.resolve();
  /** What runs alone now. */
  private exclusive: Promise<unknown> = Promise.resolve();
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: RecorderParts) {
    this.registrar = new Registrar(parts);
  }

  /**
   * Takes a response with registration headers.
   * @param afterSources resolves when the sources of the click that led here were answered; a trigger waits for it
   */
  async response(response: Response, afterSources: Promise<void> = Promise.resolve()): Promise<void> {
    await this.exclusive;
    if (this.isPausedFor(response)) return;
    const noted = await this.write(response, (tx) => noteResponse(tx, response));
    if (noted === null) return;
    const isTrigger = response.headers.trigger !== null;
    if (noted.decided === null) this.settleIn(DECLARATION_TIME);
    else await this.enqueue(noted, isTrigger ? afterSources.then(() => this.writing) : undefined);
  }

  /** Takes a response to one of Cointoss's own requests, whose context is already known. */
  async ownResponse(
    response: OwnResponse,
    decided: Decided & { readonly contextOrigin: Origin },
  ): Promise<void> {
    await this.exclusive;
    const { contextOrigin } = decided;
    if (this.parts.settings.isPaused(siteOf(contextOrigin))) return;
    const known = { kind: 'element', requestUrl: '', documentId: null, openerTabId: null } as const;
    const row = { ...response, ...known, ...decided, documentOrigin: contextOrigin, decided };
    const noted = await this.write(row, async (tx) => {
      const numbered: UndecidedResponse = { ...row, id: await tx.nextId() };
      await tx.table('undecidedResponses').put(numbered);
      return numbered;
    });
    if (noted !== null) await this.enqueue(noted);
  }

  /** Takes a document's declaration that a request is eligible. */
  async eligibleRequest(request: Omit<EligibleRequest, 'id' | 'requestId'>): Promise<void> {
    await this.exclusive;
    const site = siteOf(request.contextOrigin);
    if (this.parts.settings.isPaused(site)) return;
    this.parts.requests.declared(request);
    const forget = this.declarations.take(sizeOf(request), site, `tab ${request.tabId}`);
    if (forget === null) return;
    setTimeout(forget, DECLARATION_LIFE);
    this.settleIn(DECLARATION_TIME);
    const decided = await this.parts.store.writeSoon((tx) => noteEligibleRequest(tx, request));
    await Promise.all(decided.map((response) => this.enqueue(response)));
  }

  /** Counts a registration that is dropped because its page asks for too many. */
  overflowed(asker: Asker & { readonly contextOrigin: Origin }, reportingOrigin: Origin): void {
    this.count(holderOf(asker), asker.contextOrigin, reportingOrigin);
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
  async settle(): Promise<void> {
    const { store, clock } = this.parts;
    const held = [...this.rooms.keys()];
    const { decided, open } = await store.writeSoon((tx) => settleOverdue(tx, clock.now()));
    const registered = Promise.all(decided.map((response) => this.enqueue(response)));
    const ids = new Set([...decided, ...open].map(({ id }) => id));
    for (const id of held) if (!ids.has(id)) this.leave(id);
    const [oldest] = open;
    // A stopped clock never reaches that time. Moving the clock calls `settle` again.
    if (oldest !== undefined && !clock.frozen) this.settleIn(oldest.time + DECLARATION_TIME - clock.now());
    await registered;
  }

  /** Sets one timer for all undecided responses, at the time of the oldest. */
  private settleIn(milliseconds: number): void {
    this.settling ??= setTimeout(
      () => {
        this.settling = undefined;
        this.settle().catch(couldNotRecord);
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
    const entry = await this.byHand(registration);
    if (entry !== null) this.parts.badge.count(tabId, false);
  }

  /** Registers what a rule found, or a person wrote in debug mode. */
  byHand(registration: Registration): Promise<RegistrationEntry | null> {
    const { occasion, register } = registration;
    const { kind } = register;
    return this.queue.add(
      siteOf(occasion.contextOrigin),
      { kind, reportingOrigin: occasion.reportingOrigin },
      () => this.registrar.byHand(registration),
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
    asker: Asker & { readonly contextOrigin: Origin },
    reason: IgnoredReason,
    via = 'header',
  ): Promise<void> {
    const { contextOrigin } = asker;
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
  private isPausedFor({ kind, headers, contextOrigin }: Response): boolean {
    // A navigation's source belongs to the page with the click, which the response does not name.
    const mayBeElsewhere = kind === 'navigation' && (headers.source !== null || headers.osSource);
    if (contextOrigin === null || mayBeElsewhere) return this.parts.settings.isPausedEverywhere;
    return this.parts.settings.isPaused(siteOf(contextOrigin));
  }

  /** @returns null when there is no room */
  private async write(
    response: Response,
    note: (tx: Transaction) => Promise<UndecidedResponse>,
  ): Promise<UndecidedResponse | null> {
    const size = Math.max(LEAST_SIZE, sizeOf(response));
    // Workers are in no tab: those of one site must take no room of another's.
    const tab = response.tabId < 0 ? [] : [tabName(response)];
    const holder = holderOf(response);
    const leave = this.responses.take(size, ...new Set([holder, ...tab]));
    if (leave === null) {
      this.count(holder, placeOf(response), response.reportingOrigin);
      return null;
    }
    const written = this.parts.store.writeSoon(note);
    this.writing = written.catch(leave);
    const row = await written;
    this.rooms.set(row.id, leave);
    return row;
  }

  /** Resolves when the response was registered, or at once if its page is not shown yet. */
  private enqueue(response: UndecidedResponse, ready: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { id, headers, reportingOrigin, prerenderedIn } = response;
    const queued =
      this.queued.get(id) ??
      Promise.all([this.onceShown(response), ready])
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
    return (await this.parts.isShown(tabId, prerenderedIn))
      ? { ...response, time: this.parts.clock.now() }
      : { ...response, decided: { ...decided, obstacle: 'not-shown' } };
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
  readonly contextOrigin: Origin | null;
  readonly obstacle?: Obstacle | null;
}

const tabName = ({ tabId }: { readonly tabId: number }): string => `tab ${tabId}`;

/**
 * Whose turn it is, and whose room: the site of the page, or of the click. Where the page is unknown it is the tab, or all workers together,
 * because one tab can have frames, workers and redirects of any number of sites.
 */
const holderOf = (asker: Asker): string =>
  asker.contextOrigin === null || asker.obstacle === 'page-unknown'
    ? tabName(asker)
    : siteOf(asker.contextOrigin);

const placeOf = ({ contextOrigin, documentOrigin, reportingOrigin }: Response): Origin =>
  contextOrigin ?? documentOrigin ?? reportingOrigin;
