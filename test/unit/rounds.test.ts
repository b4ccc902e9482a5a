import { databaseWith, register, reads, source, trigger } from './helpers/rounds';

describe.each([1, 30, 90, 1000])('beside %d destinations', (destinations) => {
  test('a source takes one round of reads', async () => {
    const store = await databaseWith(destinations);
    // The last id, three documents of its site, and three of its destination.
    expect(await reads(store, [source(1, 'https://new.example')])).toEqual({ requests: 7, rounds: 1 });
  });

  test('sources that wait share a round of reads', async () => {
    const store = await databaseWith(destinations);
    const many = Array.from({ length: 10 }, (_, index) => source(1, `https://new${index}.example`));
    const { requests, rounds } = await reads(store, many);
    // The first has a transaction of its own.
    expect(rounds).toBeLessThanOrEqual(2);
    expect(requests).toBe(7 + 4 + 3 * 9);
  });

  test('a trigger takes two rounds of reads', async () => {
    const store = await databaseWith(destinations);
    await register(store, source(1, 'https://new.example'));
    // How many bytes a site has is read once, and then known.
    await register(store, trigger(2, 'https://new.example'));
    const { requests, rounds } = await reads(store, [trigger(3, 'https://new.example')]);
    expect(rounds).toBe(2);
    // The last id, the candidates, the destination; then of the candidate its reports, pair, origin and scopes, and the debug budget.
    expect(requests).toBeLessThanOrEqual(9);
  });
});
