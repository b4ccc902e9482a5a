import type { Json } from '../../src/model/json';
import { demoUser } from './demo-month';
import { generateUser } from './generate';

/** One user's log, in order of time. @param demo as in the demo's month, with its eight campaigns. */
export const madeUpUser = (seed: string, number: number, demo: boolean): readonly Json[] =>
  demo ? demoUser(seed, number).lines : generateUser(seed, number);
