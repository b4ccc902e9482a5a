import { fuzzedFiles } from './helpers/fuzz/files';
import { fuzz } from './helpers/fuzz/fuzz';
import { fuzzedParsers } from './helpers/fuzz/parsers';
import { fuzzInProcess } from './helpers/fuzz/in-process';

/* A sample of what `npm run soak -- fuzz` reads. */

const INPUTS = 300;

test.each(Object.keys(fuzzedParsers))('%s: any input is read, or refused with clear errors', (name) => {
  const parser = fuzzedParsers[name];
  if (parser === undefined) throw new Error('no such parser');
  const { accepted, findings } = fuzz(parser, INPUTS, 20_261_122);
  expect(findings).toEqual([]);
  // Otherwise the mutations would test nothing.
  expect(accepted).toBeGreaterThan(INPUTS / 50);
  expect(accepted).toBeLessThanOrEqual(INPUTS);
});

test.each(fuzzedFiles)(
  '%s: any bytes are read as rows, or refused with the name of the file',
  async (name) => {
    const { accepted, findings } = await fuzzInProcess(name, INPUTS, 20_261_123);
    expect(findings).toEqual([]);
    expect(accepted).toBeLessThan(INPUTS);
  },
);
