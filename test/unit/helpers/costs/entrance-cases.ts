import { backgroundCosts } from './background';
import { collectorCosts } from './collector';
import { commandCosts } from './commands';
import { ofText, type Case, type Cost } from './costs';
import type { Shape } from './shapes';

/** How many shapes of each case `npm test` has, where a call takes long. The next case has the next ones. */
const SOME = 3;

/** The background, a collector and the commands, with a text in whatever they take from others. */
export async function entranceCases(largest: number, isLong: boolean): Promise<readonly Case[]> {
  const all = (costs: Readonly<Record<string, Cost>>): readonly Case[] =>
    Object.entries(costs).flatMap(([name, { run, shapes = {} }]) =>
      Object.entries(shapes).map(([shape, make]) => ({
        name: `${name}: ${shape}`,
        run: ofText(run),
        shape: make,
        largest,
      })),
    );
  const some = (costs: Readonly<Record<string, Cost>>): readonly Case[] =>
    all(
      Object.fromEntries(
        Object.entries(costs).map(([name, cost], index) => [name, { ...cost, shapes: someOf(cost, index) }]),
      ),
    );
  const few = isLong ? all : some;
  return [...all(await backgroundCosts()), ...few(commandCosts()), ...few(await collectorCosts())];
}

function someOf({ shapes = {} }: Cost, index: number): Readonly<Record<string, Shape>> {
  const entries = Object.entries(shapes);
  return Object.fromEntries(
    Array.from({ length: SOME }, (_, step) => entries[(SOME * index + step) % entries.length] ?? []),
  ) as Readonly<Record<string, Shape>>;
}
