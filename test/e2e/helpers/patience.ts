import { isLong } from '../../unit/helpers/is-long';

/*
 * On a busy machine a real browser sometimes loads a page twice or takes the focus away. A failed test gets one retry, and `npm test` ends
 * with the tests that needed it, each with its first error. The long form runs one test file at a time, and has none.
 */
if (!isLong) jest.retryTimes(1, { logErrorsBeforeRetry: true });

/** In ms, below half the limit of a test, so that its message says what was waited for. */
const LONGEST_WAIT = 280_000;

/*
 * Puppeteer waits 30 s by default, which a loaded machine can take. Setting it by page would miss the pages that browsers open by
 * themselves.
 */
const { TimeoutSettings } = jest.requireActual<{
  readonly TimeoutSettings: { readonly prototype: { timeout(): number; navigationTimeout(): number } };
}>('puppeteer-core/internal/common/TimeoutSettings.js');
Object.assign(TimeoutSettings.prototype, {
  timeout: () => LONGEST_WAIT,
  navigationTimeout: () => LONGEST_WAIT,
});
