import type { Command } from 'commander';

/** How a command answers: lines on standard output, and exit code 0 unless `sayNo` was called. */
interface Answer {
  readonly print: (line: string) => void;
  readonly sayNo: () => void;
}

/** Adds the description, arguments, options and action to a command. */
export type DefineCommand = (command: Command, answer: Answer) => void;
