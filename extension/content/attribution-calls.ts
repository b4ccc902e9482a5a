import type { W3cAnswer } from '../messages';
import { LONGEST_OPTIONS } from '../content-messages';
import { answerEvent, callEvent, type AttributionCall } from './attribution-events';
import { listen } from './listen';
import { objectIn } from './object-in';
import { send } from './send';

/** Escaped, options are at most twice as long, and the rest of a call is shorter. What is longer is forged. */
const LONGEST_CALL = 3 * LONGEST_OPTIONS;

/** The extension is being updated, or the page calls too often. */
const unanswered: W3cAnswer = { error: 'NotAllowedError', message: 'The call was not answered.' };

/** Passes the page's calls to the background, and its answers back. */
export function passCalls(): void {
  listen(document, callEvent, (event) => {
    const text = String((event as CustomEvent).detail);
    const call = text.length > LONGEST_CALL ? null : parse(text);
    if (call !== null) void pass(call);
  });
}

async function pass({ id, call, options }: AttributionCall): Promise<void> {
  const answer = await send({ kind: 'attribution-call', call, options });
  const detail = JSON.stringify({ id, answer: isAnswer(answer) ? answer : unanswered });
  document.dispatchEvent(new CustomEvent(answerEvent, { detail }));
}

const isAnswer = (answer: unknown): answer is W3cAnswer => typeof answer === 'object' && answer !== null;

function parse(text: string): AttributionCall | null {
  const { id, call, options }: Record<string, unknown> = { ...objectIn(text) };
  if (typeof id !== 'number' || (typeof options !== 'string' && options !== null)) return null;
  return call === 'saveImpression' || call === 'measureConversion' ? { id, call, options } : null;
}
