import type { Command } from 'commander';

/** What a command answers: lines on standard output, and an exit code of 0 unless it says no. */
interface Answer {
  readonly print: (line: string) => void;
  readonly sayNo: () => void;
}

/** Gives a command, which has a name and a description, its arguments, its options and its action. */
export type DefineCommand = (command: Command, answer: Answer) => void;
