import { visible } from '../../scripts/visible.mjs';

/*
 * All that commands write to the terminal. Names and texts of others come through `visible`, so that no file, page or reporting origin can
 * move the cursor, hide lines, or answer in the person's place.
 */

/** Says something on standard error, on one line. */
export const say = (text: string): void => void process.stderr.write(`cointoss: ${visible(text)}\n`);

/** A line of a command's result, on standard output. */
export const print = (line: string): void => void process.stdout.write(`${visible(line)}\n`);

/** Asks for a line of standard input. */
export const ask = (question: string): void => void process.stderr.write(visible(question));

/** Lines on standard error that are no messages. */
export function tell(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${visible(line)}\n`);
}

/** Whether somebody sees what `showState` shows. */
export const isSeen = (): boolean => process.stderr.isTTY;

/** Shows how far the work is, in place of what was shown before. */
export const showState = (text: string): void => void process.stderr.write(`\r${visible(text)}\u001b[K`);

export const clearState = (): void => void process.stderr.write('\r\u001b[K');
