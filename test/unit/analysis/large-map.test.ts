import fc from 'fast-check';
import { LargeMap } from '../../../analysis/estimate/join/large-map';

it('answers as a Map does, when its parts are full, too', () => {
  const writes = fc.array(fc.tuple(fc.nat(20), fc.nat()), { maxLength: 60 });
  fc.assert(
    fc.property(writes, fc.integer({ min: 1, max: 30 }), (entries, most) => {
      const large = new LargeMap<number, number>(most);
      for (const [key, value] of entries) large.set(key, value);
      const map = new Map(entries);
      for (let key = 0; key <= 20; key++) {
        expect(large.get(key)).toBe(map.get(key));
        expect(large.has(key)).toBe(map.has(key));
      }
    }),
  );
});
