import type { DeliveryOutcome, Report } from '../../../src/model/records';
import { minutes } from '../../../src/model/units';
import { nextStep, type DeliveryProfile } from '../../../src/reports/next-step';

const answered = (status: number): DeliveryOutcome => ({ kind: 'answered', status });
const unreachable: DeliveryOutcome = { kind: 'unreachable', error: 'offline' };
const profiles: DeliveryProfile[] = ['lossless', 'chrome'];

describe('after an answer', () => {
  const kinds: Report['kind'][] = ['event-level', 'event-level-debug', 'verbose-debug'];
  const cases = profiles.flatMap((profile) =>
    kinds.map((kind): [DeliveryProfile, Report['kind']] => [profile, kind]),
  );

  test.each(cases)('of 2xx, in the profile %s, a report of the kind %s is delivered', (profile, kind) => {
    for (const status of [200, 201, 204, 299]) {
      expect(nextStep(profile, { kind }, answered(status), 1)).toEqual({ kind: 'delivered' });
      expect(nextStep(profile, { kind }, answered(status), 50)).toEqual({ kind: 'delivered' });
    }
  });

  test.each([100, 199, 300, 301, 307, 400, 404, 429, 500, 503])(
    'of %s, Chromium gives up and lossless goes on',
    (status) => {
      for (const kind of kinds) {
        expect(nextStep('chrome', { kind }, answered(status), 1)).toEqual({ kind: 'give-up' });
        expect(nextStep('lossless', { kind }, answered(status), 1)).toEqual({
          kind: 'retry',
          after: minutes(1),
        });
      }
    },
  );
});

describe('without an answer', () => {
  test('Chromium tries again after 5 minutes, after 15, and no more', () => {
    const steps = [1, 2, 3, 4].map((attempts) =>
      nextStep('chrome', { kind: 'event-level' }, unreachable, attempts),
    );
    expect(steps).toEqual([
      { kind: 'retry', after: minutes(5) },
      { kind: 'retry', after: minutes(15) },
      { kind: 'give-up' },
      { kind: 'give-up' },
    ]);
  });

  test.each(['event-level-debug', 'verbose-debug'] as const)(
    'Chromium does not try a report of the kind %s again',
    (kind) => {
      expect(nextStep('chrome', { kind }, unreachable, 1)).toEqual({ kind: 'give-up' });
    },
  );

  test('lossless doubles its wait from a minute up to six hours', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100, 10_000].map((attempts) =>
      nextStep('lossless', { kind: 'verbose-debug' }, unreachable, attempts),
    );
    const expected = [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, 360];
    expect(waits).toEqual(expected.map((count) => ({ kind: 'retry', after: minutes(count) })));
  });
});
