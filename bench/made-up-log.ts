import { closeSync, openSync, writeSync } from 'node:fs';

/* A made-up log with the columns of Criteo's attribution data. */

export const ROWS_PER_USER = 16.5 / 6;
const ROWS_AT_ONCE = 10_000;
const [CAMPAIGNS, CATEGORIES, DAYS, DAY] = [700, 30, 30, 86_400] as const;
const COLUMNS = [
  ...['timestamp', 'uid', 'campaign', 'conversion', 'conversion_timestamp', 'conversion_id', 'attribution'],
  ...['click', 'click_pos', 'click_nb', 'cost', 'cpo', 'time_since_last_click'],
  ...Array.from({ length: 9 }, (_, index) => `cat${index + 1}`),
];

/** The least that any program does with the log. */
export const READ_AND_SPLIT = `const { createReadStream } = await import('node:fs');
const { createInterface } = await import('node:readline');
for (const file of process.argv.slice(1))
  for await (const line of createInterface({ input: createReadStream(file) })) line.split('\\t');`;

/** Reads lines of JSON, which is the least that a join of them needs. */
export const READ_AND_PARSE = `const { createReadStream } = await import('node:fs');
for (const file of process.argv.slice(1)) {
  let rest = '';
  for await (const text of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 19 })) {
    const lines = (rest + text).split('\\n');
    rest = lines.pop();
    for (const line of lines) JSON.parse(line);
  }
}`;

/** In order of time, with rates like those of the data: 36 % clicks, and 4.5 % impressions before a conversion. */
export function writeLog(file: string, rows: number): void {
  const handle = openSync(file, 'wx');
  try {
    writeSync(handle, `${COLUMNS.join('\t')}\n`);
    const draw = draws();
    for (let start = 0; start < rows; start += ROWS_AT_ONCE) {
      const size = Math.min(ROWS_AT_ONCE, rows - start);
      const lines = Array.from({ length: size }, (_, index) => rowOf(start + index, rows, draw));
      writeSync(handle, `${lines.join('\n')}\n`);
    }
  } finally {
    closeSync(handle);
  }
}

function rowOf(row: number, rows: number, draw: (below: number) => number): string {
  const time = Math.floor((row / rows) * DAYS * DAY);
  const [user, campaign] = [draw(Math.ceil(rows / ROWS_PER_USER)), draw(CAMPAIGNS)];
  const categories = Array.from({ length: 9 }, (_, index) => 1000 * index + draw(CATEGORIES));
  // Conversions depend on what a model sees, so that there is something to learn.
  const isConverted =
    draw(10_000) < 300 + 300 * (campaign % 2) * ((categories[0] ?? 0) % 2) + (campaign % 300);
  const isClick = draw(100) < 36;
  const conversion = isConverted ? [1, time + draw(5 * DAY), row] : [0, -1, -1];
  const cost = (draw(10_000) / 1e7).toFixed(7);
  return [
    ...[time, user, campaign, ...conversion, Number(isConverted && isClick), Number(isClick), -1, -1],
    ...[cost, (draw(10_000) / 1e5).toFixed(5), draw(2) === 0 ? -1 : draw(DAY), ...categories],
  ].join('\t');
}

/** Whole numbers below a number, the same for each run (mulberry32). */
function draws(): (below: number) => number {
  let state = 53;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
