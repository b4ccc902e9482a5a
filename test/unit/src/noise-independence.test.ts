import fc from 'fast-check';
import type { StoredEngine } from '../../../transactions/stored-engine';
import type { Registration } from '../../../src/model/incoming-registration';
import type { SourceType } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import { days, moment, type Moment } from '../../../src/model/units';
import { conditions, newEngine, sourceRegistration, START, triggerRegistration } from '../helpers/engine';
import { isLong } from '../helpers/is-long';

const NEVER = moment(8e15);

/** Sends whatever is due until then, as it falls due, and notes what event-level reports said. */
async function deliver(engine: StoredEngine, until: Moment, sent: Json[]): Promise<void> {
  for (let due = await engine.nextDue(); due !== null && due <= until; due = await engine.nextDue()) {
    for (const report of await engine.due(due)) {
      if (report.kind !== 'verbose-debug') sent.push({ kind: report.kind, due, body: report.body });
      await engine.recordAttempt(report.id, { kind: 'answered', status: 200 }, 'lossless', due);
    }
  }
}

/** The event-level output of sources that are noised, given what happens after them. */
async function output(
  sources: readonly Registration[],
  triggers: readonly Registration[],
  seed: string,
): Promise<{ sent: Json[]; replaced: number }> {
  const { engine } = newEngine({ seed });
  const sent: Json[] = [];
  let replaced = 0;
  for (const source of sources) {
    const entry = await engine.register(source, conditions({ kind: 'on' }));
    if (
      entry.kind === 'source' &&
      entry.decision.kind === 'stored' &&
      entry.decision.noise.kind === 'replaced'
    ) {
      replaced += 1;
    }
  }
  for (const trigger of [...triggers].sort((a, b) => a.occasion.time - b.occasion.time)) {
    await deliver(engine, trigger.occasion.time, sent);
    await engine.register(trigger, conditions({ kind: 'on' }));
  }
  await deliver(engine, NEVER, sent);
  return { sent: sent.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)), replaced };
}

// ε = 0 replaces every source. The small configurations make the output without reports frequent.
const epsilon = { event_level_epsilon: 0, debug_key: '1', debug_reporting: true };
const shapes: [string, SourceType, JsonObject][] = [
  ['event sources', 'event', {}],
  ['navigation sources', 'navigation', {}],
  ['sources with one possible report', 'event', { trigger_data: [0] }],
  [
    'flexible sources',
    'navigation',
    {
      max_event_level_reports: 2,
      trigger_specs: [
        { trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [2, 5] },
        { trigger_data: [2], event_report_windows: { end_times: [86400] }, summary_buckets: [1] },
      ],
    },
  ],
];

const trigger: fc.Arbitrary<Registration> = fc
  .record({
    offset: fc.oneof(
      fc.integer({ min: 0, max: days(31) }),
      fc.constantFrom(days(1), days(2), days(7), days(30)),
    ),
    trigger_data: fc.integer({ min: 0, max: 8 }).map(String),
    priority: fc.integer({ min: -3, max: 3 }).map(String),
    value: fc.integer({ min: 1, max: 6 }),
    deduplication_key: fc.constantFrom('1', '2', '3', '4', '5', '6'),
  })
  .map(({ offset, ...data }) =>
    triggerRegistration(
      { event_trigger_data: [data], debug_key: '2', debug_reporting: true },
      { time: moment(START + offset) },
    ),
  );

test.each(shapes)('what noised %s report never depends on conversions', async (_name, sourceType, fields) => {
  let withReports = 0;
  let without = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(trigger, { minLength: 1, maxLength: 8 }),
      fc.string({ maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      async (triggers, seed, count) => {
        const sources = Array.from({ length: count }, (_, index) =>
          sourceRegistration({ ...epsilon, ...fields, priority: String(index) }, sourceType),
        );
        const quiet = await output(sources, [], seed);
        expect(quiet.replaced).toBe(count);
        expect((await output(sources, triggers, seed)).sent).toEqual(quiet.sent);
        if (quiet.sent.length > 0) withReports += 1;
        else without += 1;
      },
    ),
    { numRuns: isLong ? 150 : 60 },
  );
  // Without both kinds of noise the test would prove little. (With 2,925 states the output is hardly ever empty.)
  expect(withReports).toBeGreaterThan(0);
  if (sourceType === 'event') expect(without).toBeGreaterThan(0);
});

test('what truthful sources report does depend on them', async () => {
  const truthful = [sourceRegistration({ event_level_epsilon: 14 }, 'event')];
  const conversion = triggerRegistration(undefined, { time: moment(START + 1) });
  expect(await output(truthful, [conversion], 'truth')).toMatchObject({
    sent: [{ kind: 'event-level' }],
    replaced: 0,
  });
  expect((await output(truthful, [], 'truth')).sent).toEqual([]);
});
