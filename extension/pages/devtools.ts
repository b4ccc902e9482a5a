import browser from 'webextension-polyfill';

/** Adds a panel to the developer tools: the internals page for the inspected site only, at its requests. */
void browser.devtools.panels.create(
  browser.i18n.getMessage('extensionName'),
  // Absolute, because Firefox resolves paths against this page and Chrome against the root.
  '/icons/32.png',
  '/pages/internals.html?panel#/requests',
);
