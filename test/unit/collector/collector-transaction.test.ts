import { isDataError } from '../../../collector/store/database';
import { openDatabase } from '../../../collector/store/open-database';
import { describeStores } from '../helpers/collector-stores';

const NO_NUMBER = `INSERT INTO kept VALUES ('one')`;

const expectRefused = (work: Promise<unknown>): Promise<void> =>
  expect(work.catch(isDataError)).resolves.toBe(true);

describeStores((stores) => {
  test('a transaction keeps all of its statements or none, also of what goes together with COMMIT', async () => {
    const database = await openDatabase(await stores().fresh(), async (fresh) => {
      await fresh.query('CREATE TABLE kept (number INTEGER)');
    });
    const add = (number: number, last: string): Promise<void> =>
      database.transaction(async (transaction) => {
        transaction.withCommit(last);
        await transaction.query('INSERT INTO kept VALUES ($1)', [number], 'add');
      });

    await add(1, 'INSERT INTO kept VALUES (2)');
    await expectRefused(add(3, NO_NUMBER));
    await expectRefused(add(4, 'SELECT 1 / count(*) FROM kept WHERE number = 4; SELECT 1 / 0'));
    await expectRefused(database.transaction((transaction) => transaction.query(NO_NUMBER)));
    await add(5, 'INSERT INTO kept VALUES (6)');
    const kept = await database.query<{ number: number }>('SELECT number FROM kept ORDER BY number');
    expect(kept.map(({ number }) => number)).toEqual([1, 2, 5, 6]);
    await database.close();
  });
});
