import { useNarrow } from '../../../ui/use-narrow';

const NARROW = 320;

/** The width of a plot's own coordinates: fewer in a narrow window, so that its letters stay large enough to read. */
export const usePlotWidth = (wide: number): number => (useNarrow() ? NARROW : wide);
