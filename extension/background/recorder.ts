import type { Conditions, Engine, RegistrationEntry } from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import type { Json } from '../../src/model/json';
import type { DebugCondition } from '../../src/model/facts';
import type { RecordingRule } from '../../src/model/recording-rule';
import type { Moment, Origin } from '../../src/model/units';
import type { Decided, EligibleRequest, UndecidedResponse } from '../../src/model/requests';
import {
  DECLARATION_TIME,
  noteEligibleRequest,
  noteResponse,
  settleOverdue,
} from '../../src/recording/requests';
import { decideRegistration } from '../../src/recording/decide-registration';
import { fillIn } from '../../src/recording/rules';
import { originOfUrl } from '../../src/parsing/origin';
import { siteOf } from '../../src/parsing/site';
import type { Store, Transaction } from '../../src/store/store';
import type { Badge } from './badge';
import type { Clock } from './clock';
import type { DebugLimits } from './debug-limits';
import type { ForcedState } from './forced-state';
import type { SettingsHolder } from './settings';

/** Further work in the same transaction. */
type Alongside = (tx: Transaction) => Promise<void>;

type OwnRegistration = Pick<UndecidedResponse, 'headers' | 'reportingOrigin' | 'time' | 'tabId'> & {
  readonly kind?: UndecidedResponse['kind'];
};

type ResponseContext = Pick<UndecidedResponse, 'kind' | 'headers' | 'contextOrigin'>;

interface Parts {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly forcedState: ForcedState;
  readonly badge: Badge;
  readonly limits: DebugLimits;
  /** Called when there may be something new to send. */
  readonly onRegistered: () => void;
}

/** Turns what the browser and the content scripts observed into registrations, in order. */
export class Recorder {
  private queue: Promise<unknown> = Promise.resolve();
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: Parts) {}

  /** Takes a response with registration headers. */
  response(response: Omit<UndecidedResponse, 'id' | 'decided'>): Promise<void> {
    return this.inTurn(async () => {
      if (this.isPausedFor(response)) return;
      const noted = await this.parts.store.write((tx) => noteResponse(tx, response));
      if (noted.decided !== null) await this.register(noted);
      else this.settleIn(DECLARATION_TIME);
    });
  }

  /** Takes a response to one of Cointoss's own requests, whose context is already known. */
  ownResponse(response: OwnRegistration, decided: Decided): Promise<void> {
    return this.inTurn(async () => {
      await this.registerDecided(response, decided);
    });
  }

  /** Takes a document's declaration that a request is eligible. */
  eligibleRequest(request: Omit<EligibleRequest, 'id' | 'requestId'>): Promise<void> {
    return this.inTurn(async () => {
      if (this.parts.settings.isPaused(siteOf(request.contextOrigin))) return;
      const decided = await this.parts.store.write((tx) => noteEligibleRequest(tx, request));
      for (const response of decided) await this.register(response);
    });
  }

  /** Decides responses that no document declared in time, including those of an earlier run of the background. */
  settle(): Promise<void> {
    return this.inTurn(async () => {
      const settled = await this.parts.store.write((tx) => settleOverdue(tx, this.parts.clock.now()));
      for (const response of settled) {
        // One failure must not stop the others.
        await this.register(response).catch(couldNotRecord);
      }
      const rows = await this.parts.store.read((tx) => tx.table('undecidedResponses').upTo('time', Infinity));
      const oldest = rows.find(({ decided }) => decided === null);
      // A stopped clock never reaches that time. Moving the clock calls `settle` again.
      if (oldest !== undefined && !this.parts.clock.frozen)
        this.settleIn(oldest.time + DECLARATION_TIME - this.parts.clock.now());
    });
  }

  /** Sets one timer for all undecided responses, at the time of the oldest. */
  private settleIn(milliseconds: number): void {
    this.settling ??= setTimeout(
      () => {
        this.settling = undefined;
        void this.settle();
      },
      Math.max(milliseconds, 0),
    );
  }

  ruleMet(
    rule: RecordingRule,
    { contextOrigin, tabId }: { readonly contextOrigin: Origin; readonly tabId: number },
    values: readonly (string | null)[],
    time: Moment,
  ): Promise<void> {
    return this.inTurn(async () => {
      const reportingOrigin = originOfUrl(rule.reportingOrigin);
      if (reportingOrigin === null) return;
      const entry = await this.registerOne({
        occasion: { time, contextOrigin, reportingOrigin, via: rule.id },
        register:
          rule.register === 'trigger'
            ? { kind: 'trigger' }
            : { kind: 'source', sourceType: rule.on === 'click' ? 'navigation' : 'event' },
        header: JSON.stringify(withoutMissing(fillIn(rule.registration, values))),
        fenced: false,
        reportHeaderErrors: false,
      });
      if (entry !== null) this.parts.badge.count(tabId, false);
    });
  }

  /** Registers what a person wrote by hand in debug mode. */
  byHand(registration: Registration): Promise<RegistrationEntry | null> {
    return this.inTurn(() => this.registerOne(registration));
  }

  /** Runs `task` between two registrations. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.inTurn(task);
  }

  /** Whether nothing of this response may be stored, because its site is paused. */
  private isPausedFor({ kind, headers, contextOrigin }: ResponseContext): boolean {
    // A navigation's source belongs to the page with the click, which the response does not name.
    const mayBeElsewhere = kind === 'navigation' && (headers.source !== null || headers.osSource);
    if (contextOrigin === null || mayBeElsewhere) return this.parts.settings.isPausedEverywhere;
    return this.parts.settings.isPaused(siteOf(contextOrigin));
  }

  private async register(response: UndecidedResponse): Promise<void> {
    await this.registerDecided(response, response.decided, (tx) =>
      tx.table('undecidedResponses').delete(response.id),
    );
  }

  private async registerDecided(
    response: OwnRegistration,
    decided: Decided | null,
    alongside: Alongside = () => Promise.resolve(),
  ): Promise<void> {
    // A trigger on a redirect hop of a navigation is on no page, so it cannot convert.
    if (decided?.contextOrigin == null) return this.parts.store.write(alongside);
    const { eligibility, contextOrigin } = decided;
    const result = decideRegistration({ ...response, eligibility, contextOrigin, fenced: false });
    if (result.kind === 'register') {
      const entry = await this.registerOne(result.registration, alongside);
      if (entry !== null) this.parts.badge.count(response.tabId, response.kind === 'navigation');
      return;
    }
    if (this.parts.settings.isPaused(siteOf(contextOrigin))) return this.parts.store.write(alongside);
    await this.parts.engine.ignore(result, this.parts.settings.differences(this.parts.clock), alongside);
  }

  /**
   * @param alongside done in the same transaction, or alone when nothing is recorded
   * @returns null when the site is paused
   */
  private async registerOne(
    registration: Registration,
    alongside: Alongside = () => Promise.resolve(),
  ): Promise<RegistrationEntry | null> {
    if (this.parts.settings.isPaused(siteOf(registration.occasion.contextOrigin))) {
      await this.parts.store.write(alongside);
      return null;
    }
    const conditions = this.conditionsFor(registration);
    // Debug reports, including those about malformed headers, leave only if the person allows debugging.
    const reportHeaderErrors = registration.reportHeaderErrors && conditions.debugAllowed;
    const entry = await this.parts.engine.register(
      { ...registration, reportHeaderErrors },
      conditions,
      alongside,
    );
    const isStored = entry.kind === 'source' && entry.decision.kind === 'stored';
    if (isStored && conditions.noise.kind === 'forced') await this.parts.forcedState.used();
    this.parts.onRegistered();
    return entry;
  }

  private conditionsFor(registration: Registration): Conditions {
    const { settings, clock, limits, forcedState } = this.parts;
    const conditions = settings.conditions(clock);
    const debug: DebugCondition[] = [...conditions.debug];
    if (limits.changed) debug.push({ id: 'limits-changed' });
    const noise = settings.current.debug.enabled ? forcedState.noiseFor(registration, limits.current) : null;
    return noise === null
      ? { ...conditions, debug }
      : { ...conditions, noise, debug: [...debug, { id: 'state-forced' }] };
  }

  /** Keeps the order of observation: a trigger must find the source before it. */
  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.queue.then(task);
    this.queue = result.catch(couldNotRecord);
    return result;
  }
}

const couldNotRecord = (error: unknown): void => console.error('Cointoss could not record', error);

/** Omits fields whose value was not found on the page, so that their default or a clear error applies. */
function withoutMissing(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutMissing);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === null ? [] : [[key, withoutMissing(item as Json)]],
    ),
  );
}
