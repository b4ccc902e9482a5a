import type { AttributionMethod, PageMessage, Reply, W3cAnswer, W3cView } from '../../extension/messages';
import type { Json, JsonObject } from '../../src/model/json';

type Send = <Message extends PageMessage>(message: Message) => Promise<Reply<Message>>;

/** Where a call comes from: names of hosts, such as `shop.example`. */
export interface CallingSites {
  readonly site: string;
  /** That of the frame that calls, if it is another one. */
  readonly intermediarySite?: string | null;
}

/** W3C Attribution in the extension: what its pages show, and what a page or a browser does. */
export class W3c {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Its impressions, what is left of budgets by epoch, and the calls with their reasons; each list with the oldest first. */
  view(): Promise<W3cView> {
    return this.#send({ kind: 'w3c' });
  }

  /** Calls `saveImpression` without loading a page. Needs debug mode. */
  saveImpression(options: JsonObject, sites: CallingSites): Promise<W3cAnswer> {
    return this.#call('saveImpression', options, sites);
  }

  /** Calls `measureConversion` without loading a page. Needs debug mode. */
  measureConversion(options: JsonObject, sites: CallingSites): Promise<W3cAnswer> {
    return this.#call('measureConversion', options, sites);
  }

  /** Sets some of the limits; null restores the defaults. Needs debug mode. */
  setLimits(limits: Json): Promise<W3cView> {
    return this.#send({ kind: 'set-w3c-limits', limits });
  }

  /** Clears the impressions of a site, as its header `Clear-Site-Data` does. Needs debug mode. */
  clearImpressions(site: string): Promise<W3cView> {
    return this.#send({ kind: 'clear-impressions', site });
  }

  /** Tells that the browser forgot what these sites stored, but not the visits. */
  forgetSiteData(sites: readonly string[]): Promise<W3cView> {
    return this.#send({ kind: 'forget-site-data', sites });
  }

  #call(
    call: AttributionMethod,
    options: JsonObject,
    { site, intermediarySite = null }: CallingSites,
  ): Promise<W3cAnswer> {
    return this.#send({ kind: 'call-w3c', call, options, site, intermediarySite });
  }
}
