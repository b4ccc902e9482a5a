import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../package.json';
import { root } from '../../node/root';
import type { DefineCommand } from '../io/define';
import { InputError } from '../io/input';
import { jsonBytes } from '../io/json-bytes';
import { notebookOf, type RunFiles } from './cells';
import { replaceFile } from '../io/output';

/** The names that other commands write. A longer name belongs to something else. */
const DATA = /^(reports|sources|estimates|credits)\.(csv|tsv|parquet|ndjson|json)(\.gz|\.zst)?$/;
const NOTEBOOK = 'notebook.ipynb';
const READER = 'cointoss.py';

/** `cointoss notebook`: writes an executable notebook for the results of other commands in a folder. */
export const define: DefineCommand = (command, { print }) => {
  command
    .argument(
      '<run>',
      'a folder with reports, sources, estimates or credits (reports.csv, …), or with the results of an experiment',
    )
    .action((folder: string) => {
      const files = runFilesIn(folder);
      const notebook = path.join(folder, NOTEBOOK);
      if (lstatSync(notebook, { throwIfNoEntry: false }) !== undefined)
        throw new InputError(`${notebook}: must not be there, because what you changed in it would be lost`);
      replaceFile(path.join(folder, READER), readFileSync(path.join(root, 'integrations/python', READER)));
      const title = path.basename(path.resolve(folder));
      replaceFile(notebook, jsonBytes(`${JSON.stringify(notebookOf(title, version, files), null, 1)}\n`));
      print(notebook);
    });
};

/** @throws InputError if the folder contains nothing that a notebook could show. */
function runFilesIn(folder: string): RunFiles {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new InputError(`${folder}: must be a folder`);
  const names = readdirSync(folder);
  const find = (what: string, ...more: readonly string[]): string | null =>
    names.find((name) => {
      const [, base, format = ''] = DATA.exec(name) ?? [];
      return base === what && ['csv', 'tsv', 'parquet', 'ndjson', ...more].includes(format);
    }) ?? null;
  const files = {
    reports: find('reports'),
    sources: find('sources'),
    estimates: find('estimates', 'json'),
    credits: find('credits'),
    isExperiment: names.includes('results.ndjson') && names.includes('manifest.json'),
  };
  if (Object.values(files).every((found) => found === null || found === false))
    throw new InputError(
      `${folder}: must have reports, sources, estimates or credits (such as reports.ndjson.gz), or the results of an experiment`,
    );
  return files;
}
