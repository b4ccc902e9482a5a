import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import english from '../../extension/_locales/en/checks.json';
import type { CheckDetails } from '../../extension/pages/explain/check-details';
import { translator } from '../../extension/translator';
import { SAMPLE, saidDetails } from './helpers/said-mistakes';

const folder = path.resolve(__dirname, '../../extension/_locales');
const others = readdirSync(folder).filter((locale) => locale !== 'en');
const read = (locale: string): CheckDetails =>
  JSON.parse(readFileSync(path.join(folder, locale, 'checks.json'), 'utf8')) as CheckDetails;

const ids = Object.keys(english) as (keyof CheckDetails)[];

/** A language in which a sentence is its id, and the ids of its parts. */
const marked = translator(
  english,
  Object.fromEntries(
    ids.map((id) => [id, `⟨${id}${id === 'rr_instead' ? ' {problem}' : ''}⟩`]),
  ) as CheckDetails,
);
const idsIn = (text: string): readonly string[] =>
  [...marked(text).matchAll(/⟨(\w+)/g)].map(([, id = '']) => id);

const KINDS = ['truthful', 'off', 'replaced', 'undrawn', 'drawn'];
const WINDOWS = ['falls-before', 'falls-within', 'falls-after'];
const BALANCE = `ε = ${SAMPLE} after ${SAMPLE} of ${SAMPLE}`;

/** Details whose words are written elsewhere, by file and code. */
const elsewhere = new Map<string, readonly string[]>([
  ['src/attribution/flexible.ts: source.noise.kind', KINDS],
  ['src/attribution/event-level.ts: source.noise.kind', KINDS],
  [
    'src/attribution/event-level.ts: noisy ?? source.noise.kind',
    [...KINDS, 'its output was drawn when its window closed', 'its reports are fake'],
  ],
  ['src/attribution/event-level.ts: window.kind', WINDOWS],
  ['src/attribution/event-level.ts: String(deduplicationKey)', []],
  // Both as they stand in the registration.
  [
    'src/attribution/event-level.ts: `${String(config.triggerData)}, ${registration.triggerDataMatching}`',
    [],
  ],
  [
    "src/attribution/process-trigger.ts: eventTriggerData.map(({ value }) => value).join(', ') || 'nothing'",
    [SAMPLE, 'nothing'],
  ],
  [
    "src/attribution/label-noise.ts: values?.join(', ') ?? 'of several trigger data'",
    [SAMPLE, 'of several trigger data'],
  ],
  ['src/attribution/process-source.ts: why', [`rr instead: ${SAMPLE}`]],
  ['src/limits/privacy-budget.ts: found.detail', [BALANCE]],
]);

const { said, unresolved, unused } = saidDetails(elsewhere);

test('what checks say is found in the code, or followed to where it is', () => {
  expect(unresolved).toEqual([]);
  expect(unused).toEqual([]);
});

test('what checks say is known to the letter', () => {
  expect(said.filter(({ sentence }) => idsIn(sentence).length === 0)).toEqual([]);
  const used = new Set(said.flatMap(({ sentence }) => idsIn(sentence)));
  expect(ids.filter((id) => !used.has(id))).toEqual([]);
});

test.each(others)('what checks say is said in other words in %s', (locale) => {
  const sentences = read(locale);
  expect(Object.keys(sentences)).toEqual(ids);
  const translate = translator(english, sentences);
  expect(said.filter(({ sentence }) => translate(sentence) === sentence)).toEqual([]);
  expect(translate('linear: drew source 3 of 3, 4')).toMatch(/3.*3, 4/);
});
