import type { Json } from '../../src/model/json';
import { demoUser } from './demo-month';
import { generateUser } from './generate';
import { liftTestUser, type DrawnByDevices, type LiftTestPlan } from './lift-test';

/** What a made-up log is about; without either, campaigns of several ad servers. */
export interface MadeUpLog {
  /** Whether it is the demo's month, with its eight campaigns. */
  readonly demo: boolean;
  readonly liftTest: LiftTestPlan | null;
}

/**
 * One user's log, in order of time.
 * @param devices if devices draw the arms of the lift test, and not its ad server
 */
export function madeUpUser(
  seed: string,
  number: number,
  { demo, liftTest }: MadeUpLog,
  devices: DrawnByDevices | null = null,
): readonly Json[] {
  if (liftTest !== null) return liftTestUser(liftTest, seed, number, devices);
  return demo ? demoUser(seed, number).lines : generateUser(seed, number);
}
