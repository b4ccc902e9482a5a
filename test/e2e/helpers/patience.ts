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
