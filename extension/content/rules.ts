/**
 * Runs on the pages that a recording rule names, from their start, and tells the background when a rule is met. The rules are asked
 * for at once, so that a click that comes as soon as the page is there finds them.
 */
import type { ContentRule } from '../../src/messages';
import { watchRules } from './recording/watch-rules';
import { send } from './send';

async function start(): Promise<void> {
  const rules = await send({ kind: 'rules' });
  if (Array.isArray(rules)) watchRules(rules as ContentRule[]);
}

if (isSecureContext) void start();
