import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitFor } from '../../scenarios/kit';
import { press, shows } from './helpers/internals';
import { standingOn, trialFor } from './helpers/trials';
import { World } from './helpers/world';

jest.setTimeout(120_000);

const DAY = 86_400_000;
const ID = 'cointoss@cointoss.example';

/*
 * In Firefox alone: it reads policies of an extension from the home folder. Chrome reads them from a folder of the whole machine, which no
 * test should write to; docs/field-trial.md says how to look there by hand.
 */
describe('a trial set by policy (firefox)', () => {
  const world = new World('firefox');
  const { HOME } = process.env;
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'cointoss-home-'));
    await mkdir(path.join(home, '.mozilla/managed-storage'), { recursive: true });
    process.env['HOME'] = home;
  });

  afterEach(async () => {
    process.env['HOME'] = HOME;
    await world.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const setPolicy = (trial: string): Promise<void> =>
    writeFile(
      path.join(home, '.mozilla/managed-storage', `${ID}.json`),
      JSON.stringify({ name: ID, description: 'A trial', type: 'storage', data: { trial } }),
    );

  it('is there from the start, waits for the person, and cannot be removed', async () => {
    await setPolicy(JSON.stringify(trialFor(DAY)));
    await world.start({ consent: false });
    const page = await world.extension.openPage('pages/consent.html');
    await shows(page, '#trial h2', 'Ad recall 2027');
    expect(await page.$('#forget, #trial-link')).toBeNull();
    expect(await standingOn(page)).toBe('unanswered');
    await press(page, '#accept');
    await waitFor('the trial', async () => (await standingOn(page)) === 'recording');
    await expect(world.extension.send({ kind: 'forget-trial' })).rejects.toThrow('set by policy');
    await expect(world.extension.settings({ collector: null })).rejects.toThrow('set by the trial');
  });

  it('that cannot be read is said to be so, and cannot be agreed to', async () => {
    await setPolicy(JSON.stringify(trialFor(DAY, { end: 'soon' })));
    await world.start({ consent: false });
    const page = await world.extension.openPage('pages/consent.html');
    await shows(page, '#trial-problem', /end: must be a time such as 2027-03-31T18:00:00Z, was "soon"/);
    expect(await page.$eval('#accept', (button) => (button as HTMLButtonElement).disabled)).toBe(true);
    await expect(world.extension.accept()).rejects.toThrow('The trial cannot be read');
  });
});
