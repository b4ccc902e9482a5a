import fc from 'fast-check';
import { cube, cubeRoot } from '../../../numeric/powers';

test('a cube root is one, for numbers of any size', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-290, max: 1e290, noNaN: true }), (value) => {
      expect(Math.abs(cube(cubeRoot(value)) / value - 1)).toBeLessThan(1e-14);
    }),
  );
});
