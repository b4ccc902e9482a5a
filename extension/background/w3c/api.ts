import type { Json, JsonObject } from '../../../src/model/json';
import type { Issue } from '../../../formats/codec/mistakes';
import { siteOf } from '../../../src/model/site';
import { originOfUrl } from '../../../src/model/origin';
import { base64 } from '../../../formats/codec/base64';
import { parse, type Parsed } from '../../../formats/codec/issues';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import { publicKeyOf } from '../../../formats/reports/sealed-payload';
import { effectiveDebug } from '../../../formats/settings/settings';
import {
  bucketsOf,
  clearImpressionsForSite,
  forgetSiteData,
  forgetVisits,
  measureConversion,
  saveImpression,
  unmeasured,
} from '../../../w3c/engine';
import { Draft, type ApiState } from '../../../w3c/documents';
import type { RandomOfCall } from '../../../w3c/epochs';
import type { ApiLimits } from '../../../w3c/limits';
import type { CallEntry, CallError, CallVia, Outcome, Refusal } from '../../../w3c/log';
import { callerOf, type Call } from '../../../w3c/matching';
import { conversionOptions, errorOf, impressionOptions, type ConversionOptions } from '../../../w3c/options';
import { sealReport } from '../../../w3c/report';
import { removeExpired } from '../../../w3c/room';
import { AGGREGATION_SERVICE } from '../../../w3c/service';
import { siteName } from '../../../w3c/site-name';
import type { ErasingScope } from '../../erasing/erase-part';
import type { W3cStore } from '../../store/w3c-store';
import type { W3cAnswer as Answer, W3cView } from '../../messages';
import { words } from '../../words';
import type { RecordedCalls } from '../../../analysis/scenario/calls/record-calls';
import { asJson } from '../../../formats/codec/plain-json';
import type { Clock } from '../state/clock';
import type { SettingsHolder } from '../state/settings';
import type { W3cLimits } from './limits';

/** A call of a page, with what the browser says of the page. */
export interface MadeCall {
  readonly call: CallEntry['call'];
  readonly via: CallVia;
  /** The hosts, as they are written in the addresses. */
  readonly topLevelHost: string;
  readonly callerHost: string;
  readonly options: JsonObject;
  /** Whether the person allows the API there. If not, a valid call succeeds and does nothing. */
  readonly isOff: boolean;
  /** Where a header wants the report. */
  readonly sentTo?: string;
}

interface Parts {
  readonly store: W3cStore;
  readonly settings: SettingsHolder;
  readonly clock: Clock;
  readonly limits: W3cLimits;
  /** By stream. */
  readonly random: RandomOfCall;
}

/** Streams from here on make reports; those below decide. A seed has them, too. */
const REPORTS = 2 ** 32;

/** `navigator.attribution` behind the pages: decides each call in one transaction of its own store. */
export class W3cApi {
  /** What each impression gets of the next conversion, in a replay; null: it is drawn. Debug mode only. */
  forcedCredit: readonly number[] | null = null;

  constructor(private readonly parts: Parts) {
    parts.settings.onChange(() => {
      if (!this.isDebug) this.forcedCredit = null;
    });
  }

  get isOn(): boolean {
    const { settings } = this.parts;
    return settings.mayRecord && settings.current.w3cAttribution;
  }

  /** Whether the person allows the API on a page. */
  isOffOn(page: string): boolean {
    const origin = originOfUrl(page);
    return !this.isOn || origin === null || this.parts.settings.isPaused(siteOf(origin));
  }

  async call(made: MadeCall): Promise<Answer> {
    const limits = this.parts.limits.current;
    const sites = this.sitesOf(made, limits);
    if (sites.value === null) return this.reject(made, errorOf(sites.errors), textOf(sites.errors));
    const call = { time: this.parts.clock.now(), ...sites.value };
    return made.call === 'saveImpression' ? this.save(made, call, limits) : this.measure(made, call, limits);
  }

  /** Rejects a call that is not even looked at. */
  reject(made: MadeCall, error: CallError, reason: Refusal | { readonly text: string }): Answer {
    if (!made.isOff) {
      const entry = this.entry(made, { kind: 'rejected', error, reason });
      this.later(this.parts.store.add(entry), 'log a call');
    }
    return { error, message: typeof reason === 'string' ? messages[reason] : invalid[error] };
  }

  private save(made: MadeCall, call: Call, limits: ApiLimits): Answer {
    const { value, errors } = parse(made.options, impressionOptions(limits));
    if (value === null) return this.reject(made, errorOf(errors), textOf(errors));
    if (!made.isOff) {
      const saved = this.parts.store.decide((documents) => ({
        result: undefined,
        changes: saveImpression(documents, call, value, limits, this.parts.random),
        entry: this.entry(made, { kind: 'saved' }),
      }));
      this.later(saved, 'save an impression');
    }
    return { report: null };
  }

  /** Waits for nothing: how long it takes to write tells a page nothing of what is there. */
  private later(work: Promise<unknown>, what: string): void {
    work.catch((error: unknown) => console.error(`Cointoss could not ${what}`, error));
  }

  private async measure(made: MadeCall, call: Call, limits: ApiLimits): Promise<Answer> {
    const { aggregationService, ...asked } = made.options;
    if (aggregationService !== AGGREGATION_SERVICE) return this.reject(made, 'ReferenceError', 'no-service');
    const { value, errors } = parse(asked as Json, conversionOptions(limits));
    if (value === null) return this.reject(made, errorOf(errors), textOf(errors));
    const [key] = this.parts.settings.current.aggregationKeys.map(publicKeyOf);
    if (key === undefined) return this.reject(made, 'NotSupportedError', 'no-key');
    const { histogram, stream } = await this.decide(made, call, value, limits);
    const random = this.parts.random(REPORTS + stream);
    const report = await sealReport(histogram, call, value, key, sealPayload, random);
    return { report: base64.write(report) as string };
  }

  private decide(
    made: MadeCall,
    call: Call,
    options: ConversionOptions,
    limits: ApiLimits,
  ): Promise<{ readonly histogram: readonly number[]; readonly stream: number }> {
    const { store, random } = this.parts;
    // A trial ends debug mode without a change of the settings.
    const credit = this.isDebug ? this.forcedCredit : null;
    this.forcedCredit = null;
    // What was spent must outlast the device once a page has the report: else it could be spent again.
    return store.decide((documents) => {
      const { measured, changes } = measureConversion(documents, call, options, limits, random, credit);
      // As much work as where it is allowed: pages measure how long it takes.
      if (made.isOff) return { result: { histogram: unmeasured(options), stream: 0 } };
      const { histogram, why } = measured;
      const holds = this.isDebug ? bucketsOf(histogram) : null;
      const sent = made.sentTo === undefined ? {} : { sentTo: made.sentTo };
      return {
        result: { histogram, stream: changes.state.calls },
        changes,
        entry: this.entry(made, { kind: 'measured', why, holds, ...sent }),
      };
    }, 'strict');
  }

  async mayHaveImpressions(): Promise<boolean> {
    const has = await this.parts.store.hasImpressions();
    // Last: it may have been turned on meanwhile.
    return has || this.isOn;
  }

  /** W3C Attribution, "Maintenance". */
  async removeExpired(): Promise<void> {
    const { store, clock } = this.parts;
    // Tests turn the clock ahead and back, and must not depend on when this runs.
    if (this.isDebug && clock.ahead !== 0) return;
    if (await store.isThere())
      await store.decide((documents) => ({
        result: undefined,
        changes: removeExpired(documents, clock.now()),
      }));
  }

  /** W3C Attribution, "clear impressions for a site". */
  async clearForSite(host: string): Promise<void> {
    const { value } = parse(host, siteName(this.parts.limits.current));
    const { store } = this.parts;
    if (value !== null && (await store.isThere()))
      await store.decide((documents) => ({
        result: undefined,
        changes: clearImpressionsForSite(documents, value),
      }));
  }

  /** What the browser does when a person clears what sites stored, but not the history. */
  async forgetSiteData(sites: readonly string[]): Promise<void> {
    const { store, clock, limits, random } = this.parts;
    await store.decide((documents) => ({
      result: undefined,
      changes: forgetSiteData(documents, clock.now(), new Set(sites), limits.current, random),
    }));
  }

  /**
   * Erases with the other records.
   * @param scope null: all.
   */
  async erase(
    scope: ErasingScope | null,
  ): Promise<{ readonly count: number; readonly restore: () => Promise<void> }> {
    const { store, clock } = this.parts;
    // There is nothing to erase, and no database is made for it.
    if (!(await store.isThere())) return { count: 0, restore: () => Promise.resolve() };
    const isIn = partOf(scope);
    const before = await store.erase(
      (documents) =>
        forgetVisits(documents, clock.now(), {
          impression: isIn,
          sites: scope === null ? null : new Set(scope.kind === 'sites' ? scope.sites.map(nameOf) : []),
          isClockTurned: this.isDebug,
        }),
      isIn,
    );
    const count = [...before.impressions, ...before.log].filter(isIn).length;
    return { count, restore: () => store.restore(before) };
  }

  /** For a replay. */
  async setState(state: Omit<ApiState, 'calls'>): Promise<void> {
    await this.parts.store.decide((documents) => ({
      result: undefined,
      changes: new Draft(documents, { ...documents.state, ...state }),
    }));
  }

  /** The calls of pages, for a scenario. */
  async recorded(): Promise<RecordedCalls> {
    return { ...(await this.parts.store.content()), limits: this.parts.limits.current };
  }

  async view(): Promise<W3cView> {
    const { state, impressions, budgets, log } = await this.parts.store.content();
    return {
      state,
      limits: this.parts.limits.current,
      impressions: impressions.map((one) =>
        asJson({
          ...one,
          conversionSites: [...one.conversionSites],
          conversionCallers: [...one.conversionCallers],
        }),
      ),
      budgets,
      calls: log.map(asJson),
    };
  }

  private get isDebug(): boolean {
    return effectiveDebug(this.parts.settings.current).enabled;
  }

  private sitesOf(made: MadeCall, limits: ApiLimits): Parsed<Omit<Call, 'time'>> {
    const top = parse(made.topLevelHost, siteName(limits));
    if (top.value === null) return { ...top, value: null };
    const caller = parse(made.callerHost, siteName(limits));
    if (caller.value === null) return { ...caller, value: null };
    const intermediarySite = caller.value === top.value ? null : caller.value;
    return { ...top, value: { topLevelSite: top.value, intermediarySite } };
  }

  private entry(made: MadeCall, outcome: Outcome): Omit<CallEntry, 'id'> {
    const { call, via, options, topLevelHost, callerHost } = made;
    const { value } = this.sitesOf(made, this.parts.limits.current);
    const sites =
      value === null
        ? { site: topLevelHost, caller: callerHost }
        : { site: value.topLevelSite, caller: callerOf(value) };
    return { time: this.parts.clock.now(), via, call, ...sites, options, outcome };
  }
}

/** What pages are told. They can read the same in the draft. */
const messages: Readonly<Record<Refusal, string>> = {
  'permissions-policy': 'A Permissions Policy forbids this.',
  'page-unknown': 'The page is not known.',
  'not-secure': 'This needs a secure context.',
  'not-activated': 'This needs an activation by the user.',
  'no-key': 'No key is configured for the aggregation service.',
  'no-service': 'There is no such aggregation service.',
  malformed: 'The options are malformed.',
  'too-long': 'The options are too long.',
};

/** Not the text of the log, whose language a page need not know. */
const invalid: Readonly<Record<CallError, string>> = {
  NotAllowedError: messages['not-secure'],
  NotSupportedError: messages['no-key'],
  ReferenceError: messages['no-service'],
  RangeError: 'An option is out of its range.',
  SyntaxError: 'A site is not the name of one.',
};

const textOf = (issues: readonly Issue[]): { readonly text: string } => ({ text: words.issuesText(issues) });

/** As the draft names a site: without its scheme, which is https. */
const nameOf = (site: string): string => site.replace(/^https?:\/\//, '').replace(/:\d+$/, '');

/** Of impressions and of entries of the log. */
interface Belonging {
  readonly time: number;
  readonly site: string;
  readonly intermediarySite?: string | null;
  readonly caller?: string;
}

/** Also what another site's frame left on a page of these sites, or theirs on other pages: it tells of visits. */
function partOf(scope: ErasingScope | null): (one: Belonging) => boolean {
  if (scope === null) return () => true;
  if (scope.kind === 'time') return ({ time }) => time >= scope.from && time <= scope.to;
  const sites = new Set(scope.sites.map(nameOf));
  return ({ site, intermediarySite, caller }) =>
    [site, intermediarySite, caller].some((one) => sites.has(one ?? ''));
}
