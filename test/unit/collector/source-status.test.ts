import fc from 'fast-check';
import { HOUR, type Range } from '../../../collector/store/pieces';
import {
  moveOf,
  statusPieces,
  type OpenAfter,
  type SourceStatus,
} from '../../../collector/store/source-status';

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const MINUTES = 3 * 24 * 60;

const minute = fc.integer({ min: 0, max: MINUTES }).map((minutes) => START + minutes * MINUTE);
const range = fc.record({
  from: fc.oneof(minute, fc.constant(-Infinity)),
  to: fc.oneof(minute, fc.constant(Infinity)),
});
/** Of sources registered in the minute before, the windows are over. */
const openAfter = fc
  .array(minute, { maxLength: 3 })
  .map((times) =>
    times.map((time, index): OpenAfter => ({ configurations: [`c${index}`], time: new Date(time - 1) })),
  );
/** The last one came after `openAfter` was made. */
const CONFIGURATIONS = ['c0', 'c1', 'c2', 'new'];

const has =
  (time: number) =>
  ({ from, to }: Range): boolean =>
    from <= time && time < to;

function status(
  { from, to }: Range,
  open: readonly OpenAfter[],
  configuration: string,
  time: number,
): SourceStatus {
  if (time < from || time >= to) return 'outside';
  const last = open.find(({ configurations }) => configurations.includes(configuration))?.time.getTime();
  return last !== undefined && time <= last ? 'complete' : 'open';
}

/** How often the pieces count a source as complete and as open. */
function counted(
  { kept, rows }: ReturnType<typeof statusPieces>,
  configuration: string,
  time: number,
): string {
  const counts = { complete: 0, open: 0, outside: 0 };
  for (const { complete } of kept.filter(has(time)))
    counts[complete.includes(configuration) ? 'complete' : 'open']++;
  for (const piece of rows.filter(has(time))) {
    const move = moveOf(piece, configuration);
    if (move === null) continue;
    counts[move.status]++;
    counts[move.kept]--;
  }
  return `${counts.complete} ${counts.open}`;
}

const ONCE = { complete: '1 0', open: '0 1', outside: '0 0' };

test('pieces count each source once, in its status', () => {
  fc.assert(
    fc.property(range, openAfter, fc.boolean(), (of, open, isKept) => {
      const pieces = statusPieces(of, open, isKept);
      const times = Array.from({ length: MINUTES }, (_, minutes) => START + minutes * MINUTE);
      for (const configuration of CONFIGURATIONS)
        expect(
          times.find(
            (time) => counted(pieces, configuration, time) !== ONCE[status(of, open, configuration, time)],
          ),
        ).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});

test('rows are read of at most half an hour for each end, of the configurations that it concerns', () => {
  fc.assert(
    fc.property(range, openAfter, (of, open) => {
      const { rows } = statusPieces(of, open, true);
      const read = (configuration: string): number =>
        rows
          .filter((piece) => moveOf(piece, configuration) !== null)
          .reduce((sum, { from, to }) => sum + to - from, 0);
      for (const configuration of CONFIGURATIONS) {
        const isOpened = open.some(({ configurations }) => configurations.includes(configuration));
        const ends = [of.from, of.to].filter(Number.isFinite).length + (isOpened ? 1 : 0);
        expect(read(configuration)).toBeLessThanOrEqual((ends * HOUR) / 2);
      }
    }),
    { numRuns: 200 },
  );
});
