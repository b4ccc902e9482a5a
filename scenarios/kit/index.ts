/** Drives Cointoss in real browsers, for tests and demonstrations. */
export type { Overview } from '../../extension/messages';
export { Extension, type Row } from './extension';
export { launch, type BrowserName, type Launched, type LaunchOptions } from './launch';
export { serveSites, Sites, type Received, type ReceivedReport, type Reply } from './sites';
export { waitFor, type WaitOptions } from './wait';
