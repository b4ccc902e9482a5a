import { showDecimal } from '../../words/words';

/** Microepsilons as ε. */
export const showEpsilon = (microepsilons: number): string => showDecimal(microepsilons / 1_000_000, 6);
