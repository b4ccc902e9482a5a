import fc from 'fast-check';
import { chromiumLimits } from '../../../src/model/limits';
import type { Json } from '../../../src/model/json';
import { seededRandomSource } from '../../../analysis/random/sources';
import { replay } from '../../../analysis/scenario/replay';
import { parseScenario } from '../../../analysis/scenario/scenario';
import { accepted } from '../helpers/parsing';

const MAX_ATTRIBUTIONS = 3;
const MAX_REPORTS = 2;

interface Request {
  readonly context_origin: string;
  readonly 'Attribution-Reporting-Eligible'?: string;
}

const at = (request: Request, headers: Json): Json => ({
  timestamp: '1000',
  registration_request: { ...request },
  responses: [{ url: 'https://adtech.example/register', response: headers }],
});

const source = fc
  .record({
    id: fc.nat(5).map(String),
    priority: fc.integer({ min: -2, max: 2 }).map(String),
    navigation: fc.boolean(),
  })
  .map(({ id, priority, navigation }) =>
    at(
      {
        context_origin: 'https://news.example',
        'Attribution-Reporting-Eligible': navigation ? 'navigation-source' : 'event-source',
      },
      {
        'Attribution-Reporting-Register-Source': {
          destination: 'https://shop.example',
          source_event_id: id,
          priority,
          max_event_level_reports: MAX_REPORTS,
          event_report_windows: { end_times: [3600, 86400] },
          trigger_data: [0, 1],
        },
      },
    ),
  );

const trigger = fc
  .record({ trigger_data: fc.nat(3).map(String), priority: fc.integer({ min: -2, max: 2 }).map(String) })
  .map((data) =>
    at(
      { context_origin: 'https://shop.example' },
      { 'Attribution-Reporting-Register-Trigger': { event_trigger_data: [data] } },
    ),
  );

const scenario = (registrations: readonly Json[]): Json => ({
  api_config: { rate_limit_max_attributions: String(MAX_ATTRIBUTIONS) },
  input: { registrations },
});

test('replaying any order of registrations at one time gives no more reports than the limits allow', async () => {
  const registrations = fc.array(fc.oneof(source, trigger), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(registrations, async (list) => {
      const parsed = accepted(parseScenario(scenario(list), chromiumLimits));
      const options = { random: (stream: number) => seededRandomSource('replay', stream), noise: false };
      const reports = await replay(parsed, options);
      // One reporting site, one source site, one destination: all reports count together.
      expect(reports.length).toBeLessThanOrEqual(MAX_ATTRIBUTIONS);
      // All triggers fall into the first window of sources of the same time.
      for (const { report_time, payload } of reports) {
        expect(report_time).toBe('3601000');
        expect(payload).toMatchObject({ attribution_destination: 'https://shop.example' });
      }
    }),
    { numRuns: 200 },
  );
});

test('the order of triggers alone does not change how many reports there are', async () => {
  const cases = fc
    .array(trigger, { minLength: 1, maxLength: 8 })
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  const options = { random: (stream: number) => seededRandomSource('replay', stream), noise: false };
  await fc.assert(
    fc.asyncProperty(source, cases, async (first, [list, shuffled]) => {
      const counts = [];
      for (const triggers of [list, shuffled]) {
        const parsed = accepted(parseScenario(scenario([first, ...triggers]), chromiumLimits));
        counts.push((await replay(parsed, options)).length);
      }
      // Trigger data 2 and 3 count as 0 and 1, so that each trigger can make a report, up to the source's maximum.
      expect(counts).toEqual([Math.min(list.length, MAX_REPORTS), Math.min(list.length, MAX_REPORTS)]);
    }),
    { numRuns: 100 },
  );
});
