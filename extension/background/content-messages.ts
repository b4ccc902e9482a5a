import type { Runtime } from 'webextension-polyfill';
import type { Json } from '../../src/model/json';
import type { Moment, Origin } from '../../src/model/units';
import { parseMatchPattern } from '../../src/recording/match-pattern';
import { extractorsOf } from '../../src/recording/rules';
import type { Eligibility } from '../../src/model/requests';
import { Fields, list, oneOf, orNull, string, type Parser } from '../../src/parsing/fields';
import { parse } from '../../src/parsing/issues';
import { originOfUrl } from '../../src/parsing/origin';
import { siteOf } from '../../src/parsing/site';
import type { ContentMessage, ContentRule } from '../messages';
import type { EligibleHeaders } from './eligible-headers';
import { openConsentPage } from './open-consent-page';
import type { OwnRequests } from './own-requests';
import type { Recorder } from './recorder';
import type { SettingsHolder } from './settings';
import { withoutFragment } from './urls';

const MAX_URL = 8192;
const MAX_URLS = 20;
const MAX_VALUE = 2000;

/** Messages per tab and period. Further messages are ignored. */
const FLOOD_LIMIT = 400;
const FLOOD_WINDOW = 10_000;
const MAX_COUNTS = 1000;

/** Where a content script runs, according to the browser. */
interface Sender {
  readonly url: string;
  readonly tabId: number;
  readonly frameId: number;
  readonly documentOrigin: Origin;
  readonly contextOrigin: Origin;
}

/** Answers content scripts. Their messages are untrusted input, because they run beside pages. */
export class ContentMessages {
  /** By tab and origin, so that a frame cannot use up the limit of the page around it. */
  private readonly counts = new Map<string, { since: number; count: number }>();

  constructor(
    private readonly recorder: Recorder,
    private readonly headers: EligibleHeaders,
    private readonly ownRequests: OwnRequests,
    private readonly settings: SettingsHolder,
    private readonly now: () => Moment,
  ) {}

  async answer(message: unknown, runtimeSender: MessageSender): Promise<unknown> {
    const sender = senderOf(runtimeSender);
    if (sender === null || this.isFlooding(`${sender.tabId} ${sender.documentOrigin}`)) return false;
    const { value } = parse(message as Json, contentMessage);
    if (value === null) return false;
    const paused = this.settings.isPaused(siteOf(sender.contextOrigin));
    switch (value.kind) {
      case 'eligible-request':
        return paused || this.eligibleRequest(value, sender);
      case 'link-pressed':
        if (!paused) await this.expectNavigation(withoutFragment(value.url), sender.tabId);
        return true;
      case 'attributionsrc':
        if (paused) return true;
        for (const url of value.urls) {
          void this.ownRequests.make(url, {
            contextOrigin: sender.contextOrigin,
            eligibility: value.eligibility,
            tabId: sender.tabId,
          });
        }
        return true;
      case 'trial-link':
        // This only opens the consent page. The link is fetched when the person asks for it there.
        if (sender.frameId === 0 && originOfUrl(value.url) !== null) await openConsentPage(value.url);
        return true;
      case 'rules':
        return this.rulesFor(sender.url);
      case 'rule-met':
        return this.ruleMet(value, sender);
    }
  }

  private async eligibleRequest(
    { via, url, eligibility }: Extract<ContentMessage, { kind: 'eligible-request' }>,
    { tabId, frameId, documentOrigin, contextOrigin }: Sender,
  ): Promise<boolean> {
    const request = {
      time: this.now(),
      via,
      url: withoutFragment(url),
      eligibility,
      tabId,
      frameId,
      documentOrigin,
      contextOrigin,
    };
    void this.recorder.eligibleRequest(request);
    await this.headers.expect({ url: request.url, tabId, eligibility, anyTab: via === 'navigation' });
    return true;
  }

  private expectNavigation(url: string, tabId: number): Promise<void> {
    return this.headers.expect({ url, tabId, eligibility: 'navigation-source', anyTab: true });
  }

  private rulesFor(url: string): ContentRule[] {
    return this.matchingRules(url).map(({ id, selector, on, registration }) => ({
      id,
      selector,
      on,
      extractors: extractorsOf(registration).map(({ selector: within, attribute }) => ({
        selector: within,
        attribute,
      })),
    }));
  }

  private async ruleMet(
    { ruleId, values }: Extract<ContentMessage, { kind: 'rule-met' }>,
    { url, contextOrigin, tabId }: Sender,
  ): Promise<boolean> {
    const rule = this.matchingRules(url).find(({ id }) => id === ruleId);
    if (rule === undefined) return false;
    await this.recorder.ruleMet(rule, { contextOrigin, tabId }, values, this.now());
    return true;
  }

  private matchingRules(url: string): SettingsHolder['rulesInForce'] {
    return this.settings.rulesInForce.filter(({ matches }) =>
      matches.some((pattern) => parseMatchPattern(pattern)?.matches(url) === true),
    );
  }

  private isFlooding(key: string): boolean {
    // The device's time, because Cointoss's clock may stand still.
    const now = Date.now();
    if (this.counts.size > MAX_COUNTS) this.counts.clear();
    const seen = this.counts.get(key);
    if (seen === undefined || now - seen.since > FLOOD_WINDOW) {
      this.counts.set(key, { since: now, count: 1 });
      return false;
    }
    seen.count += 1;
    return seen.count > FLOOD_LIMIT;
  }
}

/** Fields that the browsers send and the polyfill's types lack. */
type MessageSender = Runtime.MessageSender & {
  readonly origin?: string;
  readonly documentLifecycle?: string;
};

/** Null unless a document in a tab sent the message and its origins are suitable. */
function senderOf({ tab, url, origin, documentLifecycle, frameId = 0 }: MessageSender): Sender | null {
  // A frame without a URL of its own (`srcdoc`) has the origin of the document that created it.
  const documentOrigin = originOfUrl(origin ?? url ?? '');
  // The tab may already be loading the next page, so the top frame's own document is taken as the page.
  // A prerendered page in Chrome has another frame number, and its tab still shows the previous page.
  const isPage = frameId === 0 || documentLifecycle === 'prerender';
  const contextOrigin = isPage ? documentOrigin : originOfUrl(tab?.url ?? '');
  if (tab?.id === undefined || url === undefined || documentOrigin === null || contextOrigin === null)
    return null;
  return { url, tabId: tab.id, frameId, documentOrigin, contextOrigin };
}

const kinds = [
  'eligible-request',
  'link-pressed',
  'attributionsrc',
  'trial-link',
  'rules',
  'rule-met',
] as const;

const eligibilities = [
  'empty',
  'event-source',
  'navigation-source',
  'trigger',
  'event-source-or-trigger',
] as const;

const contentMessage: Parser<ContentMessage> = (place) => {
  const fields = new Fields(place);
  const kind = fields.required('kind', oneOf(...kinds), null) ?? 'rules';
  switch (kind) {
    case 'eligible-request': {
      const via = fields.required('via', oneOf('element', 'fetch', 'navigation'), null) ?? 'element';
      const eligibility: Eligibility =
        fields.required('eligibility', oneOf(...eligibilities), null) ?? 'empty';
      // A navigation registers navigation sources only, and nothing else does.
      if ((via === 'navigation') !== (eligibility === 'navigation-source')) place.error('unfit-eligibility');
      return { kind, via, eligibility, url: fields.required('url', string(MAX_URL), '') };
    }
    case 'link-pressed':
      return { kind, url: fields.required('url', string(MAX_URL), '') };
    case 'attributionsrc':
      return {
        kind,
        urls: fields.required('urls', list(string(MAX_URL), { max: MAX_URLS }), []),
        eligibility:
          fields.required('eligibility', oneOf('event-source-or-trigger', 'navigation-source'), null) ??
          'event-source-or-trigger',
      };
    case 'trial-link':
      return { kind, url: fields.required('url', string(MAX_URL), '') };
    case 'rules':
      return { kind };
    case 'rule-met':
      return {
        kind,
        ruleId: fields.required('ruleId', string(100), ''),
        values: fields.required('values', list(orNull(string(MAX_VALUE)), { max: 100 }), []),
      };
  }
};
