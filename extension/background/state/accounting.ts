import { canonical, toJson } from '../../../formats/codec/plain-json';
import { accountingOf, carryAccounts, type Accounting } from '../../erasing/carry-accounts';
import type { IdbStore } from '../../store/idb-store';
import type { Clock } from './clock';
import type { Participation } from './participation';
import type { SettingsHolder } from './settings';

/**
 * Lets what was spent count on when the settings in force have another unit, period or owners, or new
 * quotas, also if the background ended meanwhile.
 * @returns what resolves once it does, to be awaited before anything is decided. After a failure it tries again, and rejects if that fails, too
 */
export async function keepAccounts(
  store: IdbStore,
  settings: SettingsHolder,
  participation: Participation,
  clock: Clock,
): Promise<() => Promise<void>> {
  let before = (await store.getMeta('accounting')) as Accounting | null;
  const keep = async (): Promise<void> => {
    // While a change of the trial is undecided, nothing is recorded.
    if (participation.agreedTrial === null && participation.joinedTrialId !== null) return;
    const present = accountingOf(settings.current.budget);
    const last = before;
    if (last !== null && textOf(last) === textOf(present)) return;
    // Both or neither: what was carried over must not be carried over again.
    await store.write(async (tx) => {
      if (last !== null) await carryAccounts(tx, last, present, clock.now());
      store.setMetaIn(tx, 'accounting', present);
    });
    before = present;
  };
  let kept = keep();
  const keepInTurn = (): Promise<void> => (kept = kept.catch(() => undefined).then(keep));
  settings.onChange(keepInTurn);
  participation.onChange(() => {
    keepInTurn().catch((error: unknown) =>
      console.error('Cointoss could not carry over what was spent', error),
    );
  });
  await kept;
  return () => (kept = kept.catch(keep));
}

const textOf = (accounting: Accounting): string => canonical(toJson(accounting));
