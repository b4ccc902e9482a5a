import { backgroundCosts } from './background';
import { collectorCosts } from './collector';
import { commandCosts } from './commands';
import { ofText, type Case, type Cost } from './costs';
import type { Shape } from './shapes';

/** How many shapes of each case `npm test` has. The next case has the next ones. */
const SOME = 4;
/** The same, where a call takes long. */
const FEW = 1;
/** Has all, because a click is decided when twenty others of its tab have come. */
const CLICKS = 'background: messages: navigation';

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
  const some = (costs: Readonly<Record<string, Cost>>, count: number): readonly Case[] =>
    all(
      Object.fromEntries(
        Object.entries(costs).map(([name, cost], index) => [
          name,
          { ...cost, shapes: isLong || name === CLICKS ? (cost.shapes ?? {}) : someOf(cost, count, index) },
        ]),
      ),
    );
  return [
    ...some(await backgroundCosts(), SOME),
    ...some(commandCosts(), FEW),
    ...some(await collectorCosts(), FEW),
  ];
}

function someOf({ shapes = {} }: Cost, count: number, index: number): Readonly<Record<string, Shape>> {
  const entries = Object.entries(shapes);
  // Only what can be a URL comes to where documents and requests are known.
  const urls = count === SOME ? entries.filter(([name]) => name.startsWith('a URL')) : [];
  const some = Array.from(
    { length: count },
    (_, step) => entries[(count * index + step) % entries.length] ?? [],
  );
  return Object.fromEntries([...some, ...urls]) as Readonly<Record<string, Shape>>;
}
