import type { Json } from '../../../src/model/json';
import type { Campaign } from '../explain/cell-errors';
import type { Draft } from '../explain/workbench';

/** How often each task is run. */
export const RUNS = 1000;

/** What the worker is to run again and again. */
export type Task =
  /** As `recordScenario` makes it. */
  | { readonly kind: 'worlds'; readonly scenario: Json }
  | { readonly kind: 'campaigns'; readonly draft: Draft; readonly campaign: Campaign };

/** What the worker answers: some more runs, or why it stopped. */
export type RunMessage =
  | {
      readonly kind: 'runs';
      readonly values: readonly number[];
      readonly truth: number;
      /** The value of what really happened; null for a task that nothing happened to. */
      readonly own: number | null;
    }
  | { readonly kind: 'problem'; readonly problem: string };
