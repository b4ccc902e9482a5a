import type { Origin } from './units';

/** The origin of a URL if it is suitable (ARA, "check if an origin is suitable"), else null. */
export function originOfUrl(url: string): Origin | null {
  const parsed = parseUrl(url);
  return parsed !== null && isSuitable(parsed) ? (parsed.origin as Origin) : null;
}

/** Null if the text is no URL. Not `URL.canParse`: in Node 20, once optimized, it refuses names with a "ü". */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

// Secure Contexts, "potentially trustworthy origin", for the two schemes that attribution allows.
function isSuitable({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname) || /^127(\.\d+){3}$/.test(hostname) || hostname === '[::1]';
}
