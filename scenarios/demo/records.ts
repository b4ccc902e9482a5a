import type { Extension } from '../kit';

const DAY = 86_400_000;
const HOUR = 3_600_000;

interface Registration {
  readonly register: 'navigation' | 'event' | 'trigger';
  readonly header: object;
  readonly contextOrigin?: string;
  readonly reportingOrigin?: string;
}

/** Registers by hand, in debug mode, an example of every outcome of a registration. */
export async function seedRecords(extension: Extension): Promise<void> {
  const register = ({
    register: kind,
    header,
    contextOrigin = kind === 'trigger' ? 'https://shop.example' : 'https://news.example',
    reportingOrigin = 'https://adtech.example',
  }: Registration): Promise<unknown> => extension.register(kind, header, { contextOrigin, reportingOrigin });
  const source = (id: number, more: object = {}): object => ({
    source_event_id: String(id),
    destination: 'https://shop.example',
    ...more,
  });
  const trigger = (data: number, more: object = {}): object => ({
    event_trigger_data: [{ trigger_data: String(data), ...more }],
  });
  await register({ register: 'event', header: source(301, { destination: 'https://travel.example' }) });
  await register({
    register: 'event',
    header: source(302, { destination: ['https://books.example', 'https://music.example'] }),
    contextOrigin: 'https://blog.example',
  });
  await register({
    register: 'navigation',
    header: source(4711, { priority: '10', filter_data: { product: ['coins'] } }),
  });
  await extension.advance(2 * HOUR);
  await register({ register: 'trigger', header: trigger(1, { deduplication_key: '17' }) });
  await extension.advance(HOUR);
  await register({ register: 'trigger', header: trigger(1, { deduplication_key: '17' }) });
  await extension.advance(3 * DAY);
  await register({ register: 'trigger', header: trigger(4, { priority: '5' }) });
  await register({ register: 'trigger', header: trigger(2), contextOrigin: 'https://toys.example' });
  await register({ register: 'trigger', header: { ...trigger(3), filters: { product: ['notes'] } } });
  await register({ register: 'navigation', header: source(303, { max_event_level_reports: 5 }) });
  await register({
    register: 'navigation',
    header: { source_event_id: 12, destination: 'shop.example', expiry: 'soon' },
  });
  await register({
    register: 'event',
    header: source(304, { destination: 'https://travel.example', trigger_data: [0, 1, 2] }),
    contextOrigin: 'https://blog.example',
  });
  await register({
    register: 'event',
    header: source(305, { event_report_windows: { end_times: [7200, 7200] } }),
    contextOrigin: 'https://blog.example',
  });
}
