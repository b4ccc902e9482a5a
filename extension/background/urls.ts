export const everyPage = { urls: ['http://*/*', 'https://*/*'] };

/** Requests carry no fragment, and some browser events omit it. */
export const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? url;
