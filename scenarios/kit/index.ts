/** Drives Cointoss in real browsers, for tests and demonstrations; the exports of `@cointoss/puppeteer`. */
export type { Overview, ParticipationView } from '../../extension/messages';
export type { SettingsChange } from '../../extension/messages';
export { Extension, type Time } from './extension';
export type { BrowserName } from './executable';
export { attach, extensionPath, launch, type Launched, type LaunchOptions } from './launch';
export type { AggregatableReportBody, DebugReportBody, EventLevelReportBody } from './report-body';
export type { Reply } from './reply';
export type { FinishedRow, ReportRow, Row, SourceRow, TraceEntry, TraceFilter, TriggerEntry } from './rows';
export {
  serveSites,
  Sites,
  type HeaderValue,
  type Received,
  type ReceivedReport,
  type RegisteringOptions,
} from './sites';
export type { W3cAnswer, W3cView } from '../../extension/messages';
export { W3c, type CallingSites } from './w3c';
export { waitFor, type WaitOptions } from './wait';
