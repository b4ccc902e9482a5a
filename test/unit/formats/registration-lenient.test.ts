import {
  accepted,
  acceptedWithWarning,
  DESTINATION,
  objectWith,
  parsedSource,
  TRAPS,
  wrongTypes,
} from '../helpers/parsing';

describe('fields whose mistakes only warn', () => {
  test('debug_key is kept when it is right', () => {
    expect(accepted(parsedSource({ debug_key: '18446744073709551615' })).debugKey).toBe(2n ** 64n - 1n);
    expect(accepted(parsedSource({ debug_key: '0' })).debugKey).toBe(0n);
  });

  test.each(['18446744073709551616', '-1', '', ...wrongTypes('string')])('debug_key %j is ignored', (key) => {
    const source = acceptedWithWarning(
      parsedSource({ debug_key: key }),
      'debug_key',
      'must be a string with an unsigned 64-bit integer in decimal',
    );
    expect(source.debugKey).toBeNull();
  });

  test('debug_reporting is kept when it is right', () => {
    expect(accepted(parsedSource({ debug_reporting: true })).debugReporting).toBe(true);
    expect(accepted(parsedSource({ debug_reporting: false })).debugReporting).toBe(false);
  });

  test.each(['true', ...wrongTypes('boolean')])('debug_reporting %j is ignored', (value) => {
    const source = acceptedWithWarning(
      parsedSource({ debug_reporting: value }),
      'debug_reporting',
      'must be true or false',
    );
    expect(source.debugReporting).toBe(false);
  });

  test.each(['dbg_key', 'Destination', ...TRAPS])('the unknown field %s is ignored', (name) => {
    const source = acceptedWithWarning(parsedSource(objectWith(name, 1)), name, 'is not a known field');
    expect(source.destinations).toEqual([DESTINATION]);
  });
});
