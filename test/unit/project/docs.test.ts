import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDataMap } from '../../../analysis/learn/data-map';
import { parseExperiment } from '../../../analysis/learn/experiment';
import { parseScenario, replaySettings } from '../../../analysis/scenario/scenario';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { parseProfile } from '../../../analysis/w3c/profile';
import { commandGroups } from '../../../cli/commands';
import { main } from '../../../cli/main';
import { root } from '../../../node/root';
import manifest from '../../../manifest.json';
import { scripts } from '../../../package.json';
import { isJsonObject, type Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import { strictly, type Parsed } from '../../../formats/codec/issues';
import { parseSettings } from '../../../formats/settings/parse-settings';
import { parseTrigger } from '../../../formats/registration/trigger';
import { validateSource } from '../../../formats/registration/validate';
import { useCommands } from '../helpers/command';

const { out } = useCommands();

const pages = ['README.md', 'CONTRIBUTING.md', 'bench/README.md', 'w3c/README.md', ...markdownIn('docs')];
const textOf = (page: string): string => readFileSync(path.join(root, page), 'utf8');

function markdownIn(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name))
    .sort();
}

interface Block {
  readonly language: string;
  readonly text: string;
}

const blocksOf = (page: string): readonly Block[] =>
  [...textOf(page).matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));

describe('each block of JSON is what its command reads', () => {
  const settings = (json: Json): Parsed<unknown> => strictly(parseSettings(json, replaySettings));
  const source = (json: Json): Parsed<unknown> =>
    validateSource(JSON.stringify(json), 'navigation', chromiumLimits);
  /** What other programs read or what our commands write: only that it is an object. */
  const object = (json: Json): Parsed<unknown> => ({
    value: isJsonObject(json) ? json : null,
    errors: [],
    warnings: [],
  });

  const readers: Readonly<Record<string, readonly ((json: Json) => Parsed<unknown>)[]>> = {
    'docs/field-trial-install.md': [object, object, object],
    'docs/lab-data.md': [parseDataMap, parseExperiment],
    'docs/lab.md': [parseExperiment],
    'docs/lift.md': [
      settings,
      (json) => validateSource(JSON.stringify(json), 'event', chromiumLimits),
      (json) => parseTrigger(json, chromiumLimits),
    ],
    'docs/mechanisms.md': [source],
    'docs/noise.md': [settings],
    'docs/replay.md': [(json) => parseScenario(json, chromiumLimits)],
    'docs/simulate.md': [parseLogLine, settings],
    'docs/w3c.md': [parseProfile, object],
  };
  const found = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => language === 'json')
      .map(({ text }, index) => ({ page, index, text })),
  );

  test('and each has a reader', () => {
    expect(found.map(({ page, index }) => `${page} ${index}`)).toEqual(
      Object.entries(readers).flatMap(([page, list]) => list.map((_, index) => `${page} ${index}`)),
    );
  });

  test.each(found)('$page, block $index', ({ page, index, text }) => {
    const parsed = readers[page]?.[index]?.(JSON.parse(text) as Json);
    expect(parsed).toMatchObject({ value: expect.anything() as unknown, errors: [], warnings: [] });
  });
});

/** The commands of the blocks for a shell, each on one line and without its comment. */
const shellLines = (page: string): readonly string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh' || language === 'console' || language === 'yaml')
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/ # .*/, ''));

describe('the commands', () => {
  const calls = [
    ...new Set(
      pages.flatMap((page) =>
        shellLines(page).flatMap((line) =>
          [...line.matchAll(/npx cointoss ((?:[^|;&>)]|(?<=\S)\|(?=--))+)/g)].map(([, call = '']) =>
            call.trim(),
          ),
        ),
      ),
    ),
  ];

  test('are there', () => expect(calls.length).toBeGreaterThan(60));

  test.each(calls)('cointoss %s: there are such options', async (call) => {
    const [command = '', inner = ''] = call.split(' ');
    const nested =
      command === 'sample'
        ? inner !== 'MECHANISM'
        : ['data', 'labels', 'compare', 'histogram', 'w3c'].includes(inner);
    expect(await main([command, ...(nested ? [inner] : []), '--help'])).toBe(0);
    const known: readonly string[] = out.join('').match(/--[a-z][a-z0-9-]*/g) ?? [];
    const named: readonly string[] = call.match(/--[a-z][a-z0-9-]*/g) ?? [];
    expect(command === 'sample' && !nested ? [] : named.filter((option) => !known.includes(option))).toEqual(
      [],
    );
  });

  test('are all on their page', () => {
    const page = textOf('docs/commands.md');
    const all = Object.values(commandGroups).flatMap((group) => Object.keys(group));
    expect(all.filter((name) => !page.includes(`npx cointoss ${name} `))).toEqual([]);
  });

  test('npm has the scripts that the pages run', () => {
    const named = pages.flatMap((page) => textOf(page).match(/(?<=npm run )[a-z][a-z-]*/g) ?? []);
    expect([...new Set(named)].filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

test.each(['README.md', 'docs/field-trial-install.md'])('%s says which browsers are new enough', (page) => {
  const firefox = parseInt(manifest.browser_specific_settings.gecko.strict_min_version);
  expect(textOf(page)).toContain(`Chromium ${manifest.minimum_chrome_version} or newer`);
  expect(textOf(page)).toContain(`Firefox ${firefox} or newer`);
});

/** Every user of a machine can list the command lines of others. */
test.each(pages)('no command of %s has a secret on its line', (page) => {
  expect(textOf(page)).not.toMatch(/-H ["']Authorization|--api-secret|:\/\/[^\s:@/]+:[^\s@/]+@/);
});

test.each(pages)('every file and heading that %s links is there', (page) => {
  const links = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const missing = links.filter(([, file = '', heading]) => {
    const target = file === '' ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(root, target))) return true;
    return heading !== undefined && target.endsWith('.md') && !headingsOf(target).includes(heading);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

/** Pages also name files in their sentences, such as src/engine.ts. */
test.each(pages)('every file that %s names is there', (page) => {
  const folders =
    'src|transactions|w3c|recording|formats|words|analysis|ui|extension|collector|scenarios|cli|node|scripts|bench|test';
  const name = new RegExp(`(?<![\\w/.@-])(?:${folders})/[\\w/.-]+\\.(?:tsx?|mjs|js|json|py)\\b`, 'g');
  expect((textOf(page).match(name) ?? []).filter((file) => !isThere(file))).toEqual([]);
});

/** A name in capitals stands for any. */
const isThere = (file: string): boolean => /[A-Z]{4,}/.test(file) || existsSync(path.join(root, file));

test.each(pages)('%s has fewer than 250 lines', (page) => {
  expect(textOf(page).split('\n').length).toBeLessThan(250);
});

describe('docs/papers.md', () => {
  const rows = [...textOf('docs/papers.md').matchAll(/^\| +(?!What |-)(.*)\|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  );
  const done = (kind: string): number =>
    rows.filter(([, , , , state]) => state?.split(':')[0] === kind).length;

  test('says how many rows are done', () => {
    expect(rows.length).toBeGreaterThan(90);
    expect(textOf('docs/papers.md').replaceAll(/\s+/g, ' ')).toContain(
      `**In all**, ${rows.length} rows: ${done('yes')} done, ${done('partly')} partly, ${done('no')} not.`,
    );
  });

  test('names for each row where it is and a test, or why it is not there', () => {
    const incomplete = rows.filter(
      ([what = '', , here = '', by = '', state = '']) =>
        !(/^(yes|partly: .+)$/.test(state) && here !== '' && by !== '') &&
        !(what !== '' && /^no: .+/.test(state)),
    );
    expect(incomplete).toEqual([]);
  });
});

/** As GitHub makes addresses of them. */
const headingsOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
