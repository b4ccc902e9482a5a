// What testdriver.js leaves to the browser under test. The runner exposes cointossClick, which clicks as a person does.
let clicks = 0;
globalThis.test_driver_internal.in_automation = true;
globalThis.test_driver_internal.click = async (element) => {
  element.setAttribute('data-cointoss-click', ++clicks);
  await globalThis.cointossClick(`[data-cointoss-click="${clicks}"]`);
};
// Some tests ask a test build of Chromium to forget what they registered. The runner does that before each page.
globalThis.internals = { resetAttributionReporting() {} };
