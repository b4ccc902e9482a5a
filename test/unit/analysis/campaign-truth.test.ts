import { campaignMatrix, campaignSample, isBasket, type CampaignSetting } from '../helpers/campaign-log';
import { campaignRun, type Answer } from '../helpers/campaign-run';
import { claimsOf, expectObserved, holds, wrongRanks } from '../helpers/campaign-truth';
import { expectPages, expectRows, expectTables } from '../helpers/campaign-views';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';
import type { Compared } from '../helpers/shown-numbers';

/*
 * Logs with a known truth: people run through the engine with noise, and again without. Every number that `estimate` says of a campaign is
 * compared with what happened: its interval holds the truth, or the row says that it cannot be compared. Every number of the tables, the rows
 * and the pages is that of the JSON: it differs by at most half a unit of its last digit, and a twentieth of the interval.
 */

const world = useCommands();

const PEOPLE = isLong ? 300 : 150;
/** Of each number, so that all of them together are right but for 10^-5. */
const SURE = 1 - 1e-10;
const USUAL = 0.95;

const matrix = { settings: 0, numbers: 0, usual: 0, held: 0, shown: 0 };
const { stderr } = process;
const print = stderr.write.bind(stderr);
afterAll(() => {
  const { settings, numbers, usual, held, shown } = matrix;
  print(
    `campaign truth: ${settings} settings; ${numbers} numbers at level 1 - 1e-10, none wrong unless a test failed; ${held} of ${usual} hold the truth at 95 %; ${shown} numbers of tables, rows and pages are those of the JSON\n`,
  );
});

const nameOf = ({ mechanism, windows, unit, size }: CampaignSetting): string =>
  [mechanism, windows, ...(unit === null ? ['no budget'] : [`${size} for each ${unit}`])].join(', ');

test.each((isLong ? campaignMatrix : campaignSample).map((setting) => [nameOf(setting), setting] as const))(
  'every number with %s holds the truth, or is not compared, and is shown as it is',
  async (_, setting) => {
    const run = await campaignRun(world, setting, PEOPLE, 1);
    const sure = await run.estimated(SURE);
    const claims = claimsOf(run, sure);
    expect(claims.length).toBeGreaterThan(100);
    expect(claims.length).toBeLessThan(1000);
    expect(claims.filter((one) => !holds(one))).toEqual([]);
    expect(wrongRanks(run, sure)).toEqual([]);
    // At the usual level nearly all do.
    const usual = await run.estimated(USUAL);
    expectPossible(usual);
    expectRanks(usual);
    expectValues(usual, setting);
    const shown: Compared = { count: expectObserved(run, usual) };
    await expectTables(world, run, usual, shown);
    await expectRows(world, run, usual, shown);
    await expectPages(world, usual, shown, isLong ? ['en', 'de'] : [matrix.settings % 2 === 0 ? 'en' : 'de']);
    expect(shown.count).toBeGreaterThan(300);
    const usually = claimsOf(run, usual);
    matrix.settings += 1;
    matrix.numbers += claims.length;
    matrix.usual += usually.length;
    matrix.held += usually.filter(holds).length;
    matrix.shown += shown.count;
  },
);

test('nearly all hold the truth at the usual level', () => {
  expect(matrix.held).toBeGreaterThanOrEqual(0.93 * matrix.usual);
});

/** Each number is inside its interval, which has a width, and nothing impossible. There is none if the interval has everything. */
function expectPossible({ configurations, totals }: Answer): void {
  const groups = [...configurations.flatMap(({ groups: own }) => own), ...totals];
  for (const { quantity, estimate, interval } of groups.flatMap(({ estimates }) => estimates)) {
    const [low, high] = interval;
    expect(high).toBeGreaterThan(low ?? NaN);
    if (quantity === 'conversion-rate') {
      expect(high).toBeLessThanOrEqual(1);
      expect(estimate === null).toBe(low === 0 && high === 1);
    }
    if (estimate === null) {
      expect(low).toBe(0);
      continue;
    }
    expect(estimate).toBeGreaterThanOrEqual(low ?? NaN);
    expect(estimate).toBeLessThanOrEqual(high ?? NaN);
  }
}

function expectRanks({ totals }: Answer): void {
  const byName = new Map(totals.map((total) => [total.group['campaign'], total]));
  expect(byName.get('short')?.unranked).toBe('windows');
  for (const name of ['mixed', 'baskets']) expect(byName.get(name)?.unranked).toBe('uncovered');
  expect(byName.get('large')?.rank?.best).toBe(1);
  // Nothing is known of a handful, so it may have any rank.
  expect(byName.get('handful')?.rank).toEqual({ best: 1, worst: 4, tied: 3 });
}

/** Of clicks and views that report buckets or values. Bins have no unbiased estimate of a sum, unless each value has its own. */
function expectValues({ totals }: Answer, { mechanism }: CampaignSetting): void {
  for (const { group, values } of totals) {
    const name = group['campaign'];
    if (name === undefined || (mechanism === 'bins' && isBasket(name, 'navigation'))) continue;
    expect([name, values !== null]).toEqual([name, isBasket(name, 'navigation')]);
  }
}
