import { after, milliseconds } from '../../../src/model/units';
import {
  conditions,
  newEngine,
  outcomeOf,
  pendingReports,
  SHOP,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

/*
 * The specification ranks sources and conversions of equal priority by their times. If a clock stands still, or two registrations come within the
 * same millisecond, the order of registration decides as their times would.
 */

type Step = readonly ['source' | 'trigger', priority: '0' | '1'];

const all: readonly Step[] = [
  ['source', '0'],
  ['source', '1'],
  ['trigger', '0'],
  ['trigger', '1'],
];

const sequences = (length: number): readonly (readonly Step[])[] =>
  length === 0 ? [[]] : sequences(length - 1).flatMap((before) => all.map((step) => [...before, step]));

/** What becomes of the registrations, `apart` ms from each other, and whose reports wait. */
async function outcomes(steps: readonly Step[], apart: number): Promise<readonly string[]> {
  const { engine, store } = newEngine({ seed: 'test' });
  const settings = conditions({ kind: 'off' });
  const said: string[] = [];
  for (const [at, [what, priority]] of steps.entries()) {
    const time = after(START, milliseconds(at * apart));
    const registration =
      what === 'source'
        ? sourceRegistration({ priority, max_event_level_reports: 1 }, 'navigation', { time })
        : triggerRegistration(
            { event_trigger_data: [{ trigger_data: String(at), priority }] },
            { time, contextOrigin: SHOP },
          );
    const entry = await engine.register(registration, settings);
    const of = 'decision' in entry && 'sourceId' in entry.decision ? ` of ${entry.decision.sourceId}` : '';
    said.push(outcomeOf(entry) + of);
  }
  const reports = await pendingReports(store);
  const waiting = reports.map(({ event }) => `${event?.sourceId} reports ${event?.triggerData}`);
  return [...said, ...waiting.sort()];
}

it.each(sequences(4).map((steps) => [steps.map((step) => step.join(' ')).join(', '), steps] as const))(
  'decides alike on a clock that stands still: %s',
  async (_, steps) => {
    expect(await outcomes(steps, 0)).toEqual(await outcomes(steps, 1));
  },
);
