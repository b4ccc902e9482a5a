import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { labelOf, TrialComparison } from '../../../extension/pages/views/consent/trial-comparison';
import { publicTextOf } from '../../../collector/intake/token-keys';
import { parseTrial, serializeTrial } from '../../../formats/settings/parse-trial';
import type { Trial } from '../../../formats/settings/trial';
import type { Json, JsonObject } from '../../../src/model/json';
import { newTokenKey } from '../helpers/tokens';

const key = publicTextOf(newTokenKey());

function tokens(from = '2027-01-01T00:00Z'): JsonObject {
  return { batch: 3, periods: [{ from, key }], until: '2027-06-01T00:00Z' };
}

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

/** What differs between a trial and one with something else: the label, and both values, each as the page shows it. */
function differing(more: JsonObject): readonly (readonly string[])[] {
  const [agreed, offered] = [{}, more].map((each) => ({ trial: trialWith(each), signer: null }));
  const html = renderToString(h(TrialComparison, { agreed, offered, isRunning: true } as never));
  return html
    .split('<tbody')
    .filter((part) => part.includes('class="differs"'))
    .map((part) =>
      [...part.matchAll(/<t[hd].*?<\/t[hd]>/g)].map(([cell]) => textIn(cell).replace(/ differs$/, '')),
    );
}

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
      ['Joint budget: sourceSite', '3', '2'],
    ],
    [{ attribution: { kind: 'last-touch' } }, ['Model: kind', '"priority"', '"last-touch"']],
  ])('%j', (settings, row) => {
    expect(differing({ settings })).toEqual([row]);
  });

  const leaves = (path: string, value: Json): readonly string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, one]) => leaves(`${path}.${name}`, one))
      : [path];

  test('whatever a trial can set', () => {
    const { settings } = serializeTrial(trialWith({})) as { readonly settings: JsonObject };
    expect(Object.keys(settings).length).toBeGreaterThan(5);
    for (const path of leaves('settings', settings)) {
      const label = renderToString(h('p', null, labelOf(path)));
      expect([path, label]).toEqual([path, expect.not.stringContaining('settings.')]);
      expect(label).not.toContain('<code>settings');
    }
    for (const path of ['registrations', 'tokens.batch', 'tokens.periods'])
      expect(renderToString(h('p', null, labelOf(path)))).not.toContain('<code>');
  });
});
