import { demoSettings, demoUser } from '../../analysis/simulation/demo-month';
import { parseLogLine } from '../../analysis/simulation/log-line';
import { simulateUser } from '../../analysis/simulation/user';
import { seededRandomStreams } from '../../analysis/random/sources';
import { writeSourceRow } from '../../formats/sources/source-row';
import { chromiumLimits } from '../../src/model/limits';
import { Caches } from '../../src/work';

const USERS = 150;
const SEED = 'sample';

/** Both files of the page, as NDJSON: a month of eight campaigns, with noise. The same at each call. */
export async function sampleMonth(): Promise<{ readonly sources: string; readonly reports: string }> {
  const how = {
    ...{ settings: demoSettings, limits: chromiumLimits, noise: true, matching: null, caches: new Caches() },
    allocation: 'per-cap',
  } as const;
  const sources: (readonly object[])[] = [];
  const sent: (readonly object[])[] = [];
  for (let number = 0; number < USERS; number++) {
    const made = demoUser(SEED, number);
    const events = made.lines.flatMap((line) => parseLogLine(line).value?.event ?? []);
    const { reports } = await simulateUser(events, how, seededRandomStreams(`${SEED} noise ${made.user}`));
    sources.push(made.sources.map(writeSourceRow));
    sent.push(reports);
  }
  return { sources: linesOf(sources.flat()), reports: linesOf(sent.flat()) };
}

const linesOf = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join('\n');
