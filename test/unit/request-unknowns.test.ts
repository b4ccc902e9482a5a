import { controls, races } from './helpers/request-unknowns';

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

describe.each(Object.entries(races))('nothing registers from a %s', (_unknown, all) => {
  test.each(all.map(({ when, registers }) => [when, registers] as const))('%s', async (_when, registers) => {
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
