/**
 * Runs from the start on pages that a recording rule names, and tells the background when a rule is met. It asks for the rules at once, to
 * have them before the first click.
 */
import type { ContentRule } from '../content-messages';
import { watchRules } from './recording/watch-rules';
import { send } from './send';
import { whenShown } from './when-shown';

async function start(): Promise<void> {
  const rules = await send({ kind: 'rules' });
  if (Array.isArray(rules)) whenShown(() => watchRules(rules as ContentRule[]));
}

if (isSecureContext) void start();
