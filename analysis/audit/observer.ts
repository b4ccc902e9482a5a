import { isJsonObject, type JsonObject } from '../../src/model/json';
import { milliseconds } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import type { Settings } from '../../formats/settings/settings';
import { COLLECTOR, Device, type Circumstances, type Sent } from './device';
import { isOwn, type World } from './world';
import { wordsBeside } from './words';

/**
 * Who looks at the reports. If the device makes aggregatable reports, they have a price of their own (docs/audit.md): only `aggregatable`
 * looks at them then.
 */
export type Observer =
  /** One reporting site, with the others of its owner. */
  | 'reporting-site'
  /** Whoever gets the reports of all sites. */
  | 'everyone'
  /** One reporting site, at the reports of source 1 only. */
  | 'one-source'
  /** One reporting site, at which sources report what, without times and order. */
  | 'untimed'
  /** One reporting site, at aggregatable reports and their debug reports only, which are sealed. */
  | 'aggregatable';

/**
 * Runs a world through limits, budget, attribution, noise and delivery.
 * @returns all that the observer receives, as one text: each request in the order of arrival, with its time, its URL and its whole body
 */
export async function observe(
  world: World,
  circumstances: Circumstances,
  observer: Observer,
  random: RandomSource,
): Promise<string> {
  const words = wordsBeside(random);
  const looksAt = isLookedAt(observer, circumstances.settings);
  const look = (sent: readonly Sent[]): readonly string[] => {
    const received = sent.filter(looksAt);
    return observer === 'untimed'
      ? received.map(withoutTime).sort()
      : received.map((request) => timed(request, words.seen));
  };
  const device = new Device(circumstances, words, look);
  await device.run(world);
  return look(device.sent).join('; ');
}

const isLookedAt =
  (observer: Observer, { aggregatableReports, budget: { owners } }: Settings) =>
  (request: Sent): boolean => {
    const { kind, url } = request.report;
    if (observer !== 'everyone' && !isOwn(owners, new URL(url).origin)) return false;
    if (observer === 'aggregatable') return kind === 'aggregatable' || kind === 'aggregate-debug';
    if (aggregatableReports && kind === 'aggregatable') return false;
    return observer !== 'one-source' || bodyOf(request)['source_event_id'] === '1';
  };

const bodyOf = ({ report: { body } }: Sent): JsonObject => (isJsonObject(body) ? body : {});

function withoutTime(request: Sent): string {
  const { source_event_id: source, noisy_value: value, trigger_data: data } = bodyOf(request);
  return `source ${JSON.stringify(source)} reports ${JSON.stringify(value ?? data)}`;
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function timed({ time, report: { url, body, recipient } }: Sent, seen: (id: string) => string): string {
  const what = JSON.stringify(body).replaceAll(ID, seen);
  const to = recipient === COLLECTOR ? '' : `to ${recipient ?? 'itself'} `;
  return `${time / HOUR} h: ${to}${url.replace('/.well-known/attribution-reporting', '…')} ${what}`;
}

const HOUR = milliseconds(3_600_000);
