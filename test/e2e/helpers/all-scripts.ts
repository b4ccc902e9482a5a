import type { RecordingRule } from '../../../recording/recording-rule';
import { defaultSettings } from '../../../formats/settings/settings';
import { waitFor } from '../../../scenarios/kit';
import { epsilon } from '../../../src/model/units';
import { calm, type World } from './world';

interface Api {
  readonly scripting: {
    getRegisteredContentScripts(): Promise<readonly unknown[]>;
    executeScript(injection: object): Promise<unknown>;
  };
  readonly tabs: { query(what: object): Promise<readonly { readonly id: number }[]> };
}

const ruleOn = ({ sites }: World, on: RecordingRule['on']): RecordingRule => ({
  id: on,
  matches: [`${sites.origin('publisher')}/*`],
  selector: '.ad',
  on,
  register: 'source',
  reportingOrigin: sites.origin('adtech'),
  registration: {
    source_event_id: '1',
    destination: { $extract: { selector: null, attribute: null, as: 'origin' } },
  },
});

/** Turns on all that has a script of its own: recording rules, W3C Attribution, lift tests and debug mode. Resolves when pages opened from now on have them. */
export async function useAllScripts(world: World): Promise<void> {
  const rules = [ruleOn(world, 'viewable'), ruleOn(world, 'click')];
  await world.extension.settings({
    ...calm,
    rules,
    w3cAttribution: true,
    liftTest: { campaign: 'campaign', holdout: 0.5 },
    budget: { ...defaultSettings.budget, unit: 'user', epsilon: epsilon(4), cap: 2 },
  });
  const own = await world.extension.page();
  await waitFor('the scripts for rules, W3C Attribution, lift tests and debug mode', () =>
    own.evaluate(async () => {
      const { scripting } = (globalThis as unknown as { readonly chrome: Api }).chrome;
      return (await scripting.getRegisteredContentScripts()).length === 5;
    }),
  );
}

/** As the options page does. */
export async function testRuleIn(world: World): Promise<void> {
  const own = await world.extension.page();
  await own.evaluate(
    async (url) => {
      const { scripting, tabs } = (globalThis as unknown as { readonly chrome: Api }).chrome;
      const [tab] = await tabs.query({ url });
      const target = { tabId: tab?.id };
      await scripting.executeScript({ target, files: ['/rule-tester.js'] });
      await scripting.executeScript({
        target,
        func: () =>
          (globalThis as unknown as { cointossTestRule(test: object): unknown }).cointossTestRule({
            selector: '.ad',
            extractors: [{}],
          }),
      });
    },
    `${world.sites.origin('publisher').replace(/:\d+$/, '')}/*`,
  );
}
