import type { ComponentChildren, JSX } from 'preact';
import browser from 'webextension-polyfill';

/** Opens in a new tab, because a popup cannot hold a page. */
export const Link = ({
  to,
  children,
}: {
  readonly to: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <a
    href={to}
    onClick={(event) => {
      event.preventDefault();
      void browser.tabs.create({ url: event.currentTarget.href }).then(() => window.close());
    }}
  >
    {children}
  </a>
);
