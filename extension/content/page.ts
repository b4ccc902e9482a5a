/**
 * Runs in the page's own world before its scripts and gives it ARA's interfaces. They only announce what the page asks for; content.ts
 * decides what to do with it.
 */
import { extendAttachShadow } from './page-world/attach-shadow';
import { defineAttributionSrc } from './page-world/attribution-src';
import { extendClick } from './page-world/click';
import { extendFeaturePolicy } from './page-world/feature-policy';
import { extendFetch, extendRequest } from './page-world/fetch';
import { extendInnerHtml } from './page-world/inner-html';
import { hideSourceText } from './page-world/methods';
import { receiveSeal } from './page-world/seal';
import { extendWindowOpen } from './page-world/window-open';
import { extendTimings } from './page-world/timings';
import { extendXmlHttpRequest } from './page-world/xml-http-request';

/**
 * Whether the browser has a working API of its own, which must be left alone. The presence of `attributionSrc` and
 * `setAttributionReporting` proves nothing: Chromium kept both, without effect, when it removed the rest.
 */
function hasNativeApi(): boolean {
  let isRead = false;
  new Request('/', {
    get attributionReporting(): undefined {
      isRead = true;
      return undefined;
    },
  } as RequestInit);
  return isRead;
}

if (isSecureContext && !hasNativeApi()) {
  receiveSeal();
  hideSourceText();
  defineAttributionSrc();
  extendFetch();
  extendRequest();
  extendXmlHttpRequest();
  extendTimings();
  extendWindowOpen();
  extendAttachShadow();
  extendClick();
  extendInnerHtml();
  extendFeaturePolicy();
}
