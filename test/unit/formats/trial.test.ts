import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/model/json';
import { defaultSettings } from '../../../formats/settings/settings';
import type { Trial } from '../../../formats/settings/trial';
import { moment } from '../../../src/model/units';
import {
  lockedIn,
  settingsInTrial,
  consentStatusOf,
  trialIdOf,
  type ConsentStatus,
} from '../../../extension/consent/agreement';
import { textFor } from '../../../formats/settings/localized-text';
import { parseTrial, serializeTrial } from '../../../formats/settings/parse-trial';
import { english } from '../../../words/english';
import { jointly } from '../helpers/budgets';

type Document = JsonObject;

const budget = { unit: 'user', epsilon: 3, cap: 10, joint: jointly(3) } as const;

const full: Document = {
  id: 'ad-recall-2027',
  version: 2,
  title: 'Ad recall',
  researcher: { name: 'University of Example', contact: 'trial@uni.example' },
  information: { en: 'English', de: 'Deutsch', 'pt-BR': 'Português' },
  settings: { collector: 'https://collector.example', budget },
  start: '2027-01-01T00:00:00+01:00',
  end: '2027-03-31T18:00Z',
};

const trialOf = (document: Json): Trial => {
  const { value, errors } = parseTrial(document);
  if (value === null) throw new Error(JSON.stringify(errors));
  return value;
};

test('a trial that says everything is read as it is meant', () => {
  expect(trialOf(full)).toEqual({
    id: 'ad-recall-2027',
    version: 2,
    title: 'Ad recall',
    researcher: { name: 'University of Example', contact: 'trial@uni.example' },
    information: new Map([
      ['en', 'English'],
      ['de', 'Deutsch'],
      ['pt-BR', 'Português'],
    ]),
    settings: {
      ...defaultSettings,
      collector: 'https://collector.example',
      budget: { ...defaultSettings.budget, ...budget },
    },
    registrations: [],
    tokens: null,
    signature: null,
    start: Date.UTC(2026, 11, 31, 23),
    end: Date.UTC(2027, 2, 31, 18),
  });
});

test.each(['id', 'version', 'title', 'researcher', 'information', 'settings', 'end'])(
  'a trial must have %s',
  (name) => {
    const others = Object.fromEntries(Object.entries(full).filter(([field]) => field !== name));
    expect(parseTrial(others).errors.map(english.worded)).toContainEqual({
      path: '',
      message: `must have the field "${name}"`,
    });
  },
);

test.each<[string, Json, string, string]>([
  ['an id with a space', { ...full, id: 'ad recall' }, 'id', 'must be a name of up to 64'],
  ['an id that is too long', { ...full, id: 'a'.repeat(65) }, 'id', 'must be a name of up to 64'],
  ['version 0', { ...full, version: 0 }, 'version', 'must be an integer from 1'],
  ['an empty title', { ...full, title: ' ' }, 'title', 'must be a non-empty text'],
  [
    'a title that is too long',
    { ...full, title: 'a'.repeat(201) },
    'title',
    'must be a string of at most 200',
  ],
  ['a title in no language', { ...full, title: {} }, 'title', 'must have a text in at least one language'],
  ['a title in an empty text', { ...full, title: { de: '' } }, 'title.de', 'must be a non-empty text'],
  [
    'a title that is too long in one language',
    { ...full, title: { en: 'A', de: 'a'.repeat(201) } },
    'title.de',
    'must be a string of at most 200',
  ],
  ['a title that is a list', { ...full, title: ['A'] }, 'title', 'must be a string'],
  ['nobody to ask', { ...full, researcher: { name: 'A' } }, 'researcher', 'must have the field "contact"'],
  ['text without a language', { ...full, information: 'Hello' }, 'information', 'must be an object'],
  ['no text', { ...full, information: {} }, 'information', 'must have a text in at least one language'],
  [
    'a language of its own',
    { ...full, information: { English: 'x' } },
    'information.English',
    'must be the tag',
  ],
  ['a time without zone', { ...full, end: '2027-03-31T18:00:00' }, 'end', 'must be a time such as'],
  ['a day that is none', { ...full, end: '2027-02-31T18:00:00Z' }, 'end', 'must be a time such as'],
  ['an hour that is none', { ...full, end: '2027-02-20T25:00:00Z' }, 'end', 'must be a time such as'],
  ['a number for a time', { ...full, end: 1 }, 'end', 'must be a string'],
  ['an end before the start', { ...full, end: '2026-12-31T22:59:59Z' }, 'end', 'must be later than start'],
  ['an end at the start', { ...full, end: '2026-12-31T23:00Z' }, 'end', 'must be later than start'],
  [
    'debug mode',
    { ...full, settings: { budget, debug: { enabled: true } } },
    'settings.debug',
    'must not be in a trial',
  ],
  ['pausing', { ...full, settings: { budget, paused: true } }, 'settings.paused', 'must not be in a trial'],
  [
    'paused sites',
    { ...full, settings: { budget, pausedSites: [] } },
    'settings.pausedSites',
    'must not be in a trial',
  ],
  [
    'a misspelt setting',
    { ...full, settings: { budget, colector: null } },
    'settings.colector',
    'is not a known field',
  ],
  [
    'a setting that is wrong',
    { ...full, settings: { budget, collector: 'x' } },
    'settings.collector',
    'must be null, or',
  ],
  ['a field of its own', { ...full, ends: '2027' }, 'ends', 'is not a known field'],
  [
    'no budget that all observers share',
    { ...full, settings: { budget: { ...budget, joint: null } } },
    'settings.budget.joint',
    'must say what all reports of a participant may tell everyone',
  ],
  [
    'no budget at all',
    { ...full, settings: {} },
    'settings.budget.joint',
    'must say what all reports of a participant may tell everyone',
  ],
])('a trial with %s is refused, naming the place', (_what, document, path, message) => {
  const { value, errors } = parseTrial(document);
  expect(value).toBeNull();
  expect(errors.map(english.worded)).toContainEqual({
    path,
    message: expect.stringContaining(message) as string,
  });
});

const times = fc
  .tuple(
    fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    }),
    fc.constantFrom('Z', '+14:00', '-12:00', '+05:30'),
  )
  .map(([date, zone]) => date.toISOString().replace('Z', zone));
const values = { values: [0, 5, 10], prior: [0.5, 0.25, 0.25] };

const trials = fc.record(
  {
    id: fc.constant('x'),
    version: fc.integer({ min: 1, max: 1_000_000 }),
    title: fc.string(),
    researcher: fc.record({ name: fc.string(), contact: fc.string() }),
    information: fc.dictionary(fc.constantFrom('en', 'de', 'pt-BR'), fc.string()),
    start: times,
    end: times,
    settings: fc.record(
      {
        collector: fc.constantFrom(null, 'https://collector.example'),
        deliveryProfile: fc.constantFrom('lossless', 'chrome'),
        attribution: fc.constantFrom<Json>(
          { kind: 'linear', credit: 'split' },
          { kind: 'time-decay', halfLife: 3600 },
          { kind: 'exponential', epsilon: 1, tau: 1, score: 'reciprocal', gap: 2, unit: 'days' },
        ),
        labelNoise: fc.constantFrom<Json>(
          { kind: 'rr-with-prior', prior: [0.5, 0.5] },
          { kind: 'rr-on-bins', loss: 'poisson', ...values },
          { kind: 'unbiased', ...values },
        ),
        budget: fc.constantFrom<Json>({
          unit: 'user',
          epsilon: 3,
          cap: 10,
          delta: 1e-6,
          attributionEpsilon: 1,
          joint: jointly(30, 15),
        }),
        rules: fc.json().map((text) => [
          {
            id: 'r',
            matches: ['https://shop.example/*'],
            on: 'visit',
            register: 'trigger',
            reportingOrigin: 'https://ads.example',
            registration: {
              given: JSON.parse(text) as Json,
              event_trigger_data: [{ value: { $extract: { as: 'money' } } }],
            },
          },
        ]),
      },
      { requiredKeys: ['budget'] },
    ),
  },
  { requiredKeys: ['id', 'version', 'title', 'researcher', 'information', 'settings', 'end'] },
);

test('what is written of a trial is read as the same trial', () => {
  let read = 0;
  fc.assert(
    fc.property(trials, (document) => {
      const { value: trial } = parseTrial(document);
      if (trial === null) return;
      read += 1;
      const written = serializeTrial(trial);
      expect(trialOf(JSON.parse(JSON.stringify(written)) as Json)).toEqual(trial);
    }),
    { numRuns: 500 },
  );
  // Some have an empty text, or end before they start.
  expect(read).toBeGreaterThan(50);
});

test.each(['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'])(
  '%s is in no year of four digits',
  (end) => {
    const { errors } = parseTrial({ ...full, start: '0000-01-01T00:00Z', end });
    expect(errors.map(english.worded)[0]).toMatchObject({
      path: 'end',
      message: expect.stringContaining('must be a time') as string,
    });
  },
);

test('whatever a trial is, it is read or refused with a place and a reason', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.record({ ...fieldsOfAnything() })), (document) => {
      const { value, errors } = parseTrial(document as Json);
      expect(value === null).toBe(errors.length > 0);
    }),
  );
});

function fieldsOfAnything(): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(
    Object.entries(full).map(([name, value]) => [name, fc.oneof(fc.constant(value), fc.jsonValue())]),
  );
}

test.each([
  ['de', 'Deutsch', 'de'],
  ['de-AT', 'Deutsch', 'de'],
  ['pt-BR', 'Português', 'pt-BR'],
  ['fr', 'English', 'en'],
])('who reads %s is shown %s', (reads, text, language) => {
  expect(textFor(trialOf(full).information, reads)).toEqual({ text, language });
});

test('a title is one for everybody, or one by language', () => {
  const titled = (title: Json): Trial['title'] => trialOf({ ...full, title }).title;
  expect(textFor(titled('Ad recall'), 'de')).toEqual({ text: 'Ad recall', language: null });
  const byLanguage = titled({ en: 'Ad recall', de: 'Werbeerinnerung' });
  expect(textFor(byLanguage, 'de-CH')).toEqual({ text: 'Werbeerinnerung', language: 'de' });
  expect(textFor(byLanguage, 'fr')).toEqual({ text: 'Ad recall', language: 'en' });
});

test('who reads no language of the trial is shown the first when there is no English', () => {
  expect(textFor(new Map([['fi', 'Suomi']]), 'de')).toEqual({ text: 'Suomi', language: 'fi' });
});

const { start, end } = trialOf(full);

test.each<[string, 'accepted' | 'declined' | null, boolean, number, ConsentStatus]>([
  ['unanswered', null, true, Number(start), 'unanswered'],
  ['unanswered without a trial', null, false, 0, 'unanswered'],
  ['declined', 'declined', true, Number(start), 'declined'],
  ['accepted without a trial', 'accepted', false, 8e15, 'recording'],
  ['before the start', 'accepted', true, Number(start) - 1, 'not-started'],
  ['at the start', 'accepted', true, Number(start), 'recording'],
  ['before the end', 'accepted', true, end - 1, 'recording'],
  ['at the end', 'accepted', true, end, 'ended'],
])('%s', (_when, answer, hasTrial, now, expected) => {
  expect(consentStatusOf(answer, hasTrial ? trialOf(full) : null, moment(now))).toBe(expected);
});

test('in a trial its settings are in force, but pausing is the person’s and debug mode a rehearsal’s', () => {
  const trial = trialOf(full);
  const own = {
    ...defaultSettings,
    collector: 'https://own.example',
    paused: true,
    pausedSites: ['https://bank.example'],
    debug: { ...defaultSettings.debug, enabled: true, noise: false },
  };
  const inTrial = { ...trial.settings, paused: true, pausedSites: ['https://bank.example'] };
  expect(settingsInTrial(trial, own, false)).toEqual({ ...inTrial, debug: defaultSettings.debug });
  expect(settingsInTrial(trial, own, true)).toEqual({ ...inTrial, debug: own.debug });
});

test.each<[Json, boolean, readonly string[]]>([
  [{ paused: true, pausedSites: [] }, false, []],
  [{ paused: true, collector: null }, false, ['collector']],
  [{ debug: { enabled: true } }, false, ['debug']],
  [{ debug: { enabled: true } }, true, []],
  [{ rules: [], debug: {} }, true, ['rules']],
  [null, false, []],
])('of %j, with a rehearsal %p, locked is %j', (change, rehearsal, locked) => {
  expect(lockedIn(change, rehearsal)).toEqual(locked);
});

test.each<[Json | null, string | null]>([
  [full, 'ad-recall-2027'],
  [{ id: 'kept', end: 'never' }, 'kept'],
  [{ id: 5 }, null],
  [null, null],
])('the id of %j is %j', (trial, id) => {
  expect(trialIdOf({ answer: 'accepted', time: 0, trial })).toBe(id);
});
