import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserName } from '../../../scenarios/kit';

const file = path.join(__dirname, '../../../docs/causes.md');

/** How a cause was found in a browser. */
export interface Found {
  readonly clicks: number;
  /** What the kit took. */
  readonly seconds: number;
  readonly sentence: string;
}

/** In ms: what each of the kit's questions, and each new page, takes; and how busy the machine was then. */
export interface Floor {
  readonly answer: number;
  readonly page: number;
  /** The mean number of processes that ran or waited for a processor, in the last minute. */
  readonly load: number;
}

type InEach<T> = Readonly<Record<BrowserName, T>>;

/** In the sentences of the table. */
const DAYS = ['Jan 31', 'Feb 1'];

/** Without what differs in each run. Different times stay different. */
export function lastingSentence(text: string): string {
  const times: string[] = [];
  return text
    .replaceAll(/(\w+\.localhost):\d+/g, '$1')
    .replaceAll(/[A-Z][a-z]{2} \d+, \d{4}, [\d:]+\s[AP]M/g, (time) => {
      if (!times.includes(time)) times.push(time);
      return `${DAYS[times.indexOf(time)] ?? time}, 2027, 12:00 PM`;
    })
    .replaceAll(/source \d+/g, 'source 7');
}

/** Replaces the tables of docs/causes.md. Throws if a cause lacks a browser, or if the browsers say different things. */
export function writeCauses(found: ReadonlyMap<string, Partial<InEach<Found>>>, floors: InEach<Floor>): void {
  const causes = [...found].map(([cause, { chrome, firefox }]) => {
    if (chrome === undefined || firefox === undefined) throw new Error(`${cause}: not found in each browser`);
    const sentence = lastingSentence(chrome.sentence);
    if (sentence !== lastingSentence(firefox.sentence))
      throw new Error(`${cause}: “${sentence}” in Chrome, “${firefox.sentence}” in Firefox`);
    const clicks = String(Math.max(chrome.clicks, firefox.clicks));
    const seconds = [chrome, firefox].map((one) => one.seconds.toFixed(1));
    return [cause, clicks, ...seconds, sentence.replaceAll('|', '\\|')];
  });
  const floor = (what: keyof Floor): readonly string[] =>
    [floors.chrome, floors.firefox].map((one) => one[what].toFixed(0));
  const text = readFileSync(file, 'utf8');
  const prose = text.split(/^\|.*\n/m);
  const tables = [
    table([['Cause', 'Clicks', 'Chrome, s', 'Firefox, s', 'Sentence'], ...causes]),
    table([
      ['', 'Chrome', 'Firefox'],
      ['an answer of the extension to the kit, in ms', ...floor('answer')],
      ['a new page, in ms', ...floor('page')],
      ['the load of the machine (`uptime`)', ...floor('load')],
    ]),
  ];
  const parts = prose.filter((part) => part.trim() !== '');
  writeFileSync(file, parts.map((part, at) => part + (tables[at] ?? '')).join(''));
}

/** As the formatter writes it. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((cell, at) =>
    Math.max(...[cell, ...rows.map((row) => row[at] ?? '')].map(({ length }) => length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - cell.length)).join(' | ')} |\n`;
  return [line(head), line(widths.map((size) => '-'.repeat(size))), ...rows.map(line)].join('');
}

/** The causes of docs/causes.md, each with its sentence. */
export const writtenCauses = (): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const cells = line.split(/ +\| /);
        const sentence = cells[4]?.replace(/ *\|$/, '').replaceAll('\\|', '|');
        return sentence === undefined || cells[0] === '| Cause' || line.startsWith('| --')
          ? []
          : [[(cells[0] ?? '').slice(2), sentence] as const];
      }),
  );
