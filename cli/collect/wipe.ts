import { createInterface } from 'node:readline/promises';
import { wipeProblem, wipeStore } from '../../collector/store/wipe';
import { InputError } from '../io/input';
import { ask, say } from '../io/terminal';

/**
 * `cointoss collect --wipe`: erases a store once the store's name was typed, or read from standard input. What cannot be erased is refused before
 * the question.
 * @param shown the store without its password
 */
export async function wipe(store: string, shown: string): Promise<void> {
  const refusal = (problem: string): InputError => new InputError(`collect: --wipe: ${shown}: ${problem}`);
  const problem = wipeProblem(store);
  if (problem !== null) throw refusal(problem);
  const question = `This erases all reports, the source log and all counts in ${shown} for good. Type ${shown} to go on: `;
  if ((await answerTo(question)) !== shown) throw new InputError('collect: --wipe: nothing was erased');
  try {
    await wipeStore(store);
  } catch (error) {
    throw refusal(error instanceof Error ? error.message : String(error));
  }
  say(`${shown} is erased`);
}

async function answerTo(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    ask(question);
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
  }
}
