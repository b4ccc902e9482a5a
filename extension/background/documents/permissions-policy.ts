import { parseDictionary, Token } from 'structured-headers';
import type { Origin } from '../../../src/model/units';
import { parseUrl } from '../../../src/model/origin';

/**
 * Neither browser knows the feature `attribution-reporting` any more, so Cointoss evaluates Permissions Policy for it. Its default
 * allowlist is `*` (ARA, "Permission Policy integration").
 */
const FEATURE = 'attribution-reporting';

/** In characters. Parsing takes microseconds for each. */
const MAX_HEADER = 8 * 1024;

/** The origins that may use the feature. */
export type Allowlist = '*' | readonly string[];

export const isAllowed = (allowlist: Allowlist, origin: Origin | null): boolean =>
  allowlist === '*' || (origin !== null && allowlist.includes(origin));

/** What both allow. */
export const stricter = (one: Allowlist, other: Allowlist): Allowlist => {
  if (one === '*' || other === '*') return one === '*' ? other : one;
  return one.filter((origin) => other.includes(origin));
};

/**
 * What a document's `Permissions-Policy` header allows: everything if it says nothing of the feature or is malformed (Permissions Policy,
 * "construct policy from dictionary and origin"). One that is too long to be read allows nobody.
 * @param self the document's origin
 */
export function declaredAllowlist(header: string, self: string): Allowlist {
  if (header.length > MAX_HEADER) return [];
  const member = dictionary(header).get(FEATURE);
  if (member === undefined) return '*';
  const [value] = member;
  const items = Array.isArray(value) ? value.map(([item]) => item) : [value];
  if (items.some((item) => item instanceof Token && item.toString() === '*')) return '*';
  return items.flatMap((item) => {
    if (item instanceof Token) return item.toString() === 'self' ? [self] : [];
    return typeof item === 'string' ? originOf(item) : [];
  });
}

function dictionary(header: string): ReturnType<typeof parseDictionary> {
  try {
    return parseDictionary(header);
  } catch {
    return new Map();
  }
}

/**
 * What the `allow` attribute of a frame allows: everything if it says nothing of the feature (Permissions Policy, "parse policy directive").
 * @param self the origin of the document with the frame
 * @param src the URL of the frame's `src`
 */
export function containerAllowlist(allow: string, self: string, src: string): Allowlist {
  const directives = allow.split(';').map((directive) => directive.split(/[\t\n\f\r ]+/).filter(Boolean));
  const tokens = directives.find(([name]) => name?.toLowerCase() === FEATURE)?.slice(1);
  if (tokens === undefined || tokens.includes('*')) return '*';
  const source = originOf(src)[0] ?? self;
  // The default is 'src'.
  if (tokens.length === 0) return [source];
  return tokens.flatMap((token) => {
    if (token === "'self'") return [self];
    return token === "'src'" ? [source] : originOf(token);
  });
}

function originOf(text: string): string[] {
  const origin = parseUrl(text)?.origin ?? 'null';
  return origin === 'null' ? [] : [origin];
}
