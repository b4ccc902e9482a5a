import { Erasing } from '../../../extension/background/record/erasing';
import type { ErasingScope } from '../../../extension/erasing/erase-part';
import type { Registration } from '../../../src/model/incoming-registration';
import type { JsonObject } from '../../../src/model/json';
import { after, days, type Moment, type Origin } from '../../../src/model/units';
import type { Store } from '../../../transactions/store';
import {
  conditions,
  contents,
  newEngine,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

const on = (day: number): Moment => after(START, days(day));
const scopes = (value: string): JsonObject => ({
  attribution_scopes: { values: [value], limit: 3, max_event_states: 3 },
});

/** Of one reporting site, too far from each other for most rate limits. */
const cases: Record<string, readonly [kept: Registration, erased: Registration]> = {
  'the same again': [sourceRegistration(), sourceRegistration({}, 'navigation', { time: on(2) })],
  'another origin of the reporting site': [
    sourceRegistration(),
    sourceRegistration({}, 'navigation', {
      time: on(2),
      reportingOrigin: 'https://other.adtech.example' as Origin,
    }),
  ],
  'an outranked claim': [
    sourceRegistration({ destination_limit_priority: '9', expiry: 2_592_000 }),
    sourceRegistration({ expiry: 86_400 }, 'navigation', { time: on(2) }),
  ],
  'another scope': [
    sourceRegistration(scopes('a')),
    sourceRegistration(scopes('b'), 'navigation', { time: on(2) }),
  ],
};

/** What limits count, without ids. */
async function usesIn(store: Store): Promise<unknown> {
  const { siteUse, partyUse, pairUse, originUse, candidateUse } = await contents(store);
  return JSON.parse(
    JSON.stringify({ siteUse, partyUse, pairUse, originUse, candidateUse }, (key, value: unknown) =>
      key === 'source'
        ? undefined
        : typeof value === 'bigint'
          ? String(value)
          : value instanceof Map || value instanceof Set
            ? [...(value as Iterable<unknown>)]
            : value,
    ),
  );
}

async function storeWith(registrations: readonly Registration[]): Promise<Store> {
  const { engine, store } = newEngine();
  for (const registration of registrations)
    expect(await engine.register(registration, conditions())).toMatchObject({ decision: { kind: 'stored' } });
  return store;
}

const timeOf = ({ occasion }: Registration): ErasingScope => ({
  kind: 'time',
  from: occasion.time,
  to: occasion.time,
});

describe.each(Object.keys(cases))(
  'after the time of a source is erased, limits count the other alone: %s',
  (name) => {
    const [first, second] = cases[name] as readonly [Registration, Registration];

    test.each([
      ['the later one', second, first],
      ['the earlier one', first, second],
    ])('%s', async (_which, erased, kept) => {
      const store = await storeWith([first, second]);
      await new Erasing(store).erase(timeOf(erased));
      expect(await usesIn(store)).toEqual(await usesIn(await storeWith([kept])));
    });
  },
);

test('an undone erasure leaves the claims in their order, with those that were made since', async () => {
  const { engine, store } = newEngine();
  const claim = (day: number, priority: number): Registration =>
    sourceRegistration(
      { destination_limit_priority: String(priority), expiry: 86_400 * (20 - priority) },
      'navigation',
      { time: on(day) },
    );
  await engine.register(claim(0, 0), conditions());
  await engine.register(claim(1, 5), conditions());
  const erasing = new Erasing(store);
  await erasing.erase(timeOf(claim(1, 5)));
  await engine.register(claim(2, 9), conditions());
  await erasing.undo();
  const [party] = await store.read((tx) => tx.table('partyUse').latest(1));
  const [claimed] = party?.destinations ?? [];
  expect(claimed?.claims.map(({ priority }) => priority)).toEqual([9n, 5n, 0n]);
});

test('an undone erasure counts a source whose scopes were removed since as one that has them again', async () => {
  const { engine, store } = newEngine();
  const specs = {
    trigger_specs: [
      { trigger_data: [0], event_report_windows: { end_times: [864_000] }, summary_buckets: [1, 2] },
    ],
  };
  await engine.register(sourceRegistration({ ...specs, ...scopes('a') }), conditions());
  const conversion = triggerRegistration(
    { event_trigger_data: [{}], attribution_scopes: ['a'] },
    { time: on(1) },
  );
  await engine.register(conversion, conditions());
  const erasing = new Erasing(store);
  await erasing.erase(timeOf(conversion));
  await engine.register(sourceRegistration({}, 'navigation', { time: on(2) }), conditions());
  await erasing.undo();
  const { candidateUse } = await contents(store);
  expect(candidateUse).toMatchObject([{ plain: 1, scoped: 1, scopes: ['a'] }]);
});
