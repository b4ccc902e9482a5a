/** Before the hosts of this device, where browsers trust http as they trust https elsewhere. */
const LOOPBACK = String.raw`http:\/\/(?=([^/:]+\.)?localhost(?![^/:])|127(\.\d+){3}(?![^/:])|\[::1\])`;
const SCHEME = new RegExp(`^(https:\\/\\/|${LOOPBACK})`);

/** A site, origin or URL without the scheme that goes without saying. Any other scheme is kept. */
export const bare = (url: string): string => url.replace(SCHEME, '');
