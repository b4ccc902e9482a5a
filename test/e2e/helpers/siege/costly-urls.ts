import { source, trigger } from '../registrations';
import type { Visited } from '../visited';
import { serverOf, URLS, type Siege } from './attack';

/** Filter data about as large as a source may have. */
const large = {
  filter_data: Object.fromEntries(
    Array.from({ length: 50 }, (_, key) => [
      `key-${key}`,
      Array.from({ length: 20 }, (_, value) => `value-${value}`.padEnd(25, 'x')),
    ]),
  ),
};

/** Nearly as long as is read: repeated keys within nested long ones. */
const huge = {
  'Attribution-Reporting-Register-Trigger': `${`{"${'k'.repeat(100)}":`.repeat(40)}{${'"a":0,'.repeat(15_000)}"a":0}${'}'.repeat(40)}`,
};

/** The most of what a source may have. */
const SCOPES = 20;
/** As many as are followed. */
const HOPS = 20;
const HANGING_ORIGINS = 50;
/** In characters: longer than what is read, and with stars. */
const LONG = 48_000;

const scopes = (from: number): readonly string[] =>
  Array.from({ length: SCOPES }, (_, index) => `scope ${from + index}`);

/** The URLs of one `attributionsrc`, which answer with all that costs time or space, or do not answer. */
export function costlyUrls(
  { sites }: Visited,
  site: string,
  { hanging, adServer }: Siege,
): readonly string[] {
  const server = serverOf(site);
  const own = sites.origin(site);
  return Array.from({ length: URLS }, (_, id) => {
    const path = `/${id}`;
    if (id % 4 === 0) return sites.serve(server, path, { headers: source(id, own, large) });
    if (id % 10 === 1) return sites.serve(server, path, { headers: huge });
    if (id % 10 === 2) return sites.serve(server, path, { headers: trigger(id % 2) });
    if (id % 10 === 3) return `${hanging}/${site}-${id}`;
    if (id % 10 === 5) return sites.redirect(server, sites.origin(server) + path, { path });
    return sites.serve(adServer, `/${site}-${id}`, { headers: source(id, own) });
  });
}

/** Sources that remove others by their attribution scopes, and triggers whose scopes or filters match none of them. */
export function scopedUrls({ sites }: Visited, site: string): readonly string[] {
  const server = serverOf(site);
  const own = sites.origin(site);
  return Array.from({ length: URLS }, (_, id) => {
    const path = `/scopes-${id}`;
    const attribution_scopes = { limit: SCOPES + (id % 3), values: scopes(id), max_event_states: 3 };
    if (id % 2 === 0)
      return sites.serve(server, path, { headers: source(id, own, { attribution_scopes, ...large }) });
    const json = {
      attribution_scopes: scopes(1000),
      filters: Array.from({ length: 10 }, (_none, index) => ({ [`key-${index}`]: ['matches nothing'] })),
      event_trigger_data: [{ trigger_data: '0' }],
    };
    return sites.serve(server, path, {
      headers: {
        'Attribution-Reporting-Register-Trigger': JSON.stringify(
          id % 4 === 1 ? json : { ...json, attribution_scopes: [] },
        ),
      },
    });
  });
}

/** A chain of redirects that registers at each hop, and redirects from outside to the device and into private networks. */
export function redirectingUrls({ sites }: Visited, site: string): readonly string[] {
  const server = serverOf(site);
  const hop = (index: number): string => `/hop-${index}`;
  const end = sites.serve(server, hop(HOPS), { headers: trigger(1) });
  for (let index = 0; index < HOPS; index++)
    sites.redirect(server, index + 1 === HOPS ? end : sites.origin(server) + hop(index + 1), {
      path: hop(index),
      headers: trigger(index % 2),
    });
  const inward = ['http://127.0.0.1:1/', 'http://192.168.0.1/', 'http://[::1]:1/', 'http://10.0.0.1:1/'].map(
    (to, index) => sites.redirect(server, to, { path: `/inward-${index}` }),
  );
  return [sites.origin(server) + hop(0), ...inward];
}

/** Each on an origin of its own. */
export const hangingUrls = ({ hanging }: Siege, site: string): readonly string[] =>
  Array.from({ length: HANGING_ORIGINS }, (_, index) =>
    `${hanging}/${site}`.replace('holding', `holding-${site}-${index}`),
  );

/** Each is answered four to thirty seconds later. */
export const lateUrls = ({ late }: Siege, site: string): readonly string[] =>
  late === undefined ? [] : Array.from({ length: 27 }, (_, index) => `${late}/${index + 4}?${site}`);

/** URLs that no server reads to their end, and that would be costly as a pattern. */
export const longUrls = ({ sites }: Visited, site: string): readonly string[] => [
  `${sites.origin(serverOf(site))}/${'a*'.repeat(LONG / 2)}`,
  `${sites.origin(serverOf(site))}/${'a*'.repeat(4000)}`,
  `${sites.origin(serverOf(site))}/${'a*'.repeat(120)}`,
];
