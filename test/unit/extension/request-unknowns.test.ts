import { controls, interruptions, races, type Race } from '../helpers/request-unknowns';

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

/** The race itself, and with each interruption before each of its steps. */
const runsOf = ({ when, gaps, but = [], registers }: Race): [string, Race['registers']][] => [
  [when, registers],
  ...(Object.keys(interruptions) as (keyof typeof interruptions)[])
    .filter((kind) => !but.includes(kind))
    .flatMap((kind) =>
      Array.from({ length: gaps }, (_, gap): [string, Race['registers']] => [
        `${when}; ${kind} before step ${gap + 1}`,
        () => registers(kind, gap),
      ]),
    ),
];

describe.each(Object.entries(races))('nothing registers from a %s', (_unknown, all) => {
  test.each(all.flatMap(runsOf))('%s', async (_when, registers) => {
    expect(await registers()).toEqual([]);
  });
});

describe('what is known registers', () => {
  test.each(controls.map(({ when, ...control }) => [when, control] as const))(
    '%s',
    async (_when, { registers, registered }) => {
      expect(await registers()).toEqual(registered);
    },
  );
});
