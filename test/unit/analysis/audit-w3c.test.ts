import { readFileSync } from 'node:fs';
import path from 'node:path';
import { budgetsOf } from '../../../analysis/w3c/audit/relation';
import { w3cRelations } from '../../../analysis/w3c/audit/relations';
import { main } from '../../../cli/main';
import { root } from '../../../node/root';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';
import { mutated, MutatedAudit } from '../helpers/mutations/mutated';
import { w3cMutations } from '../helpers/mutations/w3c';

const { out, file } = useCommands();

const page = readFileSync(path.join(root, 'docs/audit.md'), 'utf8');
const section = page.slice(page.indexOf('## W3C Attribution'), page.indexOf('## What it does not try'));

/** The rows of the table, by the ids of their relations. */
const rows = new Map(
  section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => {
      const cells = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [cells[3]?.replaceAll('`', '') ?? '', cells] as const;
    }),
);

const shown = (epsilon: number): string => String(Number(epsilon.toFixed(3)));

const seenBy = (observer: string | null): string =>
  observer === null ? 'everyone together' : observer === 'ads.example' ? 'this site' : 'the conversion site';

describe('W3C Attribution', () => {
  const audit = new MutatedAudit();
  let find: Awaited<ReturnType<MutatedAudit['load']>>['findW3c'];
  beforeAll(async () => ({ findW3c: find } = await audit.load(null)));
  afterAll(() => audit.stop());

  test.each(w3cRelations)('keeps what is promised, as the page says: $id', async (relation) => {
    const { id, differs, observer, promise, limits = {} } = relation;
    const finding = await find(id);
    expect(finding).toMatchObject({ holds: true, method: 'exact' });
    expect(rows.get(id)).toEqual([
      differs,
      seenBy(observer),
      promise[0],
      `\`${id}\``,
      shown(promise[1](budgetsOf(relation))),
      shown(finding.loss.epsilon),
      Object.values(limits).length === 0 ? '' : 'yes',
    ]);
  });

  test('has no other rows on the page', () => {
    expect([...rows.keys()].sort()).toEqual(w3cRelations.map(({ id }) => id).sort());
    expect(section).toContain(`sabotages it in ${w3cMutations.length} ways`);
  });

  test.each(w3cMutations)('can be sabotaged: $breaks', (mutation) => {
    expect(mutated(mutation)).toContain(mutation.after);
  });

  /** A bundle takes a second of processor time; each seventh in `npm test`. */
  const tried = w3cMutations.filter((_, index) => isLong || index % 7 === 0);

  test.each(tried)('tells more if $breaks', async (mutation) => {
    const { findW3c } = await audit.load(mutation);
    expect(await findW3c(mutation.foundBy)).toMatchObject({ holds: false });
  });
});

// The other rows of these settings are there, too: half a minute of processor time.
if (isLong)
  test('cointoss audit prints all rows for settings with W3C Attribution', async () => {
    const settings = file('settings.json', { w3cAttribution: true });
    expect(await main(['audit', '--settings', settings, '--registered', '1'])).toBe(0);
    const lines = out.join('').split('\n');
    const found = lines.filter((line) => /^holds .*W3C Attribution: /.test(line));
    expect(found).toHaveLength(w3cRelations.length);
    expect(found.map((line) => line.endsWith(', with other limits'))).toEqual(
      w3cRelations.map(({ limits }) => limits !== undefined),
    );
    out.length = 0;
    expect(await main(['audit', '--settings', settings, '--registered', '1', '--json'])).toBe(0);
    const json = out
      .join('')
      .split('\n')
      .filter((line) => line.includes('"W3C Attribution"'));
    expect(json.map((line) => (JSON.parse(line) as { readonly limits?: object }).limits)).toEqual(
      w3cRelations.map(({ limits }) => limits),
    );
  });
