import { groupsOf, summaryOf, waitsOf } from '../../../extension/pages/views/overview/drawn';
import type { StoryEvent } from '../../../extension/pages/views/overview/story';
import { growthOf } from '../helpers/costs/measure';

const event = (kind: StoryEvent['kind'], time: number, since = 0): StoryEvent => ({
  lane: kind === 'credited' || kind === 'dropped' ? 'conversions' : 'reports',
  ...{ kind, time, since, isWaiting: false, words: `${kind} at ${time}`, address: [] },
});
const many = (kind: StoryEvent['kind'], count: number, time = (index: number): number => index) =>
  Array.from({ length: count }, (_, index) => event(kind, time(index), time(index) - 1));
const pixels = (time: number): number => time;

/** In px: from the left of a mark to the right of its number, which is generous for 13 px letters. */
const widthOf = (count: number): number => (count === 1 ? 14 : 14 + 6 + `× ${count}`.length * 7);

describe('the marks of a row', () => {
  it('and their numbers do not touch others of their kind', () => {
    const groups = groupsOf(
      many('credited', 900, (index) => index / 3),
      pixels,
    );
    expect(groups.length).toBeGreaterThan(3);
    for (const [index, { place, events }] of groups.entries())
      expect(place + widthOf(events.length)).toBeLessThanOrEqual(groups[index + 1]?.place ?? Infinity);
    expect(groups.flatMap(({ events }) => events)).toHaveLength(900);
  });

  it('are of one kind each', () => {
    const groups = groupsOf([event('credited', 5), event('dropped', 6), event('credited', 7)], pixels);
    expect(groups.map(({ kind, events }) => [kind, events.length])).toEqual([
      ['credited', 2],
      ['dropped', 1],
    ]);
  });

  it('have at most 20 lines, and one for beginnings at one place', () => {
    const wide = many('replaced', 900, (index) => index * 30);
    const [group] = groupsOf(wide, () => 0);
    expect(group && waitsOf(group, pixels)).toHaveLength(20);
    const [near] = groupsOf(
      many('replaced', 900, (index) => index / 900),
      pixels,
    );
    expect(near && waitsOf(near, pixels)).toHaveLength(1);
  });

  it('take time in proportion to the events', async () => {
    const draw = (events: readonly StoryEvent[]) =>
      groupsOf(events, pixels).map((one) => waitsOf(one, pixels));
    expect(await growthOf((n: number) => many('replaced', n), draw, 16_000)).toBeNull();
  });
});

describe('what a row says', () => {
  it('names five events of each kind, and counts the others', () => {
    const { named, more } = summaryOf([...many('credited', 900), event('true-report', 1000)]);
    expect(named.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 5 }, () => 'credited'),
      'true-report',
    ]);
    expect(more).toEqual([{ kind: 'credited', count: 895 }]);
  });
});
