import { visible } from '../../scripts/visible.mjs';

/*
 * Everything that commands write to the terminal. Other people's names and texts go through `visible`, so that no file, page or reporting
 * origin can move the cursor, hide lines, or answer for the person.
 */

/** Prints one line on standard error. */
export const say = (text: string): void => void process.stderr.write(`cointoss: ${visible(text)}\n`);

/** A line of a command's result, on standard output. */
export const print = (line: string): void => void process.stdout.write(`${visible(line)}\n`);

/** Reads a line of standard input. */
export const ask = (question: string): void => void process.stderr.write(visible(question));

/** Prints lines on standard error that are not messages. */
export function tell(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${visible(line)}\n`);
}

/** Whether a person sees what `showState` shows. */
export const isSeen = (): boolean => process.stderr.isTTY;

/** Shows progress in place of what was shown before. */
export const showState = (text: string): void => void process.stderr.write(`\r${visible(text)}\u001b[K`);

export const clearState = (): void => void process.stderr.write('\r\u001b[K');
