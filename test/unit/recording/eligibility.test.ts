import { eligibilityOf, eligibleHeader, registeredBy } from '../../../recording/eligibility';
import type { Eligibility } from '../../../recording/eligibility';
import { parseEligible, type EligibleKey } from '../../../recording/structured-headers';

const none = { source: false, trigger: false, osSource: false, osTrigger: false };

describe('the eligibility that a header states', () => {
  test.each<[EligibleKey[] | null, Eligibility]>([
    [null, 'unset'],
    [[], 'empty'],
    [['event-source'], 'event-source'],
    [['trigger'], 'trigger'],
    [['navigation-source'], 'navigation-source'],
    [['event-source', 'trigger'], 'event-source-or-trigger'],
    [['navigation-source', 'trigger'], 'navigation-source'],
    [['navigation-source', 'event-source', 'trigger'], 'navigation-source'],
  ])('%j is %s', (keys, eligibility) => {
    expect(eligibilityOf(keys === null ? null : new Set(keys))).toBe(eligibility);
  });

  test.each<[Eligibility, string | null]>([
    ['unset', null],
    ['empty', ''],
    ['event-source', 'event-source'],
    ['navigation-source', 'navigation-source'],
    ['trigger', 'trigger'],
    ['event-source-or-trigger', 'event-source, trigger'],
  ])('%s is sent as %j, and read back', (eligibility, header) => {
    expect(eligibleHeader(eligibility)).toBe(header);
    expect(eligibilityOf(header === null ? null : parseEligible(header).value)).toBe(eligibility);
  });
});

describe('what a response registers', () => {
  const eligibilities: Eligibility[] = [
    'unset',
    'empty',
    'event-source',
    'navigation-source',
    'trigger',
    'event-source-or-trigger',
  ];
  // From the specification's list of eligibilities: which may register what.
  const sourceTypes: Partial<Record<Eligibility, 'event' | 'navigation'>> = {
    'event-source': 'event',
    'navigation-source': 'navigation',
    'event-source-or-trigger': 'event',
  };
  const triggers: Eligibility[] = ['unset', 'trigger', 'event-source-or-trigger'];

  test.each(eligibilities)('a source header on a request that is %s', (eligibility) => {
    const sourceType = sourceTypes[eligibility];
    const registered = registeredBy(eligibility, { ...none, source: true }, null);
    if (sourceType === undefined) {
      expect(registered).toEqual({
        kind: 'nothing',
        reason: { code: 'not-eligible', values: { eligibility } },
      });
    } else expect(registered).toEqual({ kind: 'source', sourceType });
  });

  test.each(eligibilities)('a trigger header on a request that is %s', (eligibility) => {
    const registered = registeredBy(eligibility, { ...none, trigger: true }, null);
    expect(registered).toEqual(
      triggers.includes(eligibility)
        ? { kind: 'trigger' }
        : { kind: 'nothing', reason: { code: 'not-eligible', values: { eligibility } } },
    );
  });

  test.each(eligibilities)('both headers on a request that is %s', (eligibility) => {
    const registered = registeredBy(eligibility, { ...none, source: true, trigger: true }, null);
    const sourceType = sourceTypes[eligibility];
    const trigger = triggers.includes(eligibility);
    // The two conflict only where both could count.
    if (sourceType !== undefined && trigger) {
      expect(registered).toEqual({
        kind: 'nothing',
        reason: { code: 'source-and-trigger', values: {} },
      });
    } else if (sourceType !== undefined) expect(registered).toEqual({ kind: 'source', sourceType });
    else expect(registered.kind).toBe(trigger ? 'trigger' : 'nothing');
  });

  test('nothing without a header', () => {
    for (const eligibility of eligibilities) {
      expect(registeredBy(eligibility, none, null).kind).toBe('nothing');
    }
  });

  // "Get the registration platform", for a browser that supports web registrations only.
  test.each<[boolean, boolean, 'web' | 'os' | null, boolean]>([
    [true, false, null, true],
    [true, false, 'web', true],
    [true, false, 'os', false],
    [false, true, null, false],
    [false, true, 'web', false],
    [false, true, 'os', false],
    [true, true, null, false],
    [true, true, 'web', true],
    [true, true, 'os', true],
  ])('with web header %s, OS header %s and preference %s: %s', (web, os, preferred, registers) => {
    const source = registeredBy('event-source', { ...none, source: web, osSource: os }, preferred);
    const trigger = registeredBy('trigger', { ...none, trigger: web, osTrigger: os }, preferred);
    expect(source.kind).toBe(registers ? 'source' : 'nothing');
    expect(trigger.kind).toBe(registers ? 'trigger' : 'nothing');
  });

  test.each(['source', 'trigger'] as const)(
    'an OS header of the other kind is in the way of a %s, too',
    (kind) => {
      const headers = { ...none, [kind]: true, [kind === 'source' ? 'osTrigger' : 'osSource']: true };
      expect(registeredBy('event-source-or-trigger', headers, null).kind).toBe('nothing');
    },
  );
});
