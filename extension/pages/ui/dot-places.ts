import { greatest } from '../../../numeric/extremes';
export interface DotPlaces {
  /** Of each value, in order. */
  readonly places: readonly { readonly x: number; readonly y: number }[];
  readonly radius: number;
}

const LARGEST = 9;

/**
 * Piles a dot for each value above its place on the axis. All dots are as large as the highest pile allows, so equal areas hold equally
 * many values.
 * @param shares the values' places along the width, from 0 to 1
 */
export function dotPlaces(
  shares: readonly number[],
  { width, height, piles }: { readonly width: number; readonly height: number; readonly piles: number },
): DotPlaces {
  const pileOf = (share: number): number => Math.min(piles - 1, Math.floor(share * piles));
  const counts = new Map<number, number>();
  for (const share of shares) counts.set(pileOf(share), (counts.get(pileOf(share)) ?? 0) + 1);
  const most = greatest([0, ...counts.values()]);
  const wide = width / piles;
  const acrossAt = (size: number): number => Math.floor(wide / size);
  let size = Math.min(LARGEST, wide);
  while (acrossAt(size) * Math.floor(height / size) < most) size *= 0.95;
  const across = acrossAt(size);
  const placed = new Map<number, number>();
  const places = shares.map((share) => {
    const pile = pileOf(share);
    const before = placed.get(pile) ?? 0;
    placed.set(pile, before + 1);
    const inRow = Math.min(across, (counts.get(pile) ?? 0) - Math.floor(before / across) * across);
    return {
      x: (pile + 0.5) * wide + ((before % across) - (inRow - 1) / 2) * size,
      y: height - (Math.floor(before / across) + 0.5) * size,
    };
  });
  return { places, radius: size * 0.42 };
}
