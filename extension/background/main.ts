import browser, { type Runtime } from 'webextension-polyfill';
import { StoredEngine } from '../../transactions/stored-engine';
import { effectiveDebug } from '../../formats/settings/settings';
import { siteOf } from '../../src/model/site';
import type { PageMessage } from '../messages';
import { REQUESTS_PORT } from '../request-events';
import { Badge } from './state/badge';
import { Beginnings } from './observe/beginnings';
import { changeAnnouncer } from './state/changes';
import { Clock } from './state/clock';
import { ContentMessages } from './observe/content-messages';
import { keepAccounts } from './state/accounting';
import { DebugLimits } from './state/debug-limits';
import { Delivery } from './deliver/delivery';
import { DocumentHeaders } from './documents/document-headers';
import { Documents } from './documents/documents';
import { eligibleHeaders } from './observe/eligible-headers';
import { erasedFiles } from './record/erased-files';
import { Erasing } from './record/erasing';
import { Erasures } from './state/erasures';
import { sendAsCrossSite } from './observe/fetch-metadata';
import { ForcedState } from './record/forced-state';
import { IdbStore } from '../store/idb-store';
import { Inbox } from './record/inbox';
import { Joining } from './consent/joining';
import { keepAwake } from './state/keep-awake';
import { isPolicyAlarm, onManagedChange, readManagedTrial, waitForPolicy } from './consent/managed-trial';
import { NavigationAnswers } from './observe/navigation-answers';
import { Navigations } from './documents/navigations';
import { recordClick } from './observe/record-click';
import { OwnRequests } from './observe/own-requests';
import { PageMessages } from './page-messages';
import { Participation } from './state/participation';
import { ParticipationMessages } from './consent/participation-messages';
import { Recorder } from './record/recorder';
import { RecentRequests } from './documents/recent-requests';
import { RequestLog } from './documents/request-log';
import { keepRealTime } from './state/real-time';
import { openConsentPage } from './consent/open-consent-page';
import { LiftArms } from './lift-arms';
import { OptionalScripts } from './observe/optional-scripts';
import { injectRuleScripts } from './observe/rule-scripts';
import { SessionMemory } from './documents/session-memory';
import { randomStreamsOf } from './random-streams';
import { SettingsHolder } from './state/settings';
import { Tokens } from './tokens/tokens';
import { TrialAlarm } from './consent/trial-alarm';
import { Activations } from './w3c/activations';
import { W3cApi } from './w3c/api';
import { HeaderCalls } from './w3c/header-calls';
import { W3cLimits } from './w3c/limits';
import { isMaintenanceAlarm, maintain, maintainDaily } from './w3c/maintenance';
import { PageCalls } from './w3c/page-calls';
import { W3cStore } from '../store/w3c-store';
import { WebRequests } from './observe/web-requests';

/*
 * The composition root of the background: a service worker in Chrome, an event page in Firefox. The browser stops it when idle and starts
 * it for the next event. So all listeners are added synchronously, and they wait for `started`, which reads the stored state from
 * IndexedDB.
 */

/** In ms: how long reports wait until what an earlier run of the background left is registered. */
const CATCH_UP_TIMEOUT = 5000;

const headers = eligibleHeaders();
void sendAsCrossSite();
const badge = new Badge();
browser.webNavigation.onCommitted.addListener((page) => {
  if (page.frameId === 0) badge.begin(page);
});
browser.webNavigation.onErrorOccurred.addListener(({ tabId, frameId, url }) => {
  if (frameId === 0) badge.ended(tabId, url);
});
browser.tabs.onRemoved.addListener((tabId) => badge.closed(tabId));
const memory = new SessionMemory();
const documents = new Documents(new DocumentHeaders(memory), memory);
const beginnings = new Beginnings(memory);
const activations = new Activations(memory);
const erasures = new Erasures(memory);
/** Responses are written from then on. Each millisecond before may lose one, if the background ends. */
const recording = load();
const started = recording.then(start);
const ownRequests: OwnRequests = new OwnRequests(recording, erasures);
const navigationAnswers = new NavigationAnswers();
const navigations = new Navigations(memory, (decided) =>
  keepAwake(recordClick(decided, ownRequests, recording, navigationAnswers)),
);
const webRequests = new WebRequests({
  badge,
  beginnings,
  erasures,
  ownRequests,
  documents,
  navigations,
  navigationAnswers,
  recording,
  onUnused: (details) => requests.unused(details),
});

const requests: RequestLog = new RequestLog({
  documents,
  ownRequests,
  recent: new RecentRequests(memory),
  declarations: async () => (await recording).recorder.unclaimed,
  isPaused: async (page): Promise<boolean> => {
    const { settings } = await started;
    return page === null ? settings.isPausedEverywhere : settings.isPaused(siteOf(page));
  },
});

/** Offers `navigator.attribution`. */
const w3cScripts = new OptionalScripts([
  { id: 'w3c-attribution', js: ['w3c.js'] },
  { id: 'w3c-attribution-page', js: ['w3c-page.js'], world: 'MAIN' },
]);
/** Shows the ads of lift tests. */
const liftScripts = new OptionalScripts([{ id: 'lift-ads', js: ['lift-ads.js'] }]);
/** Tells of clicks that make no source, of which only the engineer who debugs a page needs to know. */
const ineligibleClickScripts = new OptionalScripts([
  { id: 'ineligible-clicks', js: ['ineligible-clicks.js'] },
]);

documents.listen();
ownRequests.listen();
navigations.listen();
webRequests.listen();
activations.listen();

browser.runtime.onMessage.addListener((message: unknown, sender: Runtime.MessageSender) =>
  started.then(({ pages, content }) =>
    isOwnPage(sender) ? pages.answer(message as PageMessage) : content.answer(message, sender),
  ),
);

browser.runtime.onConnect.addListener((port) => {
  if (port.name === REQUESTS_PORT && port.sender !== undefined && isOwnPage(port.sender)) requests.open(port);
});

browser.alarms.onAlarm.addListener(({ name }) => {
  if (Delivery.isAlarm(name)) void started.then(({ delivery }) => delivery.run());
  if (Tokens.isAlarm(name)) void started.then(({ tokens }) => tokens.run());
  if (TrialAlarm.isAlarm(name)) void started.then(({ participation }) => participation.changed());
  if (isMaintenanceAlarm(name)) void started.then(({ w3c }) => maintain(w3c));
  if (isPolicyAlarm(name)) void started.then(({ joining }) => joining.readPolicy());
});

onManagedChange(() => void started.then(({ joining }) => joining.readPolicy()));

// Alarms may be lost when the browser restarts. Starting the background sets them again.
browser.runtime.onStartup.addListener(() => void started);

browser.runtime.onInstalled.addListener(({ reason }) => {
  void started.then(({ participation }) => {
    // Whoever has not answered is asked again after an update.
    if (reason === 'install' || (reason === 'update' && participation.consentStatus === 'unanswered'))
      void openConsentPage();
  });
});

async function load() {
  const store = await IdbStore.open('cointoss', changeAnnouncer());
  await store.finishReplacing();
  const [inbox, clock, forcedState, { installType }] = await Promise.all([
    Inbox.load(store.inbox, erasures),
    Clock.load(store),
    ForcedState.load(store),
    browser.management.getSelf(),
    erasures.loaded,
  ]);
  // Developers load the extension unpacked. They can rehearse a trial with the test clock.
  const rehearsal = installType === 'development';
  const participation = await Participation.load(store, clock, readManagedTrial);
  const settings = await SettingsHolder.load(store, participation, rehearsal);
  const limits = await DebugLimits.load(store, settings);
  const randomFor = randomStreamsOf(() => effectiveDebug(settings.current).seed);
  const engine = new StoredEngine({
    store,
    get limits() {
      return limits.current;
    },
    random: randomFor('engine'),
  });
  const tokens = await Tokens.load(store, clock, () => participation.agreedTrial);
  const delivery = new Delivery(engine, clock, settings, randomFor('sealing'), store, tokens);
  const accountsKept = await keepAccounts(store, settings, participation, clock);
  const arms = new LiftArms(store, settings, participation, clock);
  const recorder = new Recorder({
    accountsKept,
    inLiftTest: (registration, register) => arms.inTest(registration, register),
    store,
    inbox,
    engine,
    clock,
    settings,
    forcedState,
    badge,
    limits,
    requests,
    onReports: () => void delivery.run(),
    documents,
    navigations,
    lackOf: (requestId) => navigations.lackOf(requestId),
    ownRequests,
  });
  const w3cLimits = await W3cLimits.load(store, settings);
  const w3cStore = new W3cStore();
  const random = randomFor('w3c');
  const w3c = new W3cApi({ store: w3cStore, settings, clock, limits: w3cLimits, random });
  const calls = new PageCalls(w3c, activations, erasures);
  const attribution = new HeaderCalls(w3c, calls, documents, w3cLimits);
  const erasing = new Erasing(store, {
    files: erasedFiles(store, w3cStore),
    inbox,
    stopRequests: () => ownRequests.stopErased(),
    stopReports: (erased) => delivery.stopErased(erased),
    limits: () => limits.current,
    forgetAddressees: () => settings.forgetEarlierAddressees(clock),
    others: (scope) => {
      requests.forget();
      return w3c.erase(scope);
    },
    forgetTokens: () => tokens.erase(),
    forgetArms: () => arms.forget(),
    armsWhileErased: () => arms.whileErased(),
  });
  const joining = new Joining({
    store,
    participation,
    recorder,
    erasing,
    settings,
    clock,
    badge,
    tokens,
    rehearsal,
  });
  await joining.start();
  return {
    store,
    clock,
    forcedState,
    participation,
    settings,
    limits,
    engine,
    delivery,
    recorder,
    arms,
    erasing,
    joining,
    tokens,
    rehearsal,
    w3c,
    w3cLimits,
    calls,
    attribution,
  };
}

async function start({ recorder, joining, ...parts }: Awaited<ReturnType<typeof load>>) {
  const { clock, participation, settings, delivery, tokens } = parts;
  const isDebugged = (): boolean => effectiveDebug(settings.current).enabled && !settings.isPausedEverywhere;
  const content = new ContentMessages({
    recorder,
    headers,
    ownRequests,
    navigations,
    documents,
    settings,
    isDebugged,
    now: () => clock.now(),
    asked: () => erasures.asked(clock.now()),
    attribution: parts.calls,
    armOf: (campaign) => parts.arms.of(campaign),
  });
  const pages = new PageMessages({
    ...parts,
    recorder,
    participationMessages: new ParticipationMessages(participation, joining, tokens, parts.rehearsal),
  });
  const trialAlarm = new TrialAlarm(participation, clock);
  const injectScripts = (): Promise<unknown> =>
    Promise.all([
      w3cScripts.turn(parts.w3c.isOn),
      liftScripts.turn(settings.mayRecord && settings.current.liftTest !== null),
      ineligibleClickScripts.turn(isDebugged()),
    ]);
  const follow = (): void => {
    void injectRuleScripts(settings.rulesInForce);
    void injectScripts();
    void maintainDaily(parts.w3c);
    trialAlarm.set();
    ownRequests.stopWhere(({ contextOrigin }) => settings.isPaused(siteOf(contextOrigin)));
    ownRequests.allowPrivateNetworks(effectiveDebug(settings.current).privateNetworks);
    documents.turn(!settings.isPausedEverywhere);
    requests.turn(isDebugged());
    void headers.followMarks(settings.isPausedEverywhere ? null : settings.current.pausedSites);
    delivery.forgetKeys();
    void tokens.run();
  };
  // Not awaited: the caller that changes the settings may hold a lock that catching up needs.
  await keepRealTime(
    settings,
    clock,
    () =>
      void recorder.catchUpWithin(CATCH_UP_TIMEOUT).then(() => {
        participation.changed();
        return delivery.run();
      }),
  );
  settings.onChange(follow);
  participation.onChange(() => {
    follow();
    if (!participation.mayRecord) void headers.clear();
    if (!participation.maySend) delivery.stop();
    // Pending reports may be sendable now.
    void delivery.run();
  });
  follow();
  if (participation.isPolicyRemembered) waitForPolicy();
  await injectRuleScripts(settings.rulesInForce);
  await injectScripts();
  // Finish what the last run of the background left undone.
  void recorder.catchUpWithin(CATCH_UP_TIMEOUT).then(() => delivery.start());
  return {
    clock,
    settings,
    delivery,
    recorder,
    joining,
    content,
    pages,
    participation,
    tokens,
    w3c: parts.w3c,
  };
}

/** Only the extension's own pages may ask these questions, and only the browser can say who the sender is. */
function isOwnPage({ url, id }: Runtime.MessageSender): boolean {
  return id === browser.runtime.id && url?.startsWith(browser.runtime.getURL('')) === true;
}
