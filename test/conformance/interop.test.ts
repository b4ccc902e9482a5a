import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { canonical } from '../../src/model/json';
import { limitsOf, runCase } from './runner';
import { chromiumLimits } from '../../src/model/limits';
import type { ScenarioReport } from '../../analysis/scenario/scenario';

/** Expected reports that are missing, because they are outside the event-level half. */
interface Exception {
  readonly file: string;
  readonly reportTime: string;
  readonly reason: string;
}

const noEventTriggerData =
  'the trigger has aggregatable data only, so its whole outcome is of the aggregatable half';

const exceptions: readonly Exception[] = [
  {
    file: 'rate_limit_max_attribution_reporting_endpoints.json',
    reportTime: '5001',
    reason: noEventTriggerData,
  },
  {
    file: 'rate_limit_max_attribution_reporting_endpoints.json',
    reportTime: '11000',
    reason: noEventTriggerData,
  },
];

const CONFIG = 'default_config.json';
const folder = process.env['COINTOSS_INTEROP'] ?? path.resolve(__dirname, '../../../shared/interop');
const present = existsSync(path.join(folder, CONFIG));
const files = present ? readdirSync(folder).filter((name) => name.endsWith('.json') && name !== CONFIG) : [];

if (present) {
  describe(`the interoperability cases in ${folder}`, () => {
    it.each(files)('%s', async (name) => {
      const limits = limitsOf(path.join(folder, CONFIG), chromiumLimits);
      const { expected, actual } = await runCase(path.join(folder, name), limits);
      const excepted = exceptions.filter(({ file }) => file === name);
      expect(actual).toEqual(withoutMissing(expected, actual, excepted));
    });

    it('include every file that the exceptions name', () => {
      expect(exceptions.filter(({ file }) => !files.includes(file))).toEqual([]);
    });
  });
} else {
  // eslint-disable-next-line jest/no-disabled-tests -- the cases belong to others and are not part of this repository
  it.skip(`the interoperability cases are not in ${folder} (set COINTOSS_INTEROP to their folder)`, () =>
    undefined);
}

/** Removes one expected report per exception; fails when that report is not missing. */
function withoutMissing(
  expected: readonly ScenarioReport[],
  actual: readonly ScenarioReport[],
  excepted: readonly Exception[],
): readonly ScenarioReport[] {
  const sent = new Set(actual.map((report) => canonical({ ...report })));
  return excepted.reduce((left, { reportTime, reason }) => {
    const missing = left.find(
      (report) => report.report_time === reportTime && !sent.has(canonical({ ...report })),
    );
    if (missing === undefined) throw new Error(`the exception at ${reportTime} is not needed: ${reason}`);
    return left.filter((report) => report !== missing);
  }, expected);
}
