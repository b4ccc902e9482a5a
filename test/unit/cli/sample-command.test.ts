import { readFileSync } from 'node:fs';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';

const { out, err, pathOf } = useCommands();

const run = (command: string): Promise<number> => main(['sample', ...command.split(' ')]);

const MATCHING = '--weights 3,1.5,-;2,0,1 --sensitivity 1 --epsilon 1';
const PAIRS = /^(\d-\d( \d-\d)*)?$/;
const PEOPLE = '--counts 30,12,0 --epsilon 1';
const THREE = /^-?\d+ -?\d+ -?\d+$/;
const CHOICE = '--clicks 1,5,9 --conversion 10 --tau 0.5 --epsilon 1';

test.each([
  ['rr --states 3 --epsilon 1 --true 2', /^[012]$/],
  ['rr --states 175142105857592248012292655 --epsilon 0.001 --true 0', /^\d{15,27}$/],
  ['rr-with-prior --prior 1/3,1/3,1/3 --epsilon 1 --true 0', /^[012]$/],
  ['rr-on-bins --values 0,10 --prior 0.5,0.5 --loss squared --epsilon 5 --true 10', /^\d(\.\d+)?$/],
  ['unbiased --values 0,10 --prior 0.5,0.5 --epsilon 5 --true 10', /^-?\d+\.\d+$/],
  [`exponential ${CHOICE} --score exponential`, /^[012]$/],
  [`permute-and-flip ${CHOICE} --score reciprocal --gap 1`, /^[012]$/],
  ['discrete-laplace --scale 2', /^-?\d+$/],
  [`matching --by laplace ${MATCHING}`, PAIRS],
  [`matching --by joint ${MATCHING} --chances 1,1/2,-;0.5,1,1`, PAIRS],
  [`matching --by gaussian --delta 1e-6 ${MATCHING}`, PAIRS],
  [`matching --by greedy ${MATCHING}`, PAIRS],
  [`matching --by exponential ${MATCHING}`, PAIRS],
  ['matching --by value --weights 3,1.5,-;2,0,1 --clip 2 --epsilon 100', /^\d(\.\d+)?$/],
  [`matching --by joint --neighbours edge --owners one,one ${MATCHING}`, PAIRS],
  [`histogram --by rappor ${PEOPLE}`, THREE],
  [`histogram --by rr ${PEOPLE}`, THREE],
  [`histogram --by shuffled-rr ${PEOPLE}`, THREE],
  [`histogram --by split-and-mix ${PEOPLE}`, THREE],
  [`histogram --by discrete-laplace ${PEOPLE}`, THREE],
  [`histogram --by discrete-gaussian --delta 0.01 ${PEOPLE}`, THREE],
])('%s counts its outputs, and the seed repeats them', async (command, output) => {
  expect(await run(`${command} --n 500 --seed s`)).toBe(0);
  expect(await run(`${command} --n 500 --seed s`)).toBe(0);
  // Only the unbiased randomizer is a search, which says how near the best it ended.
  const gap =
    /^cointoss: sample: unbiased: variance [\d.e-]+, certified to be at most (0|0\.00\d+|[\d.]+e-\d+) % above the least possible\n$/;
  if (command.startsWith('unbiased ')) for (const line of err) expect(line).toMatch(gap);
  else expect(err).toEqual([]);
  expect(out[1]).toBe(out[0]);
  const { counts } = JSON.parse(out[0] ?? '') as { counts: Record<string, number> };
  expect(Object.values(counts).reduce((a, b) => a + b, 0)).toBe(500);
  for (const key of Object.keys(counts)) expect(key).toMatch(output);
});

test('without a seed no two runs are alike', async () => {
  const command = 'rr --states 1000000 --epsilon 0.1 --true 0 --n 50';
  await run(command);
  await run(command);
  expect(out[1]).not.toBe(out[0]);
});

test.each([
  [
    `matching --by laplace --delta 0.1 ${MATCHING}`,
    '--delta: must be given with --by gaussian, and only with it',
  ],
  [`matching --by gaussian ${MATCHING}`, '--delta: must be given with --by gaussian, and only with it'],
  [
    'matching --by greedy --weights 3;x --sensitivity 1 --epsilon 1',
    '--weights[1][0] must be a finite number, was "x"',
  ],
  [`matching --by greedy --clip 1 ${MATCHING}`, '--sensitivity: must be given, or --clip instead of it'],
  [
    `matching --by value --neighbours edge ${MATCHING}`,
    '--neighbours: must come with --by laplace, gaussian or joint',
  ],
  [
    `matching --by joint --owners one ${MATCHING}`,
    '--owners: must come with --by joint, and name an owner for each of 2 clicks',
  ],
  ['matching-losses --candidates 1 --epsilon 1', '--candidates must be an integer from 2 to 1000, was "1"'],
  ['rr --states 0 --epsilon 1 --true 0', '--states must be an integer of at least 1, was "0"'],
  ['rr --states 3 --epsilon 0 --true 0', '--epsilon must be greater than 0 and finite, was "0"'],
  ['rr --states 3 --epsilon 1e9 --true 0', '--epsilon must be greater than 0 and at most 100000, was "1e9"'],
  [
    'rr --states 3 --epsilon Infinity --true 0',
    '--epsilon must be greater than 0 and finite, was "Infinity"',
  ],
  ['rr --states 3 --epsilon 1 --true 3', '--true must be an integer from 0 to 2, was "3"'],
  [
    'rr-with-prior --prior 0.5,0.4 --epsilon 1 --true 0',
    '--prior must be a list of probabilities that sum to 1, was 0.9',
  ],
  [
    'rr-with-prior --prior 0.5,0.5 --epsilon NaN --true 0',
    '--epsilon must be greater than 0 and finite, was "NaN"',
  ],
  ['rr-with-prior --prior 0.5,0.5 --epsilon 1 --true 2', '--true must be an integer from 0 to 1, was "2"'],
  [
    'rr-on-bins --values 0,1 --prior 0.5,0.5 --loss squared --epsilon 1 --true 2',
    '--true must be one of the values (0, 1), was "2"',
  ],
  [
    'unbiased --values 0,1,2 --prior 0.5,0.5 --epsilon 1 --true 2',
    '--values must have as many numbers as the prior has probabilities (2), has 3',
  ],
  [
    'unbiased --values 0,1 --prior 0.5,0.5 --epsilon 1e-200 --true 1',
    '--epsilon must be so large that the variance is below 1.8e308, was "1e-200"',
  ],
  [
    'exponential --clicks  --conversion 1 --tau 1 --epsilon 1 --score linear',
    '--clicks must be a list of at least one number, was "empty"',
  ],
  [
    `exponential ${CHOICE} --score reciprocal --gap 0.5`,
    '--gap must be greater than tau (1/2) and finite, was "0.5"',
  ],
  [
    `permute-and-flip ${CHOICE} --score reciprocal`,
    '--gap must be greater than tau (1/2) and finite, was "missing"',
  ],
  ['discrete-laplace --scale -1', '--scale must be greater than 0 and finite, was "-1"'],
  [
    'histogram --by rr --counts 3,-1 --epsilon 1',
    '--counts[1] must be an integer from 0 to 1000000000, was "-1"',
  ],
  ['histogram --by rr --counts 3 --epsilon 1', '--counts: how many must be an integer of at least 2, was 1'],
  [
    'histogram --by rr --counts 3,1 --epsilon 101',
    '--epsilon must be greater than 0 and at most 100, was "101"',
  ],
  [
    'histogram --by split-and-mix --counts 3,1 --epsilon 1',
    '--counts: their sum must be an integer of at least 19, was 4',
  ],
  [
    'histogram --by discrete-gaussian --counts 3,1 --epsilon 1 --delta 1',
    '--delta must be from 0 to 1, was "1"',
  ],
  ['histogram-errors --counts 30,1 --epsilon 1,x', '--epsilon must be greater than 0 and finite, was "x"'],
])('%s is refused in one line', async (command, message) => {
  expect(await run(`${command} --n 10`)).toBe(2);
  expect(out).toEqual([]);
  expect(err).toEqual([`cointoss: sample: ${message}\n`]);
});

test.each([
  ['discrete-laplace --scale 1 --n 0', '--n must be an integer from 1 to'],
  ['discrete-laplace --scale 1', "required option '--n <count>' not specified"],
  [
    'rr-on-bins --values 1 --prior 1 --loss cubic --epsilon 1 --true 1 --n 1',
    "'cubic' is invalid. Allowed choices are",
  ],
  ['gaussian --n 1', "unknown command 'gaussian'"],
])('%s is refused', async (command, message) => {
  expect(await run(command)).toBe(2);
  expect(out).toEqual([]);
  expect(err.join('')).toContain(message);
  expect(err.join('').trim().split('\n')).toHaveLength(1);
});

test('the errors of histograms come with their theory and a picture', async () => {
  const picture = pathOf('errors.svg');
  const command = `histogram-errors --counts 20,9 --epsilon 1,2 --n 20 --seed s --svg ${picture}`;
  expect(await run(command)).toBe(0);
  const rows = out.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows).toHaveLength(12);
  expect(rows[4]).toEqual({
    by: 'discrete-laplace',
    epsilon: '1',
    expected: expect.closeTo(7.835, 3) as number,
    measured: expect.any(Number) as number,
    standard_error: expect.any(Number) as number,
  });
  expect(readFileSync(picture, 'utf8')).toMatch(/^<svg xmlns=[^]*split-and-mix<[^]*<polyline[^]*<\/svg>\n$/);
});
