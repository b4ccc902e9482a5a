import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cellsOf, type Cell } from '../../../analysis/learn/cells';
import { parseExperiment, type Experiment } from '../../../analysis/learn/experiment';
import { preparedSplit, refuseOneSided } from '../../../analysis/learn/prepare';
import { runCell } from '../../../analysis/learn/run-cell';
import { readJson } from '../../../cli/io/input';
import { readExamples } from '../../../cli/learn/examples-file';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';
import { accepted } from '../helpers/parsing';

const { err, file, pathOf } = useCommands();

const SCENARIOS = path.join(__dirname, '../../../scenarios/learn');
const PAPERS = path.join(SCENARIOS, 'papers');
const ROWS = 800;

const mapOf = (examples: string): string => path.join(SCENARIOS, examples.replace('.examples', '.map.json'));

const makeUp = (map: string, output: string, ...others: readonly string[]): Promise<number> =>
  main(['learn', 'data', '--map', map, '--made-up', String(ROWS), '--output', pathOf(output), ...others]);

/** The same with a small network and one round. */
function smallest({ recipe, ...cell }: Cell): Cell {
  const few = <Of extends { readonly steps?: number }>(settings: Of): Of => ({
    ...settings,
    ...{ epochs: 1, batch: 256 },
    ...(settings.steps === undefined ? {} : { steps: 3 }),
  });
  const [training, privateTraining] = [few(recipe.training), few(recipe.privateTraining)];
  const network = { embedding: 1, layers: [8] };
  return { ...cell, recipe: { ...recipe, training, privateTraining, network } };
}

/** The first training by each method, sampling and threshold. */
function oneOfEach(experiment: Experiment): readonly Cell[] {
  const found = new Map(
    [...cellsOf(experiment)].reverse().map((cell) => {
      const { method, privateTraining } = cell.recipe;
      return [`${method} ${privateTraining.sampling} ${privateTraining.threshold}`, smallest(cell)];
    }),
  );
  return [...found.values()];
}

test.each(readdirSync(PAPERS))('the experiment of a paper runs on made-up data: %s', async (name) => {
  const experiment = accepted(parseExperiment(readJson(path.join(PAPERS, name))));
  const data = experiment.data ?? '';
  expect(await makeUp(mapOf(data), data)).toBe(0);
  const { examples, map } = readExamples(pathOf(data));
  const split = preparedSplit(examples, map);
  refuseOneSided(split);
  const cells = oneOfEach(experiment);
  expect(cells.length).toBeGreaterThan(1);
  for (const cell of cells) {
    const { error, spentEpsilon } = runCell(cell, split, experiment);
    expect(Number.isFinite(error)).toBe(true);
    expect(spentEpsilon).toBeLessThanOrEqual((cell.recipe.epsilon ?? 0) * (1 + 1e-9));
  }
});

describe('made-up rows', () => {
  const map = mapOf('criteo-attribution.examples');

  test('are the same for a seed, and others for another', async () => {
    for (const [output, seed] of [
      ['one', '1'],
      ['again', '1'],
      ['other', '2'],
    ] as const)
      expect(await makeUp(map, output, '--seed', seed)).toBe(0);
    expect(readFileSync(pathOf('again')).equals(readFileSync(pathOf('one')))).toBe(true);
    expect(readFileSync(pathOf('other')).equals(readFileSync(pathOf('one')))).toBe(false);
  });

  test('share no bucket in a map that refuses it', async () => {
    const columns = Array.from({ length: 20 }, (_, column) => `c${column}`);
    const hashed = (from: number, buckets: number) => ({
      ...{ columns: columns.slice(from, from + 5), role: 'known', kind: 'hashed', buckets },
    });
    const features = [hashed(0, 1000), hashed(5, 64), hashed(10, 3), { ...hashed(15, 2), collisions: 0 }];
    const own = file('map.json', { label: { kind: 'conversion', column: 'label' }, features });
    expect([await makeUp(own, 'own'), err.join('')]).toEqual([0, expect.not.stringContaining('share one')]);
  });

  test('have labels that their features tell', async () => {
    const output = 'examples';
    await main(['learn', 'data', '--map', map, '--made-up', '6000', '--output', pathOf(output)]);
    const { examples, map: read } = readExamples(pathOf(output));
    const experiment = accepted(
      parseExperiment({
        training: { rate: 0.05, epochs: 4 },
        figures: [{ title: 'made up', methods: ['rr'], epsilons: [1] }],
      }),
    );
    const [baseline] = cellsOf(experiment);
    if (baseline === undefined) throw new Error('there is a baseline');
    // Guessing has 0.5.
    expect(runCell(baseline, preparedSplit(examples, read), experiment).auc).toBeGreaterThan(0.65);
  });

  test.each<[string, readonly string[], string]>([
    ['beside a log', ['--made-up', '5', '--input', 'log.csv'], 'needs either --input or --made-up'],
    ['without a log', [], 'needs either --input or --made-up'],
    [
      'a seed for a log',
      ['--input', 'log.csv', '--seed', '3'],
      '--seed: must not be given without --made-up',
    ],
    ['no rows', ['--made-up', '0'], '--made-up must be an integer from 1 to 100000000'],
  ])('are refused: %s', async (_, options, message) => {
    expect(await main(['learn', 'data', '--map', map, '--output', pathOf('out'), ...options])).toBe(2);
    expect(err.join('')).toContain(message);
  });
});
