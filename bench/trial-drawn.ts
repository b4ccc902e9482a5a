import { simulated, type Simulated } from './simulated';
import type { Setting } from './trial-setting';
import { conversions, drawn, numbered, statesOf, trial } from './trial-truths';

/** Of 100 sources, in turn. */
const RATES = [5, 10, 12, 20];

const differing = (index: number): number => RATES[index % RATES.length] ?? 0;

const viewStates = (source: Simulated): readonly string[] => statesOf(source, 2, [[0]]);
const clickStates = (source: Simulated): readonly string[] => statesOf(source, 8, [[0], [1], [2]]);

/** Groups of 100, each with its own number of conversions. The rarer states of one are the more frequent ones of another. */
const hundreds =
  (
    count: number,
    statesOf: (source: Simulated) => readonly string[],
    converting: (index: number) => number,
  ): Setting['groups'] =>
  (source) => {
    const states = statesOf(source);
    return numbered(count).map((group, index) => {
      const turned = states.map((_, at) => states[(at + 7 * index) % states.length] ?? '0');
      return { group, truths: trial(100, converting(index), turned) };
    });
  };

const CLICK_STATES = clickStates(simulated('navigation', 14));

/** Like `drawn`, but all groups convert in the same states equally often. */
const drawnAlike: Setting['sampling'] = (uniform, truths) =>
  drawn(uniform, truths) === '0' ? '0' : drawn(uniform, CLICK_STATES);

/** Groups whose people are drawn, too, as intervals count them by default. */
export const DRAWN: readonly Setting[] = [
  {
    name: 'views, ε = 1, people are drawn, 12 groups of 100 at 10 %',
    type: 'event',
    epsilon: 1,
    groups: hundreds(12, viewStates, () => 10),
    kinds: conversions,
    sampling: drawn,
  },
  {
    name: 'views, ε = 2, people are drawn, 20 groups of 100 at 5 to 20 %',
    type: 'event',
    epsilon: 2,
    groups: hundreds(20, viewStates, differing),
    kinds: conversions,
    sampling: drawn,
  },
  {
    name: 'clicks, ε = 14, people are drawn, 12 groups of 100 at 5 to 20 %',
    type: 'navigation',
    epsilon: 14,
    groups: hundreds(12, clickStates, differing),
    kinds: conversions,
    sampling: drawnAlike,
  },
];
