import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { figureFile } from '../../analysis/report/figure-file';
import {
  FEATURE,
  NoMapError,
  proposedMap,
  type ProposedMap,
  type TableSample,
} from '../../analysis/simulation/proposed-map';
import { shellPath } from '../../node/shell-path';
import { isJsonObject, type Json } from '../../src/model/json';
import { define as defineEstimate } from '../estimate/estimate';
import type { DefineCommand } from '../io/define';
import { cellText } from '../io/file-row';
import { InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { jsonBytes } from '../io/json-bytes';
import { replaceFile, writing } from '../io/output';
import { makeFolder } from '../../node/files';
import { eachRow } from '../io/rows';
import { define as defineSimulate } from '../simulate/simulate';

/** What columns mean shows in the first rows. */
const SAMPLE = 1000;
/** A figure with more groups cannot be read. */
const MOST_GROUPS = 12;

/** `cointoss init`: proposes a map for a table, simulates it, and draws what the reports tell; see docs/maps.md. */
export const define: DefineCommand = (command, answer) => {
  command
    .argument('<file>', 'a table of clicks or impressions and conversions: CSV, TSV, Parquet or NDJSON')
    .option(
      '--output <folder>',
      'a new folder for the results; by default the name of the file and -cointoss',
    )
    .action(async (file: string, { output }: { readonly output?: string }) => {
      const folder = output ?? `${path.basename(file).split('.', 1).join('')}-cointoss`;
      if (existsSync(folder))
        throw new InputError(`${folder}: exists already; give another folder as --output`);
      const proposed = proposal(file, await sampleOf(file));
      writing(folder, () => makeFolder(folder, 'umask'));
      const inFolder = (name: string): string => path.join(folder, name);
      replaceFile(inFolder('map.json'), jsonBytes(mapText(proposed)));
      for (const choice of proposed.choices) answer.print(choice);
      const steps = stepsOf(file, proposed, inFolder);
      for (const { define: step, argv } of steps) {
        answer.print(`npx cointoss ${argv.map(shellWord).join(' ')}`);
        const [name = '', ...options] = argv;
        const part = new Command(name);
        step(part, answer);
        await part.parseAsync(options, { from: 'user' });
      }
      replaceFile(inFolder('figure.svg'), await figureOf(inFolder('estimates.ndjson'), proposed));
      answer.print(`${inFolder('figure.svg')}: conversions as the reports tell them, with 95 % intervals`);
    });
};

function proposal(file: string, table: TableSample): ProposedMap {
  try {
    return proposedMap(table);
  } catch (error) {
    if (!(error instanceof NoMapError)) throw error;
    throw new InputError(`${file}: ${error.message}; rename columns, or write a map (docs/maps.md)`);
  }
}

async function sampleOf(file: string): Promise<TableSample> {
  const rows: Record<string, string>[] = [];
  for await (const { value } of eachRow(new InputFiles([file]))) {
    if (isJsonObject(value)) rows.push(Object.fromEntries(Object.entries(value).flatMap(filled)));
    if (rows.length === SAMPLE) break;
  }
  return { columns: [...new Set(rows.flatMap((row) => Object.keys(row)))], rows };
}

const filled = ([column, value]: [string, Json]): readonly (readonly [string, string])[] =>
  cellText(value) === '' ? [] : [[column, cellText(value)]];

/** Names of options stand as they are. */
const shellWord = (word: string): string => (/^--[a-z-]+$/.test(word) ? word : shellPath(word));

const mapText = ({ map, choices }: ProposedMap): string =>
  `${choices.map((choice) => `// ${choice.replaceAll(/\s/g, ' ')}\n`).join('')}${JSON.stringify(map, null, 2)}\n`;

interface Step {
  readonly define: DefineCommand;
  readonly argv: readonly string[];
}

function stepsOf(
  file: string,
  { campaign }: ProposedMap,
  inFolder: (name: string) => string,
): readonly Step[] {
  const [reports, sources] = [inFolder('reports.ndjson'), inFolder('sources.ndjson')];
  const log = ['--input', file, '--map', inFolder('map.json'), '--unsorted', '--seed', '1'];
  const joined = ['--reports', reports, '--sources', sources];
  const grouped = campaign === null ? [] : ['--group-by', FEATURE];
  return [
    { define: defineSimulate, argv: ['simulate', ...log, '--output', reports, '--sources-output', sources] },
    {
      define: defineEstimate,
      argv: ['estimate', ...joined, ...grouped, '--output', inFolder('estimates.ndjson')],
    },
  ];
}

async function figureOf(estimates: string, { campaign }: ProposedMap): Promise<string> {
  const groups: { readonly name: string; readonly estimate: number; readonly width: number }[] = [];
  for await (const { cells } of eachRow(new InputFiles([estimates]))) {
    const name = campaign === null ? 'all' : cells(FEATURE);
    const isShown = cells('configuration') === '' && cells('quantity') === 'conversions' && name !== '';
    if (isShown && cells('estimate') !== '')
      groups.push({
        name,
        estimate: Number(cells('estimate')),
        width: Number(cells('high')) - Number(cells('low')),
      });
  }
  const largest = groups.sort((one, other) => other.estimate - one.estimate).slice(0, MOST_GROUPS);
  const points = largest.map(({ name, estimate, width }) => ({
    x: name,
    // The bar has two standard errors to each side.
    y: { mean: estimate, error: width / 4 },
  }));
  const by = campaign === null ? '' : ` by ${campaign}`;
  return figureFile(
    { title: `Conversions${by}, with 95 % intervals`, x: campaign ?? '', y: 'conversions' },
    [{ name: `conversions${by}, as the reports tell them`, points }],
    {},
  );
}
