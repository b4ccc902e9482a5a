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

/** What becomes of the registrations, whose times `timeOf` gives in ms, and whose reports wait. */
async function outcomes(
  steps: readonly Step[],
  timeOf: (at: number) => number,
  max: number,
): Promise<readonly string[]> {
  const { engine, store } = newEngine({ seed: 'test' });
  const settings = conditions({ kind: 'off' });
  const said: string[] = [];
  for (const [at, [what, priority]] of steps.entries()) {
    const time = after(START, milliseconds(timeOf(at)));
    const registration =
      what === 'source'
        ? sourceRegistration({ priority, max_event_level_reports: max }, 'navigation', { time })
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

const standing = (): number => 0;
const running = (at: number): number => at;
/** An hour back after the first registration. */
const turnedBack =
  (clock: (at: number) => number) =>
  (at: number): number =>
    at === 0 ? 3_600_000 : clock(at);

const nameOf = (steps: readonly Step[]): string => steps.map((step) => step.join(' ')).join(', ');

it.each(sequences(4).map((steps) => [nameOf(steps), steps] as const))(
  'decides alike on a clock that stands still: %s',
  async (_, steps) => {
    expect(await outcomes(steps, standing, 1)).toEqual(await outcomes(steps, running, 1));
  },
);

/** Of two waiting reports with equal priorities, a third one replaces that of the later conversion. Shorter sequences do not show it. */
test.each([
  ['stands still', standing, running],
  ['was turned back', turnedBack(standing), turnedBack(running)],
])('replaces the same one of two reports on a clock that %s', async (_, still, moving) => {
  for (const steps of sequences(5)) {
    const name = nameOf(steps);
    expect([name, ...(await outcomes(steps, still, 2))]).toEqual([
      name,
      ...(await outcomes(steps, moving, 2)),
    ]);
  }
});
