import { changeFor } from '../../../extension/pages/explain/change';
import { whySentence, whySteps } from '../../../extension/pages/explain/why';
import { showTime } from '../../../extension/pages/words/words';
import type { RegistrationEntry } from '../../../src/engine';
import type { LogEntry } from '../../../src/model/decision';
import type { Registration } from '../../../src/model/incoming-registration';
import type { JsonObject } from '../../../src/model/json';
import { after, seconds, type Origin } from '../../../src/model/units';
import {
  ADTECH,
  conditions,
  newEngine,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

const later = after(START, seconds(60));
const source = (fields: JsonObject = {}, at: object = {}): Registration =>
  sourceRegistration(fields, 'navigation', at);
const trigger = (fields: JsonObject, at: object = {}): Registration =>
  triggerRegistration(fields, { time: later, ...at });

/** Registers all in a new engine; the last one's entry, and the sources that are stored then. */
async function register(
  registrations: readonly Registration[],
): Promise<{ entry: RegistrationEntry; change: ReturnType<typeof changeFor>; deciding: string | undefined }> {
  const { engine, store } = newEngine();
  let entry: RegistrationEntry | undefined;
  for (const registration of registrations) entry = await engine.register(registration, conditions());
  if (entry === undefined) throw new Error('nothing was registered');
  const deciding = whySteps(entry, true).find((step) => step.deciding);
  const [sources, log] = await store.read((tx) =>
    Promise.all([tx.table('sources').latest(100), tx.table('log').latest(100)]),
  );
  return { entry, change: changeFor(entry, deciding, sources, log), deciding: deciding?.name };
}

const data = (fields: JsonObject = {}): JsonObject => ({
  event_trigger_data: [{ trigger_data: '1', ...fields }],
});
const scoped = {
  max_event_level_reports: 1,
  attribution_scopes: { limit: 3, values: ['shoes', 'hats'], max_event_states: 100 },
};

/** Each check, and registrations of which the last fails it. */
const mendable: readonly (readonly [check: string, registrations: readonly Registration[]])[] = [
  ['event-trigger-data', [source(), trigger({})]],
  ['matching-source', [source({ ...scoped }), trigger({ ...data(), attribution_scopes: ['x'] })]],
  ['matching-source', [source(), trigger({ ...data(), attribution_scopes: ['x'] })]],
  [
    'matching-source',
    [
      source({ ...scoped, filter_data: { a: ['1'] } }),
      trigger({ ...data(), attribution_scopes: ['x'], filters: { a: ['2'] } }),
    ],
  ],
  [
    'filters',
    [
      source({ filter_data: { a: ['1'], b: ['2'] } }),
      trigger({ ...data(), filters: { a: ['2'], b: ['2'] } }),
    ],
  ],
  [
    'filters',
    [
      source({ filter_data: { a: ['1'] } }),
      trigger({ ...data(), filters: [{ a: ['2'], source_type: ['event'] }, { a: ['3'] }] }),
    ],
  ],
  ['filters', [source({ filter_data: { a: ['1'] } }), trigger({ ...data(), not_filters: { a: ['1'] } })]],
  ['filters', [source(), trigger({ ...data(), filters: { _lookback_window: 30 } })]],
  ['filters', [source(), trigger({ ...data(), not_filters: { _lookback_window: 90 } })]],
  ['event-trigger-data-filters', [source(), trigger(data({ filters: { source_type: ['event'] } }))]],
  [
    'deduplication-key',
    [source(), trigger(data({ deduplication_key: '5' })), trigger(data({ deduplication_key: '5' }))],
  ],
  ['trigger-data', [source({ trigger_data: [3, 4], trigger_data_matching: 'exact' }), trigger(data())]],
  [
    'priority-over-report',
    [
      source({ max_event_level_reports: 1 }),
      trigger(data({ priority: '9' })),
      trigger(data({ priority: '5' })),
    ],
  ],
  [
    'channel-capacity',
    [sourceRegistration({ event_level_epsilon: 14, max_event_level_reports: 20 }, 'event')],
  ],
];

describe('the change that a registration needs', () => {
  it.each(mendable)('makes it pass "%s"', async (check, registrations) => {
    const { change, deciding } = await register(registrations);
    expect(deciding).toBe(check);
    const header = JSON.stringify(change?.header);
    const last = registrations.at(-1);
    if (last === undefined) throw new Error('there is no registration');
    const mended = await register([...registrations.slice(0, -1), { ...last, header }]);
    expect({ header, deciding: mended.deciding }).not.toEqual({ header, deciding: check });
    expect(mended.entry.kind).not.toBe('refused');
  });

  it('is about the source that needs the fewest', async () => {
    const other = 'https://other.example' as Origin;
    const { change } = await register([
      source({ destination: 'https://else.example', filter_data: { a: ['1'] } }),
      source({ source_event_id: '2' }, { reportingOrigin: other }),
      trigger({ ...data(), filters: { a: ['2'] } }),
    ]);
    expect(change).toMatchObject({ header: null });
    expect(change?.sentences).toEqual([
      `The conversion must be registered by other.example. It was registered by ${ADTECH.replace('https://', '')}.`,
    ]);
    expect(change?.cause).toBe(
      `other.example registered the nearest source, and ${ADTECH.replace('https://', '')} registered the conversion.`,
    );
  });

  it('is about a source of the same ad server rather than of another, if both need as many', async () => {
    const other = 'https://other.example' as Origin;
    const { change } = await register([
      source({ destination: 'https://else.example' }),
      source({}, { reportingOrigin: other }),
      trigger(data()),
    ]);
    expect(change?.cause).toMatch(/^The nearest source is for else\.example, and /);
  });

  it('is about the source that the filters were compared with, not one that matches by another ad server', async () => {
    const other = 'https://other.example' as Origin;
    const { change } = await register([
      source({ filter_data: { a: ['1'] }, priority: '2' }),
      source({ filter_data: { a: ['2'] }, priority: '1' }),
      source({}, { reportingOrigin: other }),
      trigger({ ...data(), filters: { a: ['2'] } }),
    ]);
    expect(change).toMatchObject({ sourceId: 1, header: { filters: { a: ['1'] } } });
  });

  it('is a report window that ends after the conversion', async () => {
    const twoDays = { time: after(START, seconds(2 * 86_400)) };
    const sold = trigger(data(), twoDays);
    const { change, deciding } = await register([source({ event_report_window: '3600' }), sold]);
    expect(deciding).toBe('report-window-open');
    const window = /at least ([\d,]+) seconds/.exec(String(change?.sentences))?.[1]?.replaceAll(',', '');
    const with1 = await register([source({ event_report_window: window ?? '' }), sold]);
    expect(with1.deciding).not.toBe('report-window-open');
    const less = await register([source({ event_report_window: String(Number(window) - 1) }), sold]);
    expect(less.deciding).toBe('report-window-open');
  });

  it('is a report window of the spec that has the conversion’s trigger data', async () => {
    const sold = trigger(
      { event_trigger_data: [{ trigger_data: '2' }] },
      { time: after(START, seconds(2 * 86_400)) },
    );
    const withFirst = (end: number): Registration =>
      source({
        trigger_data_matching: 'modulus',
        trigger_specs: [
          { trigger_data: [0], event_report_windows: { end_times: [end] } },
          { trigger_data: [1], event_report_windows: { end_times: [10 * 86_400] } },
        ],
      });
    const { change, deciding } = await register([withFirst(3600), sold]);
    expect(deciding).toBe('report-window-open');
    expect(change?.cause).toContain(`for trigger data 0 ended ${showTime(after(START, seconds(3600)))}, and`);
    expect(change?.sentences).toEqual([
      'In the source’s trigger_specs, give trigger data 0 a report window of at least 172,801 seconds (event_report_windows).',
    ]);
    expect((await register([withFirst(172_801), sold])).deciding).not.toBe('report-window-open');
  });

  it.each<[string, Registration, RegExp]>([
    ['was malformed', source({ priority: 'x' }), /registered nothing: priority: must be/],
    [
      'passed a limit',
      source({ event_level_epsilon: 14, max_event_level_reports: 20 }),
      /registered nothing: trigger state cardinality limit/,
    ],
    ['has expired', source({ expiry: 86_400 }), /expired before the conversion: Jan 16, 2027/],
  ])(
    'names the source that would have matched if it %s, not another that is kept',
    async (_why, missed, says) => {
      const { change } = await register([
        source({ destination: 'https://else.example' }),
        missed,
        trigger(data(), { time: after(START, seconds(2 * 86_400)) }),
      ]);
      expect(change?.cause).toMatch(says);
      expect(change?.entryId).toBe(2);
    },
  );

  it('is nothing where no source shares the destination or the reporting origin', async () => {
    const { change } = await register([trigger(data())]);
    expect(change).toBeNull();
  });

  it('keeps what the page wrote and did not have to change', async () => {
    const { change } = await register([
      source({ filter_data: { a: ['1'], b: ['2'] } }),
      trigger({ ...data(), debug_key: '77', filters: { a: ['2'], b: ['2'] } }),
    ]);
    expect(change?.header).toEqual({ ...data(), debug_key: '77', filters: { a: ['1'], b: ['2'] } });
  });
});

/** Mistakes after which a conversion finds no source. */
const unmatched: Readonly<Record<string, readonly Registration[]>> = {
  'another site': [source({ destination: 'https://else.example' }), trigger(data())],
  'another ad server': [source({}, { reportingOrigin: 'https://other.example' as Origin }), trigger(data())],
  'a refused source': [source({ priority: 'x' }), trigger(data())],
  'an expired source': [
    source({ expiry: 86_400 }),
    trigger(data(), { time: after(START, seconds(2 * 86_400)) }),
  ],
  'no attribution scope in common': [source(scoped), trigger({ ...data(), attribution_scopes: ['x'] })],
};

test('each cause for which no source matches has its own sentence, and so has each malformed header', async () => {
  const causes = await Promise.all(
    Object.values(unmatched).map(async (registrations) => (await register(registrations)).change?.cause),
  );
  expect(causes).not.toContain(undefined);
  expect(new Set(causes).size).toBe(causes.length);
  const noDestination = { destination: undefined } as unknown as JsonObject;
  const malformed = await Promise.all(
    [{ priority: 'x' }, { expiry: true }, { destination: 1, priority: 'x' }, noDestination].map(
      async (fields) => whySentence((await register([source(fields)])).entry, true),
    ),
  );
  expect(malformed).toEqual([
    expect.stringMatching(/^The header registered nothing: priority: must be .*, was "x"\.$/),
    expect.stringMatching(/^The header registered nothing: expiry: must be .*, was true\.$/),
    expect.stringMatching(/^The header registered nothing: .*\. It has one more mistake\.$/),
    // What is not a part of the header needs a subject.
    'The header registered nothing: it must have the field "destination".',
  ]);
});

test('an entry without a header does not speak of one, and a click whose way has none says where to send it', () => {
  const ignored = (header: string): LogEntry =>
    ({ kind: 'ignored', header, reason: { code: 'no-source-on-way', values: {} } }) as unknown as LogEntry;
  expect(whySentence(ignored(''), true)).toMatch(/^Nothing was registered: the click may register a source/);
  expect(whySentence(ignored('{}'), true)).toMatch(/^The header registered nothing: /);
  expect(changeFor(ignored(''), undefined, [])?.sentences.join()).toMatch(/^Send the header with the answer/);
});

test.each([
  [0, 0, /the server did not answer: start it, or correct the URL/, /^Start the server, or correct the URL/],
  [404, 0, /status 404 and no registration: correct the URL/, /^Correct the URL in attributionsrc, or/],
  [200, 0, /status 200 and no registration: it must send/, /^Cointoss requests .* answer that request/],
  [500, 0, /status 500 and no registration: it must send/, /^Cointoss requests .* answer that request/],
  [
    0,
    1,
    /that a redirect led to did not answer: start it/,
    /^Start the server that the redirect leads to, or/,
  ],
  [
    404,
    1,
    /redirect led to .* 404 and no registration: correct/,
    /^Correct the Location of the redirect, or/,
  ],
  [
    200,
    2,
    /redirect led to .* 200 .*, or a redirect .* must have/,
    /^Cointoss requests .* answer that request/,
  ],
])(
  'an answer to attributionsrc with status %p after %p redirects and no registration says what to change',
  (status, redirects, why, fix) => {
    const entry = {
      kind: 'ignored',
      header: '',
      reason: { code: 'no-registration', values: { status, redirects } },
    } as unknown as LogEntry;
    expect(whySentence(entry, true)).toMatch(why);
    const change = changeFor(entry, undefined, [])?.sentences.join() ?? '';
    expect(change).toMatch(fix);
    expect(change).toMatch(/Register-Source or Attribution-Reporting-Register-Trigger\.$/);
  },
);
