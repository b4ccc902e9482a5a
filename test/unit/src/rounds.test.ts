import 'fake-indexeddb/auto';
import { countRounds, DESTINATIONS, roundsCases, roundsNames } from '../helpers/rounds';

describe.each(DESTINATIONS)('beside %d destinations of one ad tech on one site', (destinations) => {
  test.each(roundsNames)('%s takes as few reads as beside one', async (name) => {
    expect(await countRounds(name, destinations)).toEqual(roundsCases[name].use);
  });
});
