import type { FastifyInstance } from 'fastify';
import type { TruthAnswer } from '../../../collector/http/answers';
import { fillWithDemo } from '../../../collector/demo/fill';
import { simulateMonth, truthOfDemo } from '../../../collector/demo/simulate-month';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { truthOfSession } from '../../../collector/store/true-counts';
import { temporaryCollector } from '../helpers/empty-store';

const month = { users: 60, seed: 'truth' };
const NEVER = '9999-12-31T00:00:00Z';

describe('what happened in a demo', () => {
  let app: FastifyInstance;
  let origin: string;

  beforeAll(async () => {
    app = await temporaryCollector({
      prepare: async (store) => {
        await fillWithDemo(store, await simulateMonth(month));
      },
      truth: () => truthOfDemo(month),
    });
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
  });

  afterAll(() => app.close());

  const truth = async (query: Record<string, string>): Promise<TruthAnswer['groups']> => {
    const response = await fetch(`${origin}/truth?${new URLSearchParams(query).toString()}`);
    expect(response.status).toBe(200);
    return ((await response.json()) as TruthAnswer).groups;
  };

  const conversionsIn = (groups: TruthAnswer['groups']): number =>
    groups.reduce((sum, { conversions }) => sum + conversions, 0);

  it('is counted for the logged sources, by group, filter and time', async () => {
    const logged = (await (await fetch(`${origin}/sources`)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    const counts = new Map((await truthOfDemo(month)).map((one) => [one.sourceEventId, one.reports]));
    const expected = new Map<string, { conversions: number; converted: number }>();
    for (const { source_event_id: id = '', campaign = '' } of logged) {
      const reports = counts.get(id);
      if (reports === undefined) continue;
      const { conversions, converted } = expected.get(campaign) ?? { conversions: 0, converted: 0 };
      expected.set(campaign, { conversions: conversions + reports, converted: converted + 1 });
    }
    const groups = await truth({ group: 'campaign', as_of: NEVER });
    const found = new Map<string, { conversions: number; converted: number }>();
    for (const { group, conversions, converted } of groups) {
      const known = found.get(group) ?? { conversions: 0, converted: 0 };
      found.set(group, {
        conversions: known.conversions + conversions,
        converted: known.converted + converted,
      });
    }
    expect(conversionsIn(groups)).toBeGreaterThan(10);
    expect(found).toEqual(expected);
    const [campaign = '', { conversions = NaN } = {}] = [...expected][0] ?? [];
    expect(conversionsIn(await truth({ 'is.campaign': campaign, as_of: NEVER }))).toBe(conversions);
    expect(conversionsIn(await truth({ as_of: '2026-01-01T00:00:00Z' }))).toBe(0);
  });

  it('is what a summary report and reach tell, but for their noise', async () => {
    const people = Array.from({ length: month.users }, (_, number) => demoUser(month.seed, number));
    const posted = async <Row>(path: string): Promise<readonly Row[]> =>
      ((await (await fetch(origin + path)).json()) as { rows: readonly Row[] }).rows;
    const summary = await posted<{ slice: string; estimate: number }>('/summaries');
    const campaigns = new Set(
      people.flatMap(({ sources }) => sources.map(({ features }) => features.campaign)),
    );
    expect(new Set(summary.map(({ slice }) => slice.replace('campaign=', '')))).toEqual(campaigns);
    const sumOf = (numbers: readonly { estimate: number }[]): number =>
      numbers.reduce((sum, { estimate }) => sum + estimate, 0);
    const conversions = people
      .flatMap(({ lines }) => lines)
      .filter((line) => JSON.stringify(line).includes('Register-Trigger')).length;
    // One of eight discrete Laplace numbers of scale 0.4 is above 8 with a probability below 10^-7; a few conversions make no report.
    expect(Math.abs(sumOf(summary) - 0.95 * conversions)).toBeLessThan(0.05 * conversions + 8);
    expect(conversions).toBeGreaterThan(30);
    const reach = await posted<{ impressions: number; estimate: number }>('/reach');
    const seen = people.reduce((sum, { sources }) => {
      // At most four campaigns of a person count.
      return sum + Math.min(4, new Set(sources.map(({ features }) => features.campaign)).size);
    }, 0);
    // The sum of eight of scale 4 is above 120 with a probability below 10^-6.
    expect(Math.abs(sumOf(reach.filter(({ impressions }) => impressions === 1)) - seen)).toBeLessThan(120);
    expect(seen).toBeGreaterThan(130);
  });

  it('is known to the dashboard there, and nowhere else', async () => {
    const textAt = async (address: string): Promise<string> => (await fetch(address)).text();
    expect(await textAt(origin)).toContain('data-truth="true"');
    const real = await temporaryCollector({});
    const elsewhere = await real.listen({ host: '127.0.0.1', port: 0 });
    expect(await textAt(elsewhere)).toContain('data-truth="false"');
    expect((await fetch(`${elsewhere}/truth`)).status).toBe(404);
    await real.close();
  });
});

test('the truth of a session does not depend on the outputs that noise gave its sources', async () => {
  const at = (timestamp: number, register: string, header: object, forced?: readonly object[]): object => ({
    timestamp: String(timestamp),
    registration_request: {
      context_origin: register === 'Source' ? 'https://news.example' : 'https://shop.example',
      ...(register === 'Source' ? { 'Attribution-Reporting-Eligible': 'navigation-source' } : {}),
    },
    responses: [
      {
        url: 'https://ads.example/',
        ...(forced === undefined ? {} : { randomized_response: forced }),
        response: { [`Attribution-Reporting-Register-${register}`]: header },
      },
    ],
  });
  const source = (id: string): object => ({ source_event_id: id, destination: 'https://shop.example' });
  const start = 1_700_000_000_000;
  const session = JSON.parse(
    JSON.stringify({
      input: {
        registrations: [
          // Noise invented two reports of the first source, and swallowed the one of the second, which the conversion is credited to.
          at(start, 'Source', source('1'), [
            { trigger_data: 1, report_window_index: 0 },
            { trigger_data: 2, report_window_index: 0 },
          ]),
          at(start + 1000, 'Source', source('2'), []),
          at(start + 2000, 'Trigger', { event_trigger_data: [{ trigger_data: '3' }] }),
        ],
      },
      output: { reports: [] },
    }),
  ) as Parameters<typeof truthOfSession>[0];
  const truth = [{ reportingOrigin: 'https://ads.example', sourceEventId: '2', reports: 1 }];
  expect(await truthOfSession(session, Infinity)).toEqual(truth);
  expect(await truthOfSession(session, start + 3000)).toEqual([]);
});
