import browser from 'webextension-polyfill';
import type { RecordingRule } from '../../../recording/recording-rule';
import { parseMatchPattern } from '../../../recording/match-pattern';

const ID = 'recording-rules';

let injecting: Promise<void> = Promise.resolve();

/** Injects the script for recording rules, only into pages that a rule names. */
export function injectRuleScripts(rules: readonly RecordingRule[]): Promise<void> {
  // In order. A rule that the browser rejects must not stop the rest of Cointoss.
  injecting = injecting
    .then(() => inject(rules))
    .catch((error: unknown) => console.error('Cointoss could not watch for its recording rules', error));
  return injecting;
}

async function inject(rules: readonly RecordingRule[]): Promise<void> {
  const wanted = [
    ...new Set(
      rules.flatMap(({ matches }) => matches.flatMap((text) => parseMatchPattern(text)?.withoutPort ?? [])),
    ),
  ].sort();
  const [registered] = await browser.scripting.getRegisteredContentScripts({ ids: [ID] });
  if (JSON.stringify(registered?.matches?.slice().sort() ?? []) === JSON.stringify(wanted)) return;
  if (registered !== undefined) await browser.scripting.unregisterContentScripts({ ids: [ID] });
  if (wanted.length === 0) return;
  await browser.scripting.registerContentScripts([
    {
      id: ID,
      matches: wanted,
      js: ['rules.js'],
      runAt: 'document_start',
      allFrames: true,
      persistAcrossSessions: false,
    },
  ]);
}
