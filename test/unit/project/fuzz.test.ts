import { fuzzedFiles } from '../helpers/fuzz/files';
import { fuzz, type Fuzzed } from '../helpers/fuzz/fuzz';
import { fuzzedParsers } from '../helpers/fuzz/parsers';
import { fuzzInProcess } from '../helpers/fuzz/in-process';
import { isLong } from '../helpers/is-long';

/* A sample of what `npm run soak -- fuzz` reads. */

const INPUTS = isLong ? 300 : 50;

test.each(Object.keys(fuzzedParsers))('%s: any input is read, or refused with clear errors', (name) => {
  const parser = fuzzedParsers[name];
  if (parser === undefined) throw new Error('no such parser');
  const { accepted, findings } = fuzz(parser, INPUTS, 20_261_122);
  expect(findings).toEqual([]);
  // Otherwise the mutations would test nothing.
  expect(accepted).toBeGreaterThan(INPUTS / 50);
  expect(accepted).toBeLessThanOrEqual(INPUTS);
});

test.each(Object.entries(fuzzedParsers))(
  '%s: what the mutations begin with is accepted',
  (_, { seeds, read }) => {
    // A seed that a parser refuses as a whole, because it got a new field, tests little of it.
    const refused = seeds.flatMap((seed) => {
      const { value, errors } = read(typeof seed === 'string' ? seed : JSON.stringify(seed));
      return value === null ? [[seed, errors]] : [];
    });
    expect(refused).toEqual([]);
  },
);

describe('files', () => {
  let found: ReadonlyMap<string, Fuzzed>;

  beforeAll(async () => {
    found = await fuzzInProcess(fuzzedFiles, INPUTS, 20_261_123);
  });

  test.each(fuzzedFiles)('%s: any bytes are read as rows, or refused with the name of the file', (name) => {
    const { accepted, findings } = found.get(name) ?? { accepted: NaN, findings: null };
    expect(findings).toEqual([]);
    expect(accepted).toBeLessThan(INPUTS);
  });
});
