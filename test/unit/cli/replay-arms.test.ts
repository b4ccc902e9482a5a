import { main } from '../../../cli/main';
import { lotsOf, seededRandomStreams, seededSecret } from '../../../analysis/random/sources';
import { armOf } from '../../../recording/lift-test';
import type { JsonObject } from '../../../src/model/json';
import { moment, type Site } from '../../../src/model/units';
import { useCommands } from '../helpers/command';
import { START } from '../helpers/engine';

const { out, file } = useCommands();

const liftTest = { campaign: 'campaign', holdout: 0.5 };
const budget = { unit: 'user-advertiser', period: 7, epsilon: 4, cap: 4 };
const numbers = Array.from({ length: 8 }, (_, index) => index);

const request = (time: number, context: string, eligible: string, name: string, body: object): object => ({
  timestamp: String(time),
  registration_request: { context_origin: context, 'Attribution-Reporting-Eligible': eligible },
  responses: [
    { url: 'https://ads.example/', response: { [`Attribution-Reporting-Register-${name}`]: body } },
  ],
});

/** A source of a campaign of each of eight advertisers, and a conversion for each. */
const registrations = numbers.flatMap((index) => {
  const shop = `https://shop${index}.example`;
  const time = START + 10_000 * index;
  return [
    request(time, 'https://news.example', 'event-source', 'Source', {
      source_event_id: String(index),
      destination: shop,
      filter_data: { campaign: ['spring'] },
      trigger_data_matching: 'exact',
    }),
    request(time + 1000, shop, 'trigger', 'Trigger', {
      event_trigger_data: [
        { trigger_data: '2', filters: { arm: ['none'] } },
        { trigger_data: '0', filters: { arm: ['exposed'] } },
        { trigger_data: '1', filters: { arm: ['holdout'] } },
      ],
    }),
  ];
});

/** The trigger data of each source's report. */
async function replayed(...more: readonly string[]): Promise<readonly (readonly [unknown, unknown])[]> {
  const scenario = {
    cointoss: { settings: { liftTest, budget, aggregatableReports: false } },
    input: { registrations },
  };
  expect(await main(['replay', file('a.json', scenario), ...more])).toBe(0);
  const { reports } = JSON.parse(out.join('')) as {
    readonly reports: readonly { readonly payload: JsonObject }[];
  };
  return reports.map(({ payload }) => [payload['source_event_id'], payload['trigger_data']] as const).sort();
}

test('with a seed, sources have the arms of a device with the same seed', async () => {
  const lots = lotsOf(seededSecret(seededRandomStreams('s')));
  const armFor = (index: number): string =>
    armOf(
      liftTest,
      budget,
      {
        reportingSite: 'https://ads.example' as Site,
        destination: `https://shop${index}.example` as Site,
        name: 'spring',
      },
      moment(START + 10_000 * index),
      lots,
    );
  expect(await replayed('--seed', 's')).toEqual(
    numbers.map((index) => [String(index), armFor(index) === 'exposed' ? '0' : '1']),
  );
});

test('without a seed, nobody is in the test', async () => {
  expect(await replayed()).toEqual([]);
});
