import browser from 'webextension-polyfill';

/** Adds the panel to the developer tools; it is the internals page, about the inspected site only. */
void browser.devtools.panels.create(
  browser.i18n.getMessage('extensionName'),
  // From the root: Firefox reads addresses from where this page is, Chrome from the root.
  '/icons/32.png',
  '/pages/internals.html?panel',
);
