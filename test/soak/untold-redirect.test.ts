import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../scenarios/kit';
import { declareImage } from '../e2e/helpers/declared-image';
import { HoldingServer } from '../e2e/helpers/holding-server';
import { source } from '../e2e/helpers/registrations';
import { english } from '../../words/english';
import { browsers, World } from '../e2e/helpers/world';
import { processOfExtension } from './helpers/footprint';

// docs/threat-model.md says what happens. Processes are found and stopped as on Linux.
(existsSync('/proc/self') ? describe : describe.skip).each(browsers)(
  'a redirect of which no background was told (%s)',
  (name) => {
    const world = new World(name);
    let userDataDir: string;
    let held: HoldingServer;
    beforeAll(async () => {
      userDataDir = await mkdtemp(path.join(tmpdir(), 'cointoss-untold-'));
      await world.start({ userDataDir });
      held = await HoldingServer.start(source(1, world.sites.origin('shop')));
    });
    afterAll(async () => {
      await world.stop();
      await held.close();
      await rm(userDataDir, { recursive: true, force: true });
    });

    it('registers nothing, where a plain image is led to the URL of an element', async () => {
      const last = `${held.origin}/ad`;
      const page = await world.open('publisher', `<script>${declareImage(last)}</script>`);
      // The background has the declaration by then.
      await sleep(1000);
      const id = await processOfExtension(userDataDir);
      if (id === null) throw new Error('the extension has no process');
      process.kill(id, 'SIGSTOP');
      try {
        await page.evaluate((url) => void (new Image().src = url), world.sites.redirect('adtech', last));
        await waitFor('the last hop', () => held.requests.length > 0);
      } finally {
        process.kill(id, 'SIGKILL');
      }
      // The browser has noticed it by then.
      await sleep(2000);
      held.answer();
      // It is heard after the others, and the next background itself asks for it.
      const honest = world.sites.serve('honest', '/ad', { headers: source(2, world.sites.origin('shop')) });
      await world.open('publisher', `<img attributionsrc="${honest}">`);
      await waitFor('the next background', () => world.sites.received('honest', '/ad').length > 0);
      // The extension's pages died, too.
      await world.closeBrowser();
      await world.launchBrowser({ userDataDir });
      await world.extension.advance(60_000);
      expect(await world.waitForRecorded(1)).toEqual(['event source 2 on publisher by honest']);
      expect(await world.ignored()).toEqual([
        english.mistakeText({ code: 'eligibility-unknown', values: {} }),
      ]);
    });
  },
);
