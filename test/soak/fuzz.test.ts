import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { filesByFormat } from '../unit/helpers/fuzz/files';
import type { Fuzzed } from '../unit/helpers/fuzz/fuzz';
import { fuzzedParsers } from '../unit/helpers/fuzz/parsers';
import { grownFiles } from '../unit/helpers/fuzz/grown-files';
import { fuzzInProcess } from '../unit/helpers/fuzz/in-process';

const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? 1_000_000);

/** Takes minutes, so it says where it is. */
const fuzzed = async (name: string, inputs = INPUTS): Promise<Fuzzed> => {
  process.stderr.write(`${name}: ${inputs.toLocaleString('en')} inputs …\n`);
  const found = (await fuzzInProcess([name], inputs, 13)).get(name);
  if (found === undefined) throw new Error('nothing was said of it');
  return found;
};

describe.each(Object.keys(fuzzedParsers))('%s', (name) => {
  test(`${INPUTS.toLocaleString('en')} inputs are read, or refused with clear errors, in little memory`, async () => {
    expect((await fuzzed(name)).findings).toEqual([]);
  }, 7_200_000);
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

const measured = async (program: string, ...given: readonly string[]): Promise<unknown> => {
  // What takes more memory for JavaScript's objects ends the process.
  const args = ['--max-old-space-size=512', '--expose-gc', '--import', 'tsx', program, ...given];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 })).stdout);
};

test.each(Object.keys(grownFiles))(
  '%s: twice the file takes less than three times the processor time',
  async (name) => {
    expect(await measured(require.resolve('../unit/helpers/fuzz/growth-of-files.ts'), name)).toBeNull();
  },
  600_000,
);

test.each(['texts', 'entrances'])(
  'twice the text takes less than three times the processor time, up to 2 MB: %s',
  async (what) => {
    expect(
      await measured(require.resolve('../unit/helpers/costs/program.ts'), what, '2048000'),
    ).toMatchObject({
      [what]: { found: [] },
    });
  },
  7_200_000,
);
