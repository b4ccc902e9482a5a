import { parseUrl } from '../src/model/origin';

/** A match pattern as in extensions, `https://*.shop.example/thanks*`, and with an optional port; without it all ports match. */
export interface MatchPattern {
  matches(url: string): boolean;
  /** The form that both browsers accept. */
  readonly withoutPort: string;
}

const syntax = /^(\*|https?):\/\/(\*|(?:\*\.)?[^/*:]+)(?::(\d+))?(\/.*)$/;

/** Null unless the text is a match pattern for http or https. */
export function parseMatchPattern(text: string): MatchPattern | null {
  const parts = syntax.exec(text);
  const [, scheme, host, port, path] = parts ?? [];
  if (scheme === undefined || host === undefined || path === undefined) return null;
  const segments = path.split('*');
  return {
    withoutPort: `${scheme}://${host}${path}`,
    matches(url) {
      const parsed = parseUrl(url);
      return (
        parsed !== null &&
        (scheme === '*' ? /^https?:$/.test(parsed.protocol) : parsed.protocol === `${scheme}:`) &&
        matchesHost(host, parsed.hostname) &&
        (port === undefined || effectivePort(parsed) === port) &&
        matchesPath(segments, parsed.pathname + parsed.search)
      );
    },
  };
}

function matchesHost(pattern: string, hostname: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.startsWith('*.')) return hostname === pattern;
  return hostname === pattern.slice(2) || hostname.endsWith(pattern.slice(1));
}

/** Matches each segment at its first place after the one before, so that no choice is tried twice, as a regular expression would. */
function matchesPath(segments: readonly string[], path: string): boolean {
  const [first = '', ...rest] = segments;
  const last = rest.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first)) return false;
  let end = first.length;
  for (const segment of rest) {
    const start = path.indexOf(segment, end);
    if (start < 0) return false;
    end = start + segment.length;
  }
  return path.length - last.length >= end && path.endsWith(last);
}

const effectivePort = ({ port, protocol }: URL): string =>
  port !== '' ? port : protocol === 'https:' ? '443' : '80';
