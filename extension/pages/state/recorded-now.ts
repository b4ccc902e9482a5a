import { takeSnapshot } from '../data/take-snapshot';
import type { Snapshot } from '../data/snapshot/snapshot';
import { withoutTruth } from '../data/snapshot/without-truth';
import type { Session } from './session';

/**
 * The open file, or what is on this device. Outside debug mode, without the truth.
 * @param part takes a part of it, before rows without the truth get new ids
 */
export async function recordedNow(
  { snapshot, overview, settings, truth }: Session,
  part: (all: Snapshot) => Snapshot = (all) => all,
): Promise<Snapshot> {
  const wanted = part(snapshot ?? (await takeSnapshot(overview, settings)));
  return truth ? wanted : withoutTruth(wanted);
}
