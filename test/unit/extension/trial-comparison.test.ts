import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { TrialComparison } from '../../../extension/pages/views/consent/trial-comparison';
import { labelOf } from '../../../extension/pages/views/consent/trial-fields';
import { publicTextOf } from '../../../collector/intake/token-keys';
import { parseTrial, serializeTrial } from '../../../formats/settings/parse-trial';
import { canonical } from '../../../formats/codec/plain-json';
import type { Trial } from '../../../formats/settings/trial';
import type { Json, JsonObject } from '../../../src/model/json';
import type { Path } from '../../../extension/pages/explain/json-differences';
import { newTokenKey } from '../helpers/tokens';

const key = publicTextOf(newTokenKey());

function tokens(from = '2027-01-01T00:00Z'): JsonObject {
  return { batch: 3, periods: [{ from, key }], until: '2027-06-01T00:00Z' };
}

const aggregationKey = Buffer.alloc(32, 9).toString('base64');

const stated: JsonObject = {
  ...{ name: 'Ad', sourceType: 'event' },
  registration: { destination: 'https://shop.example' },
};

const full: JsonObject = {
  id: 'ad-recall-2027',
  version: 2,
  title: 'Ad recall',
  researcher: { name: 'University of Example', contact: 'trial@uni.example' },
  information: { en: 'English' },
  settings: {
    collector: 'https://localhost:8443',
    budget: {
      ...{ unit: 'user', epsilon: 3, cap: 10, period: 30 },
      joint: { epsilon: 3, reportingSite: 3, sourceSite: 3, destination: 3 },
    },
  },
  end: '2027-03-31T18:00Z',
  registrations: [stated],
  tokens: tokens(),
};

function trialWith(more: JsonObject): Trial {
  const settings = { ...(full['settings'] as JsonObject), ...(more['settings'] as JsonObject | undefined) };
  const { value, errors } = parseTrial({ ...full, ...more, settings });
  if (value === null) throw new Error(JSON.stringify(errors));
  return value;
}

const textIn = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
    .trim();

const compared = (before: JsonObject, after: JsonObject): string => {
  const [agreed, offered] = [before, after].map((each) => ({ trial: trialWith(each), signer: null }));
  return renderToString(h(TrialComparison, { agreed, offered, isRunning: true } as never));
};

/** What differs between two trials: the label, and both values, each as the page shows it. */
const differing = (after: JsonObject, before: JsonObject = {}): readonly (readonly string[])[] =>
  compared(before, after)
    .split('<tbody')
    .filter((part) => part.includes('class="differs"'))
    .map((part) =>
      [...part.matchAll(/<t[hd].*?<\/t[hd]>/g)].map(([cell]) => textIn(cell).replace(/ differs$/, '')),
    );

/** The labels of all rows, in order. */
const labelsIn = (html: string): readonly string[] =>
  [...html.matchAll(/<th colspan="2".*?<\/th>/gi)].map(([label]) =>
    textIn(label).replace(/ (differs|the same)$/, ''),
  );

const FIXED = ['Reports go to', 'Run by', 'Contact', 'Signed with the key', 'Until'];

function rule(id: string, more: JsonObject = {}): JsonObject {
  return {
    ...{ id, matches: ['https://shop.example/*'], selector: null, on: 'visit', register: 'trigger' },
    ...{ reportingOrigin: 'https://adtech.example', registration: {} },
    ...more,
  };
}

const withRules = (...rules: readonly JsonObject[]): JsonObject => ({ settings: { rules } });
const withRegistration = (more: JsonObject): JsonObject => ({
  registrations: [{ ...stated, registration: { destination: 'https://shop.example', ...more } }],
});
const values = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `v${n}`);

describe('a trial with very much in it', () => {
  test('has one row for a list of values, after who gets what', () => {
    const before = withRules(rule('a', { registration: { filters: { k: [] } } }));
    const after = withRules(rule('a', { registration: { filters: { k: values(50_000) } } }));
    expect(labelsIn(compared(before, after))).toEqual([
      ...FIXED,
      'Recording rules: [0].registration.filters.k',
    ]);
  });

  test('has rows for 100 values, and counts the others', () => {
    const fields = Object.fromEntries(values(5000).map((name) => [name, name]));
    const labels = labelsIn(compared(withRules(rule('a')), withRules(rule('a', { registration: fields }))));
    expect(labels.slice(0, 5)).toEqual(FIXED);
    expect(labels).toHaveLength(5 + 100 + 1);
    expect(labels.at(-1)).toBe('… and 4,900 more values differ');
  });

  test('hides no other recipient among other values', () => {
    const fields = Object.fromEntries(values(500).map((name) => [name, name]));
    const many = rule('a', { registration: fields });
    const thief = 'https://thief.example';
    expect(
      differing(withRules(many, rule('b', { reportingOrigin: thief })), withRules(rule('a'), rule('b'))),
    ).toContainEqual(['Recording rules: [1].reportingOrigin', '"https://adtech.example"', `"${thief}"`]);
    const [, , added = ''] = differing(withRules(many, rule('b')), withRules(rule('a')))[0] ?? [];
    expect(added).toContain('"reportingOrigin":"https://adtech.example"');
    const key = { id: 'k', key: aggregationKey };
    expect(
      differing({ settings: { rules: [many], aggregationKeys: [key] } }, withRules(rule('a'))).map(
        ([label]) => label,
      ),
    ).toContain('Keys for aggregatable reports: Entry 1');
  });
});

describe('of two lists', () => {
  test('one item more, at the front, is one difference', () => {
    expect(differing(withRules(rule('c'), rule('a'), rule('b')), withRules(rule('a'), rule('b')))).toEqual([
      ['Recording rules: [0]', '–', canonical(rule('c'))],
    ]);
  });

  test('the same items in another order differ', () => {
    expect(
      differing(withRules(rule('b'), rule('a')), withRules(rule('a'), rule('b'))).map(([label]) => label),
    ).toEqual(['Recording rules']);
  });

  test('an item that changes beside another one moved differs, too', () => {
    const [before, after] = [
      withRules(rule('a'), rule('b'), rule('c')),
      withRules(rule('b'), rule('a'), rule('c', { reportingOrigin: 'https://thief.example' })),
    ];
    expect(differing(after, before).map(([label]) => label)).toEqual([
      'Recording rules',
      'Recording rules: [2].reportingOrigin',
    ]);
  });

  test('an item that comes twice is not the same as one that comes once', () => {
    expect(differing({ registrations: [stated, stated] }, { registrations: [stated] })).toHaveLength(1);
  });

  test('long ones leave out what both have', () => {
    const withValues = (k: readonly string[]): JsonObject =>
      withRules(rule('a', { registration: { filters: { k } } }));
    const long = values(500);
    expect(differing(withValues(['new', ...long]), withValues(long))).toEqual([
      [
        'Recording rules: [0].registration.filters.k',
        'and 500 that both have',
        '"new", and 500 that both have',
      ],
    ]);
  });
});

test('numbers that differ look different', () => {
  const { budget } = full['settings'] as { readonly budget: JsonObject };
  const joint = { ...(budget['joint'] as JsonObject), epsilon: 3.000_000_000_01 };
  expect(differing({ settings: { budget: { ...budget, epsilon: 3.000_000_000_01, joint } } })).toEqual([
    ['ε for each reporting site', '3', '3.00000000001'],
    ['Joint budget: ε', '3', '3.00000000001'],
  ]);
});

test('a field with a name that every object has is a value like others', () => {
  expect(differing(withRegistration({ filter_data: { constructor: ['x'] } }), withRegistration({}))).toEqual([
    ['Ads that the trial states: [0].registration.filter_data.constructor', '–', '["x"]'],
  ]);
});

test('a name cannot turn the text beside it', () => {
  const html = compared(withRegistration({}), withRegistration({ filter_data: { 'k\u202e': ['x'] } }));
  expect(html).toContain('<bdi>k\u202e</bdi>');
});

test('a collector without TLS is another one', () => {
  expect(differing({ settings: { collector: 'http://localhost:8443' } })).toEqual([
    ['Reports go to', 'https://localhost:8443', 'http://localhost:8443'],
  ]);
});

test.each([
  ['a second earlier', '2027-03-31T17:59:59Z'],
  ['seconds later, in the same minute', '2027-03-31T18:00:30Z'],
])('an end that is %s is another one, and looks like another one', (_, end) => {
  const rows = differing({ end });
  expect(rows.map(([label]) => label)).toEqual(['Until']);
  for (const [, agreed, offered] of rows) expect(agreed).not.toBe(offered);
});

/** Another value of each field that a trial can have but its settings, by the label. */
const others: Readonly<
  Record<
    Exclude<keyof Trial, 'settings' | 'signature'>,
    readonly (readonly [label: string, more: JsonObject])[]
  >
> = {
  id: [['Id', { id: 'ad-recall-2028' }]],
  version: [['Version', { version: 3 }]],
  title: [['Title', { title: 'Ad recall!' }]],
  researcher: [
    ['Run by', { researcher: { name: 'University of Examples', contact: 'trial@uni.example' } }],
    ['Contact', { researcher: { name: 'University of Example', contact: 'other@uni.example' } }],
  ],
  information: [['Information', { information: { en: 'Other' } }]],
  registrations: [
    ['Ads that the trial states: [0]', { registrations: [] }],
    ['Ads that the trial states: [0].name', { registrations: [{ ...stated, name: 'Banner' }] }],
    ['Ads that the trial states: [1]', { registrations: [stated, stated] }],
  ],
  start: [['From', { start: '2027-01-01T00:00Z' }]],
  end: [['Until', { end: '2027-03-31T18:01Z' }]],
  tokens: [
    ['Tokens for each period', { tokens: { ...tokens(), batch: 4 } }],
    ['Periods and keys of the tokens: [0].from', { tokens: tokens('2027-01-02T00:00Z') }],
    ['Tokens until', { tokens: { ...tokens(), until: '2027-06-01T00:00:01Z' } }],
  ],
};

test.each(Object.values(others).flat())('%s is compared', (label, more) => {
  expect(differing(more).map(([name]) => name)).toEqual([label]);
});

test('who signed is compared', () => {
  const trial = trialWith({});
  const compared = {
    agreed: { trial, signer: 'one key' },
    offered: { trial, signer: null },
    isRunning: true,
  };
  const html = renderToString(h(TrialComparison, compared));
  expect(html.split('<tbody').filter((part) => part.includes('class="differs"'))).toEqual([
    expect.stringMatching(/Signed with the key.*one key.*not signed/i),
  ]);
});

describe('has the names and values of the options page:', () => {
  const budget = (full['settings'] as JsonObject)['budget'] as JsonObject;

  test.each<[JsonObject, readonly string[]]>([
    [{ budget: { ...budget, period: 7 } }, ['Period', '30', '7']],
    [{ budget: { ...budget, unit: 'user-publisher' } }, ['Privacy unit', 'person', 'person × publisher']],
    [{ w3cAttribution: true }, ['Offer W3C Attribution', 'off', 'on']],
    [{ limits: 'specification' }, ['What limits count', 'Private', 'As specified']],
    [
      { budget: { ...budget, joint: { ...(budget['joint'] as JsonObject), sourceSite: 2 } } },
      ['Joint budget: ε for one site with ads', '3', '2'],
    ],
    [{ attribution: { kind: 'last-touch' } }, ['Model', 'Priority', 'Last touch']],
  ])('%j', (settings, row) => {
    expect(differing({ settings })).toEqual([row]);
  });

  test('with its fields and choices', () => {
    const model = { kind: 'exponential', epsilon: 3, score: 'linear', unit: 'days', tau: 2, gap: null };
    const other = { ...model, score: 'exponential', tau: 2.5 };
    expect(differing({ settings: { attribution: other } }, { settings: { attribution: model } })).toEqual([
      ['Model: Score', 'linear', 'exponential'],
      ['Model: τ', '2', '2.5'],
    ]);
  });

  const leaves = (path: Path, value: Json): readonly Path[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, one]) => leaves([...path, name], one))
      : [path];

  test('whatever a trial can set', () => {
    const { settings } = serializeTrial(trialWith({})) as { readonly settings: JsonObject };
    expect(Object.keys(settings).length).toBeGreaterThan(5);
    for (const path of leaves(['settings'], settings)) {
      const label = renderToString(h('p', null, labelOf(path)));
      expect([path, label]).toEqual([path, expect.not.stringContaining('<code>')]);
    }
    for (const path of [['registrations'], ['tokens', 'batch'], ['tokens', 'periods']])
      expect(renderToString(h('p', null, labelOf(path)))).not.toContain('<code>');
  });
});
