import type { Conditions } from '../src/engine';
import { defaultMeasurement } from '../src/model/mechanisms';

/** What engines are measured under. */
export const conditionsWith = (noise: 'on' | 'off'): Conditions => ({
  noise: { kind: noise },
  measurement: defaultMeasurement,
  delay: true,
  debugAllowed: false,
  debug: [],
});
