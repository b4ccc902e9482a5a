import type { Attack } from './attack';
import { collusion } from './collusion';
import { differencing } from './differencing';
import { linkage } from './linkage';
import { memorization } from './memorization';
import { population } from './population';
import { reconstruction } from './reconstruction';

/** By the name that the command and the page have for them. */
export const attacks: Readonly<Record<string, Attack>> = {
  reconstruction,
  differencing,
  linkage,
  population,
  collusion,
  memorization,
};
