import type { Demo } from './demo';

/** A source as the ad server reports it to the collector. */
interface OfferedSource {
  readonly source_event_id: string;
  readonly reporting_origin: string;
  readonly source_type: 'navigation' | 'event';
  /** The JSON of the registration header. */
  readonly registration: string;
  readonly campaign: string;
}

export interface SourceLog {
  add(source: OfferedSource): void;
}

/**
 * Sends each source to the collector's source log with the time on Cointoss's clock, so that reports can be joined with the ad server's data. Does nothing without a
 * collector.
 */
export function openSourceLog({ collector, now }: Pick<Demo, 'collector' | 'now'>): SourceLog {
  if (collector === null) return { add: () => undefined };
  // Browsers resolve names under localhost to this machine; other programs may not.
  const address = new URL('/sources', collector);
  address.hostname = '127.0.0.1';
  return {
    add: (source) => {
      const registration = JSON.parse(source.registration) as object;
      void send(
        address,
        now().then((time) => JSON.stringify({ ...source, registration, time })),
      );
    },
  };
}

async function send(address: URL, row: Promise<string>): Promise<void> {
  try {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const response = await fetch(address, { method: 'POST', headers, body: await row });
    if (!response.ok) throw new Error(await response.text());
  } catch (error) {
    console.error('The collector did not take a source:', error);
  }
}
