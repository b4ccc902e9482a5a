import { ParameterError } from '../../../src/privacy/parameters';
import { english } from '../../../words/english';

/** Runs `run`, and puts parameter errors into the words of the commands. */
export const worded = (run: () => unknown) => (): unknown => {
  try {
    return run();
  } catch (error) {
    throw error instanceof ParameterError ? new Error(english.issueSentence(error.issue)) : error;
  }
};
