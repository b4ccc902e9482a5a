import type { EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import { EVENT_LEVEL, freshReport, post } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';

/* What somebody can do who knows the address of a collector, and sends it reports that no browser made. */

const TOKEN = 'a token of the owner, 1234'.replaceAll(' ', '-');
const source = {
  source_event_id: '1234567890123456789',
  reporting_origin: 'https://adtech.example',
  destination: 'https://shop.example',
  source_type: 'navigation',
  time: '2026-01-01T00:00:00Z',
  registration: {},
};
const due = String(Date.parse('2026-01-03T00:00:00Z') / 1000);

test('made-up reports count only if they name a source of the log, which nobody else can know', async () => {
  const app = await temporaryCollector({ token: TOKEN });
  try {
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const owner = { Authorization: `Bearer ${TOKEN}` };
    const logged = await fetch(`${origin}/sources`, {
      method: 'POST',
      body: JSON.stringify(source),
      headers: { ...owner, 'Content-Type': 'application/x-ndjson' },
    });
    expect(logged.status).toBe(200);
    /** Without a token, which browsers have not either. */
    const made = async (changes: object): Promise<number> =>
      (
        await post(
          origin + EVENT_LEVEL,
          freshReport({
            attribution_destination: 'https://shop.example',
            scheduled_report_time: due,
            source_type: 'navigation',
            trigger_data: '1',
            source_event_id: source.source_event_id,
            ...changes,
          }),
          { 'Cointoss-Report-Url': `https://adtech.example${EVENT_LEVEL}` },
        )
      ).status;
    expect(
      await Promise.all([
        made({ source_event_id: '1' }),
        made({ source_event_id: '1234567890123456788' }),
        made({ attribution_destination: 'https://other.example' }),
        made({ scheduled_report_time: String(Number(due) + 5000) }),
      ]),
    ).toEqual([200, 200, 200, 200]);
    const counts = async (): Promise<EstimateResultJson['reports']> => {
      const answer = await fetch(`${origin}/estimates?as_of=2026-03-01T00:00:00Z`, { headers: owner });
      return ((await answer.json()) as EstimateResultJson).reports;
    };
    expect(await counts()).toMatchObject({
      read: 4,
      used: 0,
      unknown_source: 3,
      inconsistent: { window: 1 },
    });
    // With the id, the origin and the window, nothing distinguishes it.
    expect(await made({})).toBe(200);
    expect(await counts()).toMatchObject({ read: 5, used: 1 });
  } finally {
    await app.close();
  }
});
