/** The groups that one of several threads estimates: each `of`-th of them, from `first` on. */
export interface Slice {
  readonly first: number;
  readonly of: number;
}

/** @param slice without one, all groups are estimated. */
export const isIn = (slice: Slice | undefined, group: number): boolean =>
  slice === undefined || group % slice.of === slice.first;
