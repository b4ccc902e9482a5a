import browser from 'webextension-polyfill';
import { chromiumLimits } from '../../../src/model/limits';
import type { RecordingRule } from '../../../recording/recording-rule';
import { parseMatchPattern } from '../../../recording/match-pattern';
import { readingsOf } from '../../../recording/readings';
import { fillIn, sourceTypeOf } from '../../../recording/rules';
import type { Issue } from '../../../formats/codec/mistakes';
import { parseSource } from '../../../formats/registration/source';
import { parseTrigger } from '../../../formats/registration/trigger';
import type { RuleTest, RuleTestResult } from '../../content/rule-tester';
import { currentTab } from './current-tab';
import { t } from '../../i18n';

/** What a rule would do on the open page. */
export interface RuleTrial {
  readonly url: string;
  /** Whether one of the rule's match patterns fits the page. */
  readonly matchesPage: boolean;
  readonly count: number;
  /** What the first element would register; `errors` says what is wrong with it. */
  readonly registration: unknown;
  readonly errors: readonly Issue[];
}

/** @throws Error when there is no page to test on, or the selector is not CSS */
export async function tryRule(rule: RecordingRule): Promise<RuleTrial> {
  const { id, url } = await currentTab();
  if (id === null || !/^https?:/.test(url)) throw new Error(t('rules_no_page'));
  const extractors = readingsOf(rule).map(({ extractor }) => extractor);
  const result = await runIn(id, { selector: rule.selector, extractors });
  if (result.kind === 'failed') throw new Error(t('rules_selector_problem', { problem: result.problem }));
  const registration = result.count === 0 ? null : fillIn(rule.registration, result.values[0] ?? []);
  const parsed =
    rule.register === 'trigger'
      ? parseTrigger(registration, chromiumLimits)
      : parseSource(registration, sourceTypeOf(rule), chromiumLimits);
  return {
    url,
    matchesPage: rule.matches.some((pattern) => parseMatchPattern(pattern)?.matches(url) === true),
    count: result.count,
    registration,
    errors: result.count === 0 ? [] : parsed.errors,
  };
}

async function runIn(tabId: number, test: RuleTest): Promise<RuleTestResult> {
  // Absolute, because Firefox resolves paths against the calling page.
  await browser.scripting.executeScript({ target: { tabId }, files: ['/rule-tester.js'] });
  const [answer] = await browser.scripting.executeScript({
    target: { tabId },
    func: callTester,
    args: [test],
  });
  if (answer?.result === undefined)
    throw new Error(String((answer as { error?: unknown } | undefined)?.error));
  return answer.result as RuleTestResult;
}

/** Runs in the page, in the same world as the script `rule-tester.js`. */
function callTester(test: RuleTest): unknown {
  return (globalThis as unknown as { cointossTestRule: (test: RuleTest) => unknown }).cointossTestRule(test);
}
