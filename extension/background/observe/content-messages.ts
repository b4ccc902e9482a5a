import type { Json } from '../../../src/model/json';
import type { IgnoredReason } from '../../../formats/codec/mistakes';
import type { Moment } from '../../../src/model/units';
import type { Arm, Campaign } from '../../../recording/lift-test';
import { parseMatchPattern } from '../../../recording/match-pattern';
import { originOfPlace, whyBarred } from '../../../recording/places';
import { readingsOf } from '../../../recording/readings';
import type { EligibleElement } from '../../../recording/requests';
import { parse } from '../../../formats/codec/issues';
import { originOfUrl } from '../../../src/model/origin';
import { siteOf, siteOfUrl } from '../../../src/model/site';
import type { ContentMessage, ContentRule } from '../../content-messages';
import { contentMessage } from './content-message';
import { senderOf, type MessageSender, type Sender } from './content-sender';
import type { Documents } from '../documents/documents';
import type { EligibleHeaders } from './eligible-headers';
import type { Navigations } from '../documents/navigations';
import { openConsentPage } from '../consent/open-consent-page';
import { FLOOD_LIMIT, FLOOD_WINDOW, MessageCounts, type MessageCount } from './message-counts';
import type { OwnRequests } from './own-requests';
import type { Recorder } from '../record/recorder';
import type { SettingsHolder } from '../state/settings';
import type { Feature } from '../documents/permissions-policy';
import type { PageCalls } from '../w3c/page-calls';
import type { Asked } from '../state/asked';
import { FairShare } from '../state/fair-share';
import { withoutFragment } from '../../urls';

/** In characters: what the rules that pages meet give, while it waits for its turn. A short one counts for more, because each takes time. */
const ROOM_FOR_RULES = 2e6;
const LEAST_SIZE = 1000;

interface Parts {
  readonly recorder: Recorder;
  readonly headers: EligibleHeaders;
  readonly ownRequests: OwnRequests;
  readonly navigations: Navigations;
  readonly documents: Documents;
  readonly settings: SettingsHolder;
  /** Whether debug mode is on, and recording not paused everywhere. */
  readonly isDebugged: () => boolean;
  readonly now: () => Moment;
  /** Of what is asked for now. */
  readonly asked: () => Asked;
  readonly attribution: PageCalls;
  /** This device's arm of a campaign; null: there is no test. */
  readonly armOf: (campaign: Campaign) => Promise<Arm | null>;
}

/** Answers content scripts. Their messages are untrusted input, because they run beside pages. */
export class ContentMessages {
  private readonly messages = new MessageCounts();
  private readonly roomForRules = new FairShare(ROOM_FOR_RULES);

  constructor(private readonly parts: Parts) {}

  async answer(message: unknown, runtimeSender: MessageSender): Promise<unknown> {
    const { tab, origin, url } = runtimeSender;
    const seen = this.messages.count(`${tab?.id} ${origin ?? url}`);
    if (seen.count === FLOOD_LIMIT + 1) void this.logFlood(seen, runtimeSender);
    if (seen.count > FLOOD_LIMIT) return false;
    const { value } = parse(message as Json, contentMessage);
    if (value === null) return false;
    // Its arrival has started the background.
    if (value.kind === 'wake') return true;
    if (value.kind === 'activation') {
      await this.parts.attribution.activated(runtimeSender.tab?.id ?? -1);
      return true;
    }
    const { documents, settings } = this.parts;
    const asked = this.parts.asked();
    const sender = await senderOf(documents, runtimeSender, asked, featureOf(value));
    if (sender === null) return false;
    const paused = settings.isPaused(siteOf(originOfPlace(sender.place)));
    switch (value.kind) {
      case 'eligible-request':
        return paused || this.eligible(value.url, 'event-source-or-trigger', sender, value.getsRule);
      case 'eligible-fetch':
        // The rules for marks set the header.
        return paused || this.eligible(value.url, value.eligibility, sender, false);
      case 'navigation':
        if (!paused)
          this.parts.navigations.clicked({
            ...sender,
            ...value,
            pageId: documents.pageIdOf(sender.documentId),
            url: withoutFragment(value.url),
          });
        return paused || this.expectNavigation(value.url, sender);
      case 'ineligible-click':
        // A page that was opened in debug mode may still report them.
        if (!paused && this.parts.isDebugged())
          this.parts.navigations.clickedInVain({
            ...value,
            ...sender,
            pageId: documents.pageIdOf(sender.documentId),
            url: withoutFragment(value.url),
          });
        return true;
      case 'link-pressed':
        return paused || this.expectNavigation(value.url, sender);
      case 'attributionsrc':
        for (const each of paused ? [] : value.urls) this.request(each, sender);
        return true;
      case 'trial-link':
        // This only opens the consent page. The link is fetched when the person asks for it there.
        if (sender.frameId === 0 && originOfUrl(value.url) !== null) await openConsentPage(value.url);
        return true;
      case 'attribution-call':
        return this.parts.attribution.script(value.call, value.options, {
          ...sender,
          origin: sender.documentOrigin,
          shown: originOfUrl(runtimeSender.tab?.url ?? ''),
        });
      case 'lift-ad':
        // Also for what pages make up: they never learn the answer.
        return paused ? null : this.armOf(value);
      case 'rules':
        return this.rulesFor(sender.url);
      case 'rule-met':
        return this.ruleMet(value, sender);
    }
  }

  private async armOf({
    reportingOrigin,
    destination: to,
    campaign: name,
  }: Extract<ContentMessage, { kind: 'lift-ad' }>): Promise<Arm | null> {
    const reportingSite = siteOfUrl(reportingOrigin);
    const destination = siteOfUrl(to);
    return reportingSite === null || destination === null
      ? null
      : this.parts.armOf({ reportingSite, destination, name });
  }

  /** A navigation gets its header before it is known to follow the click, or it would come too late. */
  private async expectNavigation(url: string, sender: Sender): Promise<boolean> {
    const { headers } = this.parts;
    if (sender.place.kind === 'known')
      await headers.expect({
        ...sender,
        url: withoutFragment(url),
        via: 'navigation',
        eligibility: 'navigation-source',
      });
    else await headers.expectNone(sender);
    return true;
  }

  /** @param getsRule whether a rule of its own is to give the request the header */
  private async eligible(
    url: string,
    eligibility: EligibleElement['eligibility'],
    sender: Sender,
    getsRule: boolean,
  ): Promise<boolean> {
    const { tabId, documentId, documentOrigin, place, around, asked } = sender;
    const request = {
      time: this.parts.now(),
      via: 'element',
      url: withoutFragment(url),
      eligibility,
      tabId,
      documentId,
      documentOrigin,
      place,
      ...(around === null ? {} : { around }),
    } as const;
    // Before the answer: the document sends again what the end of the background leaves unanswered.
    const written = this.parts.recorder.eligibleRequest(request, asked);
    // Chrome 156 gives up what a page asks for while it is left if a rule is added at that moment.
    const expected = place.kind === 'known' && getsRule ? this.parts.headers.expect(request) : undefined;
    await Promise.all([written, expected]);
    return true;
  }

  private request(url: string, sender: Sender): void {
    const { ownRequests, recorder } = this.parts;
    const { place, makers, tabId, documentId, asked } = sender;
    if (place.kind === 'known')
      void ownRequests.make(url, {
        contextOrigin: place.contextOrigin,
        makers,
        tabId,
        documentId,
        asked,
        eligibility: 'event-source-or-trigger',
      });
    else void recorder.refusals.dropped(url, sender, whyBarred(place));
  }

  private rulesFor(url: string): ContentRule[] {
    return this.matchingRules(url).map((rule) => ({
      id: rule.id,
      selector: rule.selector,
      on: rule.on,
      extractors: readingsOf(rule).map(({ extractor: { selector, attribute } }) => ({ selector, attribute })),
    }));
  }

  private async ruleMet(
    { ruleId, values }: Extract<ContentMessage, { kind: 'rule-met' }>,
    sender: Sender,
  ): Promise<boolean> {
    const { url, tabId, documentId, place, asked } = sender;
    const rule = this.matchingRules(url).find(({ id }) => id === ruleId);
    if (rule === undefined) return false;
    const { recorder, now } = this.parts;
    const drop = (why: 'too-many' | IgnoredReason): Promise<void> =>
      recorder.refusals.dropped(rule.reportingOrigin, sender, why, rule.id);
    if (place.kind !== 'known') {
      await drop(whyBarred(place));
      return true;
    }
    const { contextOrigin } = place;
    const size = Math.max(LEAST_SIZE, values.join('').length);
    const leave = this.roomForRules.acquire(size, siteOf(contextOrigin), `tab ${tabId}`);
    if (leave === null) {
      await drop('too-many');
      return true;
    }
    try {
      await recorder.ruleMet(rule, { contextOrigin, tabId, documentId, asked }, values, now());
    } finally {
      leave();
    }
    return true;
  }

  private matchingRules(url: string): SettingsHolder['rulesInForce'] {
    return this.parts.settings.rulesInForce.filter(({ matches }) =>
      matches.some((pattern) => parseMatchPattern(pattern)?.matches(url) === true),
    );
  }

  /** Logs how many messages are dropped, once the period is over. */
  private async logFlood(seen: MessageCount, runtimeSender: MessageSender): Promise<void> {
    const sender = await senderOf(this.parts.documents, runtimeSender, this.parts.asked());
    if (sender === null) return;
    await new Promise((resolve) => setTimeout(resolve, seen.since + FLOOD_WINDOW - performance.now()));
    const { place, documentOrigin } = sender;
    const count = seen.count - FLOOD_LIMIT;
    await this.parts.recorder.refusals.dropped(documentOrigin ?? originOfPlace(place), sender, {
      code: 'too-many-messages',
      values: { count },
    });
  }
}

function featureOf(message: ContentMessage): Feature {
  if (message.kind !== 'attribution-call') return 'attribution-reporting';
  return message.call === 'saveImpression' ? 'save-impression' : 'measure-conversion';
}
