import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { waitFor, type LaunchOptions } from '../../scenarios/kit';
import { press, shows } from './helpers/internals';
import { canManage, makePolicy, type Policy } from './helpers/policy';
import { source } from './helpers/registrations';
import { consentStatusOn, trialFor } from './helpers/trials';
import { browsers, isLong, itInSoak, World } from './helpers/world';

const DAY = 86_400_000;
/** Chrome takes some seconds to hand a policy to extensions. */
const PATIENT = { interval: 500 };

// Elsewhere, Chrome's policies cannot be set for one browser only; docs/field-trial-install.md says how to check by hand.
const possible = browsers.filter((name) => name === 'firefox' || canManage(name));
/** What to do with a policy's trial is for our own code to decide. Both browsers take policies in forced-install.test.ts. */
const tried = isLong ? possible : possible.slice(0, 1);

describe.each(tried)('a trial A policy on this device sets the trial (%s)', (name) => {
  const world = new World(name);
  let policy: Policy;

  beforeEach(async () => {
    policy = await makePolicy(name);
  });

  afterEach(async () => {
    await world.stop();
    await policy.remove();
  });

  /** @returns the consent page, once it shows the trial, or why there is none */
  const start = async (trial: string, options: Partial<LaunchOptions> = {}): Promise<Page> => {
    await policy.set(trial);
    await world.start({ consent: false, ...policy.launchOptions, ...options });
    const page = await world.extension.openPage('pages/consent.html');
    await waitFor('the trial', () => page.$('#trial h2, #trial-problem'), PATIENT);
    return page;
  };

  const becomes = (page: Page, consentStatus: string): Promise<boolean> =>
    waitFor(
      `the page to say ${consentStatus}`,
      async () => (await consentStatusOn(page)) === consentStatus,
      PATIENT,
    );

  const see = async (id: number): Promise<void> => {
    const headers = source(id, world.sites.origin('shop'));
    await world.open('publisher', `<img attributionsrc="${world.sites.serve('adtech', '/s', { headers })}">`);
  };

  it('is there from the start, waits for the person, and can be neither removed nor replaced', async () => {
    const trial = trialFor(DAY);
    const page = await start(JSON.stringify(trial));
    const { extension } = world;
    await shows(page, '#trial h2', 'Ad recall 2027');
    expect(await page.$('#forget, #trial-file, #trial-link')).toBeNull();
    expect(await consentStatusOn(page)).toBe('unanswered');
    const other = trialFor(DAY, { id: 'other' });
    await expect(extension.send({ kind: 'offer-trial', trial: other })).rejects.toThrow(
      'A policy on this device sets the trial',
    );
    await press(page, '#accept');
    await becomes(page, 'recording');
    await expect(extension.send({ kind: 'forget-trial' })).rejects.toThrow(
      'A policy on this device sets the trial',
    );
    await expect(extension.settings({ collector: null })).rejects.toThrow('set by the trial');
    await see(1);
    await extension.waitForSources(1);
    // Firefox reads it only when it starts.
    if (name === 'firefox') return;
    // A page that is hidden asks nothing.
    await page.bringToFront();
    await policy.set(JSON.stringify({ ...trial, version: 2, title: 'Ad recall, longer' }));
    await becomes(page, 'unanswered');
    await shows(page, 'h1', 'The trial has changed: do you still want to take part?');
    await see(2);
    await page.bringToFront();
    await press(page, '#accept');
    await becomes(page, 'recording');
    await see(3);
    expect(await world.waitForRecorded(2)).toEqual(
      [1, 3].map((id) => `event source ${id} on publisher by adtech`),
    );
  });

  // Each starts a browser of its own.
  if (isLong)
    it('that cannot be read is said to be so, and cannot be agreed to', async () => {
      const page = await start(JSON.stringify(trialFor(DAY, { end: 'soon' })));
      await shows(page, '#trial-problem', /end: must be a time such as 2027-03-31T18:00:00Z, was "soon"/);
      expect(await page.$eval('#accept', (button) => (button as HTMLButtonElement).disabled)).toBe(true);
      await expect(world.extension.accept()).rejects.toThrow('Cointoss cannot read the trial');
    });

  // Firefox reads it only when it starts.
  if (name === 'firefox') return;

  itInSoak('that changes while the browser runs asks anew, unless it only ends earlier', async () => {
    const page = await start('{');
    const { extension } = world;
    await shows(page, '#trial-problem', /must be/);
    const trial = trialFor(30 * DAY);
    await policy.set(JSON.stringify(trial));
    await waitFor('the trial', () => page.$('#trial h2'), PATIENT);
    await press(page, '#accept');
    await becomes(page, 'recording');

    const end = new Date(Date.now() + DAY).toISOString();
    await policy.set(JSON.stringify({ ...trial, end }));
    const endsEarlier = async (): Promise<boolean> =>
      (await extension.overview()).trial?.end === Date.parse(end);
    await waitFor('the earlier end', endsEarlier, PATIENT);
    expect(await consentStatusOn(page)).toBe('recording');

    // This wakes a background that sleeps.
    await extension.stopWorker();
    await policy.set(JSON.stringify({ ...trial, version: 2, title: 'Ad recall, longer' }));
    await becomes(page, 'unanswered');
    await shows(page, 'h1', 'The trial has changed: do you still want to take part?');
    await see(1);
    expect(await extension.trace()).toEqual([]);
    await press(page, '#accept');
    await becomes(page, 'recording');
    await see(2);
    expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by adtech']);
  });

  if (!isLong) return;

  it('goes on after a restart of the browser, without asking', async () => {
    const userDataDir = await mkdtemp(path.join(tmpdir(), 'cointoss-profile-'));
    const page = await start(JSON.stringify(trialFor(DAY)), { userDataDir });
    await press(page, '#accept');
    await becomes(page, 'recording');
    await world.closeBrowser();
    await world.launchBrowser({ consent: false, settings: {}, userDataDir, ...policy.launchOptions });
    // At once, although Chrome does not give it the policy yet.
    expect((await world.extension.participation()).consentStatus).toBe('recording');
    await becomes(await world.extension.openPage('pages/consent.html'), 'recording');
    await world.closeBrowser();
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  });
});

// So that the list of tests says what was left out, and why.
if (!possible.includes('chrome'))
  it.todo(
    'a trial A policy on this device sets the trial (chrome): needs Linux, and root or user namespaces',
  );
