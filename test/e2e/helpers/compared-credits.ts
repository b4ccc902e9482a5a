import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventLine } from '../../../analysis/simulation/event-line';
import type { TraceEntry } from '../../../scenarios/kit';
import type { Json } from '../../../src/model/json';
import { moment } from '../../../src/model/units';

const cointoss = path.resolve(__dirname, '../../../cli/cointoss.mjs');

/** The log of a browser as the commands take it, of one person. */
export const eventLinesOf = (trace: readonly TraceEntry[]): readonly Json[] =>
  [...trace]
    .sort((a, b) => a.id - b.id)
    .map(({ kind, time, contextOrigin, reportingOrigin, header }) =>
      eventLine('person', moment(Number(time)), {
        context: contextOrigin,
        eligible: kind === 'source' ? 'event-source' : 'trigger',
        url: `${reportingOrigin}/`,
        header: {
          [`Attribution-Reporting-Register-${kind === 'source' ? 'Source' : 'Trigger'}`]: JSON.parse(
            header,
          ) as Json,
        },
      }),
    );

/** The credits that `cointoss simulate compare` learns: for each channel those by priority, Shapley values and the regression, in four digits. */
export async function creditsOf(
  lines: readonly Json[],
  channel: string,
): Promise<readonly (readonly string[])[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-credits-'));
  const [input, credits] = [path.join(folder, 'log.ndjson'), path.join(folder, 'credits.ndjson')];
  try {
    await writeFile(input, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const files = ['--input', input, '--output', credits];
    const options = ['--channel', channel, '--no-noise', '--threads', '1'];
    await promisify(execFile)(process.execPath, [cointoss, 'simulate', 'compare', ...files, ...options]);
    const rows = (await readFile(credits, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<'model' | 'from' | 'channel', string>> & Credit)
      .filter(({ from }) => from === 'log');
    return [...new Set(rows.map((row) => row.channel))].map((of) => [
      of,
      ...['priority', 'shapley', 'logistic'].map((model) =>
        inFourDigits(rows.find((row) => row.model === model && row.channel === of)?.credit),
      ),
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Credit {
  readonly credit: number;
}

const inFourDigits = (credit = NaN): string => String(Number(credit.toPrecision(4)));
