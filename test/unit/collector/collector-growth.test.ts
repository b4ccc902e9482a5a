import { readSources } from '../../../collector/intake/read-sources';
import type { Queries } from '../../../collector/store/database';
import { selectDimensions } from '../../../collector/store/dimensions';
import { openDatabase } from '../../../collector/store/open-database';
import { anySource, type SourceFilter } from '../../../collector/store/source-filter';
import { selectStatistics } from '../../../collector/store/statistics';
import { CollectorStore } from '../../../collector/store/store';
import { describeRows } from '../helpers/collector-stores';
import { DAY, START } from '../helpers/collector-workload';

const CAMPAIGNS = 10;
const FEW_DAYS = 10;
const MANY_DAYS = 100;

/** A store with one source of each campaign on each day. */
async function filled(place: string, days: number): Promise<void> {
  const rows = Array.from({ length: days * CAMPAIGNS }, (_, index) => ({
    source_event_id: String(index),
    reporting_origin: 'https://ads.example',
    destination: 'https://shop.example',
    source_type: 'navigation',
    time: START + Math.floor(index / CAMPAIGNS) * DAY,
    registration: {},
    campaign: index % CAMPAIGNS,
  }));
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const { sources, configurations, issues } = await readSources(text, 'ndjson', null, () =>
    Promise.resolve([]),
  );
  expect(issues).toEqual([]);
  const store = await CollectorStore.open(place);
  await store.addSources(sources, configurations);
  await (await store.asking()).dimensions();
  await store.close();
}

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: Readonly<Record<string, number>> }[];
}

/** How many pages of tables and indexes the statements of a question read, and its answer. */
async function pagesRead<T>(
  place: string,
  question: (queries: Queries) => Promise<T>,
): Promise<{ readonly pages: number; readonly answer: T }> {
  const found: { pages: number; answer: T }[] = [];
  const database = await openDatabase(place, async (opened) => {
    await opened.query('VACUUM ANALYZE');
    let pages = 0;
    const answer = await question({
      async query(sql, parameters) {
        const [explained] = await opened.query<Explained>(
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
          parameters,
        );
        const plan = explained?.['QUERY PLAN'][0]?.Plan;
        pages += (plan?.['Shared Hit Blocks'] ?? NaN) + (plan?.['Shared Read Blocks'] ?? NaN);
        return opened.query(sql, parameters);
      },
    });
    found.push({ pages, answer });
  });
  await database.close();
  const [read] = found;
  if (read === undefined) throw new Error('the database was not opened');
  return read;
}

const oneDay: SourceFilter = { from: new Date(START), to: new Date(START + DAY), is: new Map() };

describeRows((stores) => {
  test('the lists of values, and the numbers of sources of all days or of one, read no more the more days there are', async () => {
    const [few, many] = [await stores().fresh(), await stores().fresh()];
    await filled(few, FEW_DAYS);
    await filled(many, MANY_DAYS);
    const questions = {
      dimensions: async (queries: Queries) =>
        (await selectDimensions(queries)).find(({ name }) => name === 'campaign')?.values[0]?.sources,
      'all days': async (queries: Queries) =>
        (await selectStatistics(queries, anySource, 'campaign')).groups[0]?.sources,
      'one day': async (queries: Queries) =>
        (await selectStatistics(queries, oneDay, 'campaign')).groups[0]?.sources,
    };
    const growth: Record<string, unknown> = {};
    const answers: Record<string, unknown> = {};
    for (const [name, question] of Object.entries(questions)) {
      const [before, after] = [await pagesRead(few, question), await pagesRead(many, question)];
      // The index of a larger table may be one level deeper.
      growth[name] = after.pages <= before.pages + 5 ? 'none' : `${before.pages} to ${after.pages} pages`;
      answers[name] = [before.answer, after.answer];
    }
    expect(answers).toEqual({
      dimensions: [FEW_DAYS, MANY_DAYS],
      'all days': [FEW_DAYS, MANY_DAYS],
      'one day': [1, 1],
    });
    expect(growth).toEqual({ dimensions: 'none', 'all days': 'none', 'one day': 'none' });
  });
});
