import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import { root } from '../../node/root';
import { isLong } from '../unit/helpers/is-long';
import { Project } from './helpers/project';

/* Python needs pandas and what runs notebooks; scripts/oracles.mjs installs them, and names the Python. */
const python = process.env['COINTOSS_ORACLES'];
const withPython = python === undefined ? describe.skip : describe;

describe('a researcher, from an empty folder', () => {
  let project: Project;
  let estimated: EstimateResultJson;

  beforeAll(async () => {
    if (python === undefined)
      process.stderr.write('researcher: Python is left out, because COINTOSS_ORACLES names none\n');
    project = await Project.empty();
    await project.unpack('cointoss');
  });

  afterAll(() => project.remove());

  it('simulates users, and estimates what they did', async () => {
    await project.cointoss('generate', '--users', isLong ? '60' : '30', '--output', 'log.ndjson.gz');
    await project.run('mkdir', 'csv', 'parquet', 'run');
    for (const [reports, sources] of [
      ['run/reports.ndjson.gz', 'run/sources.parquet'],
      ['csv/reports.csv.zst', 'csv/sources.csv.gz'],
      ['parquet/reports.parquet', 'parquet/sources.ndjson.zst'],
    ] as const)
      await project.cointoss(
        ...['simulate', '--input', 'log.ndjson.gz', '--seed', '1'],
        ...['--output', reports, '--sources-output', sources, '--summary', 'summary.json'],
      );
    const logs = ['--reports', 'run/reports.ndjson.gz', '--sources', 'run/sources.parquet'];
    const group = ['--group-by', 'campaign'];
    estimated = JSON.parse(await project.cointoss('estimate', ...logs, ...group)) as EstimateResultJson;
    await project.write('estimates.json', JSON.stringify(estimated));
    await project.cointoss('estimate', ...logs, ...group, '--output', 'run/estimates.csv');
    const credits = ['--channel', 'campaign', '--output', 'run/credits.csv'];
    await project.cointoss('simulate', 'compare', '--input', 'log.ndjson.gz', '--seed', '1', ...credits);
    expect(estimated.sources.used).toBeGreaterThan(isLong ? 40 : 20);
  });

  it('compares settings in an experiment', async () => {
    const experiment = {
      repetitions: 2,
      data: { users: isLong ? 20 : 5 },
      grid: { 'source.event_level_epsilon': [3, 14] },
      measure: { levels: [[], ['campaign']] },
    };
    await project.write('experiment.json', JSON.stringify(experiment));
    await project.cointoss('experiment', 'experiment.json', '--output', 'grid');
  });

  it('gets a notebook for each of them, and none for a folder with nothing to show', async () => {
    expect(await project.cointoss('notebook', 'run')).toBe(`${path.join('run', 'notebook.ipynb')}\n`);
    await project.cointoss('notebook', 'grid');
    await expect(project.cointoss('notebook', 'run')).rejects.toThrow('must not be there');
    await expect(project.cointoss('notebook', 'node_modules')).rejects.toThrow('must have reports, sources');
  });

  withPython('with Python', () => {
    /** Runs a folder's notebook from the first cell to the last, and resolves to what it then shows. */
    const execute = async (folder: string): Promise<string> => {
      const notebook = path.join(folder, 'notebook.ipynb');
      // What `jupyter execute` runs. A virtual environment's own programs fail once its folder has another name.
      const program = ['-c', 'from nbclient.cli import main; main()', '--inplace'];
      await project.run(python ?? '', ...program, notebook);
      return readFile(project.path(notebook), 'utf8');
    };

    it('runs that of a simulation from the first cell to the last', async () => {
      const shown = await execute('run');
      expect(shown).toContain('image/png');
      expect(shown).not.toContain('"output_type": "error"');
    });

    if (isLong)
      it('runs that of an experiment, too', async () => {
        // The heading of a column that the cell has shown.
        expect(await execute('grid')).toContain('relative_rmse</th>');
      });

    it('installs the reader, which reads the same into pandas from every format', async () => {
      // A build leaves files beside its sources. Nothing is downloaded: the Python has what the package needs.
      await cp(path.join(root, 'integrations/python'), project.path('reader'), { recursive: true });
      const install = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--no-build-isolation'];
      await project.run(python ?? '', ...install, '--target', 'site', './reader');
      const program = path.join(__dirname, 'helpers/read_all.py');
      const answer = JSON.parse(await project.run(python ?? '', program, project.folder)) as unknown;
      const { configurations, totals } = estimated;
      expect(configurations.length).toBeGreaterThan(1);
      const used = [...configurations, { groups: totals }].flatMap(({ groups }) =>
        groups.map(({ sources }) => sources),
      );
      expect(answer).toMatchObject({ sources: estimated.sources.read, groups: used });
    });
  });
});
