import { lotsOf, seededSecret, seededRandomStreams } from '../../../analysis/random/sources';
import { simulateUser, type Simulation } from '../../../analysis/simulation/user';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { replaySettings } from '../../../analysis/scenario/scenario';
import { armOf, withArm, withoutArm, type Arm, type Campaign } from '../../../recording/lift-test';
import { parseSettings } from '../../../formats/settings/parse-settings';
import { chromiumLimits } from '../../../src/model/limits';
import type { Source } from '../../../src/model/records';
import type { Json, JsonObject } from '../../../src/model/json';
import { after, days, epsilon, type Site } from '../../../src/model/units';
import { sourceRegistration, START, triggerRegistration } from '../helpers/engine';
import { accepted } from '../helpers/parsing';

const weekly = { period: 7 };

const spring: Campaign = {
  reportingSite: 'https://ads.example' as Site,
  destination: 'https://shop.example' as Site,
  name: 'spring',
};

const drawn = (device: number, campaign = spring, holdout = 0.5, time = START): Arm =>
  armOf({ holdout }, weekly, campaign, time, lotsOf(`device ${device}`));

const DEVICES = 4000;
const devices = Array.from({ length: DEVICES }, (_, device) => device);

test.each([0.1, 0.5, 0.9])('a share of %d of the devices is held out', (share) => {
  const held = devices.filter((device) => drawn(device, spring, share) === 'holdout').length;
  // Fixed seeds. Five standard deviations: other seeds would fail with a chance below 6e-7.
  expect(Math.abs(held - share * DEVICES)).toBeLessThan(5 * Math.sqrt(share * (1 - share) * DEVICES));
});

test('a device keeps its arm for a period, and draws each campaign and period by itself', () => {
  const later = after(START, days(21));
  const others: readonly (readonly [Campaign, typeof START])[] = [
    [{ ...spring, name: 'summer' }, START],
    [{ ...spring, reportingSite: 'https://other.example' as Site }, START],
    [{ ...spring, destination: 'https://mall.example' as Site }, START],
    [spring, later],
  ];
  for (const [campaign, time] of others) {
    const equal = devices.filter((device) => drawn(device) === drawn(device, campaign, 0.5, time)).length;
    expect(Math.abs(equal - DEVICES / 2)).toBeLessThan(2.5 * Math.sqrt(DEVICES));
  }
  const startOfWeek = Math.floor(START / days(7)) * days(7);
  for (const device of devices.slice(0, 50))
    expect(drawn(device, spring, 0.5, (startOfWeek + days(6)) as typeof START)).toBe(drawn(device));
});

test('the more are held out, the more of the same devices are', () => {
  for (const device of devices.slice(0, 200))
    if (drawn(device, spring, 0.3) === 'holdout') expect(drawn(device, spring, 0.6)).toBe('holdout');
});

describe('a source', () => {
  const asked: Campaign[] = [];
  const filterData = (fields: JsonObject): Json => {
    const registration = withArm(
      sourceRegistration(fields, 'event'),
      { campaign: 'campaign' },
      (campaign) => {
        asked.push(campaign);
        return 'holdout';
      },
    );
    return (JSON.parse(registration.header) as JsonObject)['filter_data'] ?? null;
  };
  const destination = 'https://www.shop.example';

  test('of a campaign says its arm', () => {
    asked.length = 0;
    const data = { campaign: ['spring'], other: ['x'] };
    expect(filterData({ destination: [destination], filter_data: data })).toEqual({
      ...data,
      arm: ['holdout'],
    });
    expect(asked).toMatchObject([{ destination: 'https://shop.example', name: 'spring' }]);
  });

  test('of two destinations of one site says its arm', () => {
    asked.length = 0;
    const to = ['https://shop.example', destination];
    const data = { campaign: ['spring'] };
    expect(filterData({ destination: to, filter_data: data })).toEqual({ ...data, arm: ['holdout'] });
    expect(asked).toMatchObject([{ destination: 'https://shop.example', name: 'spring' }]);
  });

  test.each<[string, JsonObject]>([
    ['without filter data', { destination }],
    ['without a campaign', { destination, filter_data: { other: ['x'] } }],
    ['of two campaigns', { destination, filter_data: { campaign: ['a', 'b'] } }],
    ['whose campaign is no text', { destination, filter_data: { campaign: [1] } }],
    ['whose arm an ad server drew', { destination, filter_data: { campaign: ['a'], arm: ['exposed'] } }],
    [
      'of two destinations',
      { destination: [destination, 'https://mall.example'], filter_data: { campaign: ['a'] } },
    ],
    ['without a valid destination', { destination: 'shop', filter_data: { campaign: ['a'] } }],
    [
      'of which one destination is not valid',
      { destination: [destination, 'shop'], filter_data: { campaign: ['a'] } },
    ],
    ['without destinations', { destination: [], filter_data: { campaign: ['a'] } }],
  ])('%s is as it was', (_, fields) => {
    expect(filterData(fields)).toEqual(fields['filter_data'] ?? null);
  });

  test('a click, a text that is no JSON, and a trigger, stay as they are', () => {
    const never = (): Arm => {
      throw new Error('nobody asks');
    };
    const click = sourceRegistration({ destination, filter_data: { campaign: ['a'] } });
    expect(withArm(click, { campaign: 'campaign' }, never)).toBe(click);
    const broken = { ...sourceRegistration({}, 'event'), header: '{"filter_data": {"campaign": ["a"]' };
    expect(withArm(broken, { campaign: 'campaign' }, never)).toBe(broken);
    const trigger = triggerRegistration();
    expect(withArm(trigger, { campaign: 'campaign' }, never)).toBe(trigger);
  });
});

const charged = { unit: 'user-advertiser', epsilon: 4, cap: 2 };
const liftTest = { campaign: 'campaign', holdout: 0.5 };

test.each<[JsonObject, string | null]>([
  [{ liftTest, budget: charged }, null],
  [{ liftTest, budget: { ...charged, unit: 'user' } }, null],
  [{ liftTest, budget: { ...charged, unit: 'user-publisher' } }, 'lift-test-without-budget'],
  [{ liftTest }, 'lift-test-without-budget'],
  [{ liftTest, budget: { unit: 'user', epsilon: null, cap: null } }, 'lift-test-without-budget'],
  [{ liftTest, budget: charged, aggregatableReports: true }, 'lift-test-with-aggregatable'],
  [
    { liftTest, budget: charged, attribution: { kind: 'permute-and-flip', epsilon: 1, tau: 1 } },
    'lift-test-with-private-attribution',
  ],
  ...['', 'arm', 'source_type', '_campaign'].map((campaign): [JsonObject, string] => [
    { liftTest: { campaign, holdout: 0.5 }, budget: charged },
    'campaign-key',
  ]),
  [{ liftTest: { campaign: 'campaign', holdout: 0 }, budget: charged }, 'must-be'],
  [{ liftTest: { campaign: 'campaign', holdout: 1 }, budget: charged }, 'must-be'],
])('settings %j: %s', (settings, code) => {
  expect(parseSettings(settings).errors.map((issue) => issue.code)).toEqual(code === null ? [] : [code]);
});

test('a simulated person has the arms of a device with the same seed, and reports name them by their data', async () => {
  const seed = JSON.stringify(['a', 'ada']);
  const settings = accepted(parseSettings({ liftTest, budget: { ...charged, cap: 20 } }, replaySettings));
  const simulation: Simulation = {
    settings,
    limits: chromiumLimits,
    noise: false,
    allocation: 'per-cap',
    matching: null,
  };
  const names = Array.from({ length: 8 }, (_, index) => `campaign-${index}`);
  const lines = names.flatMap((name, index): readonly Json[] => {
    const at = START + index * days(1);
    const request = (
      time: number,
      context: string,
      eligible: string,
      header: string,
      fields: JsonObject,
    ): JsonObject => ({
      user: 'ada',
      timestamp: String(time),
      registration_request: { context_origin: context, 'Attribution-Reporting-Eligible': eligible },
      responses: [
        { url: 'https://ads.example/', response: { [`Attribution-Reporting-Register-${header}`]: fields } },
      ],
    });
    return [
      request(at, 'https://news.example', 'event-source', 'Source', {
        source_event_id: String(index),
        destination: `https://shop${index}.example`,
        filter_data: { campaign: [name] },
      }),
      request(at + 1000, `https://shop${index}.example`, 'trigger', 'Trigger', {
        event_trigger_data: [
          { trigger_data: '0', filters: { arm: ['exposed'] } },
          { trigger_data: '1', filters: { arm: ['holdout'] } },
        ],
      }),
    ];
  });
  const events = lines.map((line) => accepted(parseLogLine(line)).event);
  const random = seededRandomStreams(seed);
  const { reports } = await simulateUser(events, simulation, random);
  const lots = lotsOf(seededSecret(random));
  const expected = names.map((name, index): readonly [string, string] => {
    const destination = `https://shop${index}.example` as Site;
    const time = (START + index * days(1)) as typeof START;
    const arm = armOf(
      liftTest,
      settings.budget,
      { reportingSite: spring.reportingSite, destination, name },
      time,
      lots,
    );
    return [String(index), arm === 'exposed' ? '0' : '1'];
  });
  // With other arms, these would be equal with a chance of 1/256.
  expect(new Set(expected.map(([, data]) => data)).size).toBe(2);
  const found = reports.map(({ payload }) => payload as JsonObject);
  expect(found.map((body) => [body['source_event_id'], body['trigger_data']]).sort()).toEqual(expected);
  expect(settings.budget.epsilon).toBe(epsilon(4));
});

test.each([
  ['event', ['exposed'], []],
  ['event', ['holdout'], []],
  ['event', ['left'], null],
  ['event', ['exposed', 'holdout'], null],
  ['navigation', ['exposed'], null],
] as const)('when a test is over, a source of type %s with the arm %j has %j', (sourceType, arm, left) => {
  const source = { sourceType, registration: { filterData: new Map([['arm', arm]]) } } as unknown as Source;
  expect(withoutArm(source)?.registration.filterData.get('arm') ?? null).toEqual(left);
});
