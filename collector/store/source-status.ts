import { HOUR, pieces, type Piece, type Range } from './pieces';

/** The latest registration time of sources of some configurations whose last report window is over. */
export interface OpenAfter {
  readonly configurations: readonly string[];
  readonly time: Date;
}

/** How sources count: with their reports, as open, or not at all because the filter excludes their time. */
export type SourceStatus = 'complete' | 'open' | 'outside';

/** Whole days or hours of sums. Sources of these configurations are complete, all others open. */
export type KeptPiece = Piece & { readonly unit: 'day' | 'hour'; readonly complete: readonly string[] };

/** Rows to be read: sources whose status differs from that in which the sums of their hour count. */
export interface RowsPiece extends Range {
  readonly moves: readonly Move[];
  /** Configurations whose sources need not be read. */
  readonly unmoved: readonly string[];
}

interface Move extends Group {
  /** How the sums count these sources. */
  readonly kept: SourceStatus;
  readonly status: SourceStatus;
}

/** Configurations whose windows are equally long. */
interface Group {
  /** Null: all that no other group has. */
  readonly configurations: readonly string[] | null;
  /** Sources are complete before. */
  readonly end: number;
}

/** The pieces of the log, and how to read the sources of each. */
export interface StatusPieces {
  readonly kept: readonly KeptPiece[];
  readonly rows: readonly RowsPiece[];
}

/**
 * Takes sums of whole days and hours. If a limit (an end of the range, or the end of report windows) falls within an hour, the whole hour counts on
 * the side where most of it lies. The rows of the smaller part, at most half an hour, then correct the count. For the end of windows, only the rows
 * of its configurations are read.
 * @param isKept whether there are sums; without, all is read from rows.
 */
export function statusPieces(range: Range, openAfter: readonly OpenAfter[], isKept: boolean): StatusPieces {
  const groups: readonly Group[] = [
    ...openAfter.map(({ configurations, time }) => ({ configurations, end: time.getTime() + 1 })),
    { configurations: null, end: -Infinity },
  ];
  const bounds = [range.from, range.to, ...groups.map(({ end }) => end)];
  const hours = bounds.flatMap((bound) => [Math.floor(bound / HOUR) * HOUR, Math.ceil(bound / HOUR) * HOUR]);
  const stretches = between(isKept ? hours : []).map((stretch) => {
    const zones = between(bounds, stretch);
    const kept = groups.map((group) => (isKept ? mostly(zones, range, group.end) : 'outside'));
    return { stretch, zones, kept };
  });
  return {
    kept: stretches.flatMap(({ stretch, kept }) => {
      // The excluded time is the same for all groups.
      if (kept.includes('outside')) return [];
      const complete = groups.flatMap(({ configurations }, index) =>
        kept[index] === 'complete' ? (configurations ?? []) : [],
      );
      return pieces(stretch).flatMap(({ unit, ...piece }) =>
        unit === null ? [] : { ...piece, unit, complete },
      );
    }),
    rows: stretches.flatMap(({ zones, kept }) =>
      zones
        .map((zone) =>
          rowsPiece(
            zone,
            groups.map((group, index) => ({
              ...group,
              kept: kept[index] ?? 'outside',
              status: statusAt(zone.from, range, group.end),
            })),
          ),
        )
        .filter(({ moves }) => moves.length > 0),
    ),
  };
}

/** How a piece's rows change the counts of a configuration; null: not at all. */
export function moveOf({ moves, unmoved }: RowsPiece, configuration: string): Move | null {
  if (unmoved.includes(configuration)) return null;
  const own = moves.find(({ configurations }) => configurations?.includes(configuration) === true);
  return own ?? moves.find(({ configurations }) => configurations === null) ?? null;
}

function rowsPiece(zone: Range, groups: readonly Move[]): RowsPiece {
  const moves = groups.filter(({ kept, status }) => kept !== status);
  const unmoved = groups.flatMap((group) => (moves.includes(group) ? [] : (group.configurations ?? [])));
  return { ...zone, moves, unmoved };
}

function statusAt(time: number, { from, to }: Range, end: number): SourceStatus {
  if (time < from || time >= to) return 'outside';
  return time < end ? 'complete' : 'open';
}

/** The status of sources in most of the time. */
function mostly(zones: readonly Range[], range: Range, end: number): SourceStatus {
  const length = { complete: 0, open: 0, outside: 0 };
  for (const { from, to } of zones) length[statusAt(from, range, end)] += to - from;
  if (length.outside >= length.complete + length.open) return 'outside';
  return length.complete >= length.open ? 'complete' : 'open';
}

/** The ranges between times within a range. */
function between(
  times: readonly number[],
  { from, to }: Range = { from: -Infinity, to: Infinity },
): readonly Range[] {
  const inside = times.filter((time) => time > from && time < to);
  const cuts = [from, ...[...new Set(inside)].sort((a, b) => a - b), to];
  return cuts.slice(1).map((until, index) => ({ from: cuts[index] ?? from, to: until }));
}
