/**
 * Runs on the pages that a recording rule names, once they are loaded, and tells the background when a rule is met.
 */
import type { ContentRule } from '../messages';
import { watchRules } from './recording/watch-rules';
import { send } from './send';

async function start(): Promise<void> {
  const rules = await send({ kind: 'rules' });
  if (Array.isArray(rules)) watchRules(rules as ContentRule[]);
}

if (isSecureContext) void start();
