import { budget } from './budget';
import { cheating } from './cheating';
import { lift } from './lift';
import { model } from './model';
import { ranking } from './ranking';
import { rates } from './rates';
import type { Task } from './task';
import { value } from './value';

/** By the names that experiments have for them. */
export const tasks = { ranking, budget, rates, model, lift, cheating, value } as const satisfies Readonly<
  Record<string, Task>
>;

export type TaskName = keyof typeof tasks;

export const taskNames = Object.keys(tasks) as [TaskName, ...TaskName[]];
