/** The trial's address that the background put into the fragment; empty if none. */
export const linkOfPage = (): string => new URLSearchParams(location.hash.slice(1)).get('link') ?? '';
