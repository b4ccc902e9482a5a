import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { filesByFormat } from '../unit/helpers/fuzz/files';
import { grown, type Fuzzed } from '../unit/helpers/fuzz/fuzz';
import { fuzzedParsers, type FuzzedParser } from '../unit/helpers/fuzz/parsers';
import { grownFiles } from '../unit/helpers/fuzz/grown-files';
import { growth } from '../unit/helpers/fuzz/growth';
import { fuzzInProcess } from '../unit/helpers/fuzz/in-process';

const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? 1_000_000);

/** Takes minutes, so it says where it is. */
const fuzzed = async (name: string, inputs = INPUTS): Promise<Fuzzed> => {
  process.stderr.write(`${name}: ${inputs.toLocaleString('en')} inputs …\n`);
  const found = (await fuzzInProcess([name], inputs, 13)).get(name);
  if (found === undefined) throw new Error('nothing was said of it');
  return found;
};

const parserOf = (name: string): FuzzedParser => {
  const parser = fuzzedParsers[name];
  if (parser === undefined) throw new Error('no such parser');
  return parser;
};

describe.each(Object.keys(fuzzedParsers))('%s', (name) => {
  test(`${INPUTS.toLocaleString('en')} inputs are read, or refused with clear errors, in little memory`, async () => {
    expect((await fuzzed(name)).findings).toEqual([]);
  }, 7_200_000);

  test('16 times the input takes less than 128 times the processor time', async () => {
    const { seeds, read } = parserOf(name);
    const ratio = await growth(9, (size) => {
      const texts = seeds.slice(0, 5).map((seed) => grown(seed, size));
      return Promise.resolve(() => Promise.resolve(texts.map((text) => read(text))));
    });
    // Quadratic time would be 256 times as long.
    expect(ratio).toBeLessThan(128);
  }, 600_000);
});

describe.each(Object.entries(filesByFormat))('%s', (_, files) => {
  const inputs = Math.ceil(INPUTS / files.length);

  test.each(files)(
    `%s: ${inputs.toLocaleString('en')} inputs are read as rows, or refused with the name of the file`,
    async (name) => {
      const { accepted, findings } = await fuzzed(name, inputs);
      expect(findings).toEqual([]);
      expect(accepted).toBeLessThan(inputs);
    },
    7_200_000,
  );
});

test.each(Object.keys(grownFiles))(
  '%s: 16 times the file takes less than 128 times the processor time',
  async (name) => {
    const given = ['--import', 'tsx', require.resolve('../unit/helpers/fuzz/growth-of-files.ts'), name];
    const { stdout } = await promisify(execFile)(process.execPath, given);
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(128);
  },
  600_000,
);
