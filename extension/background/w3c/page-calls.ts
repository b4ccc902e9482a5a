import { originOfPlace, type PagePlace } from '../../../recording/places';
import { isJsonObject, type JsonObject } from '../../../src/model/json';
import { readJsonText } from '../../../formats/codec/json-text';
import type { Origin } from '../../../src/model/units';
import type { CallEntry, CallVia, Refusal } from '../../../w3c/log';
import type { Asked } from '../state/asked';
import type { Erasures } from '../state/erasures';
import type { Activations } from './activations';
import type { W3cAnswer as Answer } from '../../messages';
import type { MadeCall, W3cApi } from './api';

/** Where a call comes from, according to the browser. */
export interface Caller {
  readonly tabId: number;
  /** The page, if the policies there allow the call. */
  readonly place: PagePlace;
  /** Of the document that calls, or of the server whose header does; null if it is opaque. */
  readonly origin: Origin | null;
  /** Of the page that the tab shows; null if the browser does not say. */
  readonly shown?: Origin | null;
  readonly asked: Asked;
}

/** Checks where a call comes from, before its options are looked at. */
export class PageCalls {
  constructor(
    private readonly api: W3cApi,
    private readonly activations: Activations,
    private readonly erasures: Erasures,
  ) {}

  activated(tabId: number): Promise<void> {
    return this.activations.activated(tabId);
  }

  /** @param options as JSON text; null: too long to be sent */
  async script(call: CallEntry['call'], options: string | null, caller: Caller): Promise<Answer> {
    const read = options === null ? null : objectIn(options);
    const made = this.made(call, 'script', read ?? {}, caller);
    if (read !== null) return this.make(made, caller);
    return this.api.reject(
      this.unlessErased(made, caller),
      'RangeError',
      options === null ? 'too-long' : 'malformed',
    );
  }

  /** @param sentTo where the report goes */
  header(call: CallEntry['call'], options: JsonObject, caller: Caller, sentTo?: string): Promise<Answer> {
    const made = this.made(call, 'header', options, caller);
    return this.make(sentTo === undefined ? made : { ...made, sentTo }, caller);
  }

  private async make(made: MadeCall, caller: Caller): Promise<Answer> {
    // Where the API is off, too: a page knows what it may not do.
    const refusal = await this.refusalOf(caller, made.isOff);
    const erased = this.unlessErased(made, caller);
    return refusal === null ? this.api.call(erased) : this.api.reject(erased, 'NotAllowedError', refusal);
  }

  /** What was asked for before an erasure is answered, and changes nothing. */
  private unlessErased(made: MadeCall, { asked, ...from }: Caller): MadeCall {
    return this.erasures.cover(asked, { from, options: made.options }) ? { ...made, isOff: true } : made;
  }

  private made(call: CallEntry['call'], via: CallVia, options: JsonObject, caller: Caller): MadeCall {
    const page = originOfPlace(caller.place);
    const isOff = this.api.isOffOn(page);
    // In a pause everywhere, no page is known.
    const isUnknown = isOff && caller.place.kind === 'unknown';
    const top = isUnknown ? (caller.shown ?? caller.origin ?? page) : page;
    return {
      call,
      via,
      options,
      isOff,
      topLevelHost: hostOf(top),
      callerHost: hostOf(caller.origin ?? top),
    };
  }

  private async refusalOf({ place, origin, tabId }: Caller, isOff: boolean): Promise<Refusal | null> {
    if (place.kind === 'forbidden') return 'permissions-policy';
    const isKnown = place.kind === 'known' || (isOff && place.kind === 'unknown');
    if (!isKnown || origin === null) return 'page-unknown';
    if (!isSecure(originOfPlace(place)) || !isSecure(origin)) return 'not-secure';
    return (await this.activations.use(tabId)) ? null : 'not-activated';
  }
}

const hostOf = (origin: Origin): string => new URL(origin).hostname;

/** As browsers trust them. */
const isSecure = (origin: Origin): boolean =>
  origin.startsWith('https:') || /^http:\/\/([^/:]+\.)?localhost(:\d+)?$/.test(origin);

function objectIn(text: string): JsonObject | null {
  const { value, problem } = readJsonText(text);
  return problem === null && isJsonObject(value) ? value : null;
}
