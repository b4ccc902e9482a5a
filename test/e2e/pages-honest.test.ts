import type { Page } from 'puppeteer';
import { waitFor } from '../../scenarios/kit';
import { fill, goTo, shows, textOf } from './helpers/internals';
import { browsers, useWorld } from './helpers/world';

jest.setTimeout(60_000);

describe.each(browsers)('what pages say is so (%s)', (name) => {
  const world = useWorld(name);

  /** The internals page at a view. */
  const open = async (address: string, awaited: string): Promise<Page> => {
    const page = await world.extension.page();
    await page.bringToFront();
    await goTo(page, address);
    await page.waitForSelector(awaited);
    return page;
  };

  it('keep every character that is typed fast into the JSON editor', async () => {
    const page = await open('#/workbench', '#registration');
    const typed = JSON.stringify({
      destination: 'https://shop.example',
      filter_data: { word: ['abcdefghij'] },
    });
    for (let round = 0; round < 3; round++) {
      await page.evaluate(() => {
        const editor = document.querySelector<HTMLElement>('#registration');
        editor?.focus();
        if (editor) getSelection()?.selectAllChildren(editor);
      });
      await page.keyboard.type(typed);
      await waitFor('the last character', async () => (await textOf(page, '#registration'))?.endsWith('}}'));
      expect(await textOf(page, '#registration')).toBe(typed);
    }
  });

  it('say in the workbench that a source is refused where the engine refuses it', async () => {
    const page = await open('#/workbench', '#knob-reports');
    await fill(page, '#knob-reports', '20');
    await shows(
      page,
      '#beyond-limit',
      'This source would be refused. It must have at most 4294967295 states, has 1761039350070.',
    );
    await fill(page, '#knob-reports', '3');
    await shows(page, '#beyond-limit', null);
  });
});
