import { parseDictionary, Token } from 'structured-headers';
import type { Origin } from '../../../src/model/units';
import { parseUrl } from '../../../src/model/origin';

/**
 * Neither browser knows these features any more, or yet, so Cointoss evaluates Permissions Policy for them. Their default allowlist is `*`
 * (ARA, "Permission Policy integration"; W3C Attribution, "Permissions Policy Integration").
 */
const FEATURES = ['attribution-reporting', 'save-impression', 'measure-conversion'] as const;

export type Feature = (typeof FEATURES)[number];

/** In characters. Parsing takes microseconds for each. */
const MAX_HEADER = 8 * 1024;

/** The origins that may use a feature. */
export type Allowlist = '*' | readonly string[];

/** What a document or frame may use. A feature that is not named is everybody's. */
export type Policy = Readonly<Partial<Record<Feature, Allowlist>>>;

/** What says nothing of the features. */
export const everything: Policy = {};

export const allowlistOf = (policy: Policy, feature: Feature): Allowlist => policy[feature] ?? '*';

/** @param allowlist null: it says nothing of the feature */
function policyBy(allowlist: (feature: Feature) => Allowlist | null): Policy {
  const named = FEATURES.map((feature) => [feature, allowlist(feature) ?? '*'] as const);
  return Object.fromEntries(named.filter(([, list]) => list !== '*')) as Policy;
}

export const isAllowed = (allowlist: Allowlist, origin: Origin | null): boolean =>
  allowlist === '*' || (origin !== null && allowlist.includes(origin));

/** What both allow. */
export const stricter = (one: Policy, other: Policy): Policy =>
  policyBy((feature) => inBoth(allowlistOf(one, feature), allowlistOf(other, feature)));

const inBoth = (one: Allowlist, other: Allowlist): Allowlist => {
  if (one === '*' || other === '*') return one === '*' ? other : one;
  const others = new Set(other);
  return one.filter((origin) => others.has(origin));
};

/**
 * What a document's `Permissions-Policy` header allows: everything if it says nothing of the features or is malformed (Permissions Policy,
 * "construct policy from dictionary and origin"). One that is too long to be read allows nobody.
 * @param self the document's origin
 */
export function declaredPolicy(header: string, self: string): Policy {
  if (header.length > MAX_HEADER) return policyBy(() => []);
  const members = dictionary(header);
  return policyBy((feature) => {
    const member = members.get(feature);
    return member === undefined ? null : membersAllowlist(member, self);
  });
}

function membersAllowlist([value]: DictionaryMember, self: string): Allowlist {
  const items = Array.isArray(value) ? value.map(([item]) => item) : [value];
  if (items.some((item) => item instanceof Token && item.toString() === '*')) return '*';
  return items.flatMap((item) => {
    if (item instanceof Token) return item.toString() === 'self' ? [self] : [];
    return typeof item === 'string' ? originOf(item) : [];
  });
}

type DictionaryMember = ReturnType<typeof parseDictionary> extends Map<string, infer Member> ? Member : never;

function dictionary(header: string): ReturnType<typeof parseDictionary> {
  try {
    return parseDictionary(header);
  } catch {
    return new Map();
  }
}

/**
 * What the `allow` attribute of a frame allows: everything if it says nothing of the features (Permissions Policy, "parse policy directive").
 * @param self the origin of the document with the frame
 * @param src the URL of the frame's `src`
 */
export function containerPolicy(allow: string, self: string, src: string): Policy {
  const directives = allow.split(';').map((directive) => directive.split(/[\t\n\f\r ]+/).filter(Boolean));
  return policyBy((feature) => {
    const tokens = directives.find(([name]) => name?.toLowerCase() === feature)?.slice(1);
    return tokens === undefined ? null : directivesAllowlist(tokens, self, src);
  });
}

function directivesAllowlist(tokens: readonly string[], self: string, src: string): Allowlist {
  if (tokens.includes('*')) return '*';
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
