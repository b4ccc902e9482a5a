import type { Extension } from '../kit';

const HOUR = 3_600_000;

/** A registration so many hours after the first. */
export interface JourneyEvent {
  readonly hour: number;
  readonly register: 'event' | 'trigger';
  readonly contextOrigin: string;
  readonly reportingOrigin: string;
  readonly header: object;
}

/** Which campaigns an advertiser showed, in that order, how many advertisers did, and for how many of them the person converted. */
const groups = [
  { campaigns: ['first look'], advertisers: 32, converting: 3 },
  { campaigns: ['reminder'], advertisers: 30, converting: 9 },
  { campaigns: ['first look', 'reminder'], advertisers: 12, converting: 7 },
] as const;

const hourOf = { 'first look': 0, reminder: 20 } as const;

/** One person's sources of two ad techs for many advertisers, and their conversions, in order of time. One conversion is registered twice. */
export function journeyEvents(): readonly JourneyEvent[] {
  const events = groups.flatMap(({ campaigns, advertisers, converting }, group) =>
    Array.from({ length: advertisers }, (_, number) => {
      const destination = `https://shop-${group}-${number}.example`;
      const reportingOrigin = `https://ads-${number % 2 === 0 ? 'a' : 'b'}.example`;
      const shown = campaigns.map((campaign): JourneyEvent => ({
        hour: hourOf[campaign],
        register: 'event',
        contextOrigin: 'https://news.example',
        reportingOrigin,
        header: { destination, filter_data: { campaign: [campaign] } },
      }));
      const bought: JourneyEvent = {
        // Half of those who saw both campaigns converted before the second.
        hour: group === 1 || number % 2 === 1 ? 21 : 3,
        register: 'trigger',
        contextOrigin: destination,
        reportingOrigin,
        header: { event_trigger_data: [{ trigger_data: '0', deduplication_key: '1' }] },
      };
      const again = group === 0 && number === 0 ? [{ ...bought, hour: 4 }] : [];
      return number < converting ? [...shown, bought, ...again] : shown;
    }).flat(),
  );
  return events.sort((a, b) => a.hour - b.hour);
}

/** Registers them by hand, in debug mode. */
export async function seedJourneys(extension: Extension): Promise<void> {
  let hour = 0;
  for (const { register, header, contextOrigin, reportingOrigin, hour: next } of journeyEvents()) {
    if (next > hour) await extension.advance((next - hour) * HOUR);
    hour = next;
    await extension.register(register, header, { contextOrigin, reportingOrigin });
  }
}
