import type { ReadTransaction, Store, Transaction } from '../../transactions/store';

/** Each transaction that writes is lost once with all that it has decided, as when its process is killed, and then made again. */
export class DyingStore implements Store {
  constructor(private readonly store: Store) {}

  async write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const died = new Error('the process was killed');
    const lost = async (transaction: Transaction): Promise<never> => {
      await work(transaction);
      throw died;
    };
    await this.store.write(lost).catch((error: unknown) => {
      if (error !== died) throw error;
    });
    return this.store.write(work);
  }

  read<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T> {
    return this.store.read(work);
  }
}
