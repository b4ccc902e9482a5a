import type { SourceRegistration } from '../../src/model/registration';
import { findTriggerData } from '../../src/states/source-space';

/** The last report window of a source for the trigger data of a conversion that came after it. */
interface ClosedWindow {
  readonly triggerData: number;
  /** In ms since 1970. */
  readonly end: number;
  /** How long the window must be at least for the conversion, in seconds. */
  readonly needed: number;
}

/**
 * @param source as it is stored, or as the kit gets it
 * @param wanted the trigger data that the conversion has
 * @param conversion when it happened, in ms since 1970
 * @returns null if the source has no such trigger data
 */
export function closedWindow(
  {
    time,
    registration,
  }: {
    readonly time: number;
    readonly registration: Pick<SourceRegistration, 'triggerSpecs' | 'triggerDataMatching'>;
  },
  wanted: bigint,
  conversion: number,
): ClosedWindow | null {
  const matching = findTriggerData(registration, wanted);
  if (matching === null) return null;
  const end = time + (matching.spec.windows.ends.at(-1) ?? 0);
  // Windows are half open.
  return { triggerData: matching.triggerData, end, needed: Math.floor((conversion - time) / 1000) + 1 };
}
