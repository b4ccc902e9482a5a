/** The requests that Cointoss looks at. */
export const everyPage = { urls: ['http://*/*', 'https://*/*'] };

/** A request never carries the fragment, and not every event of the browser shows it. */
export const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? url;
