import fc from 'fast-check';
import { main } from '../../../cli/main';
import { openDatabase } from '../../../collector/store/open-database';
import { shownStore, storeProblem } from '../../../collector/store/store-name';

const ENCODED = /percent-encoded/;

describe('the store that an operator names', () => {
  test.each<[string, string, RegExp | null]>([
    ['folder/of mine', 'folder/of mine', null],
    ['C:\\store', 'C:\\store', null],
    ['memory://', 'memory:…', null],
    ['postgres://owner@host:5432/db', 'postgres://owner@host:5432/db', null],
    ['postgresql:///db?host=/run', 'postgresql:///db', null],
    ['postgres://owner:secret@[::1]:1/db', 'postgres://owner@[::1]:1/db', null],
    ['postgres://owner:sec%2Fret@host/db', 'postgres://owner@host/db', null],
    ['postgres://owner@host/db?password=secret&sslpassword=secret', 'postgres://owner@host/db', null],
    ['postgres://owner:sec/ret@host/db', 'postgres://…', ENCODED],
    ['postgres://owner:sec@ret@host/db', 'postgres://…', ENCODED],
    ['postgres://owner:sec#ret@host/db', 'postgres://…', ENCODED],
    ['postgres://owner:1?secret@host/db', 'postgres://…', ENCODED],
    ['postgres://sec/ret@host/db', 'postgres://…', ENCODED],
    ['postgres://owner:secret', 'postgres://…', /must be a URL/],
    ['postgres://owner:secret@ho st/db', 'postgres://…', /must be a URL/],
    ['postgress://owner:secret@host/db', 'postgress:…', /must be a folder or postgres/],
    ['postgres:/owner:secret@host/db', 'postgres:…', /must be a folder or postgres/],
    ['jdbc:postgresql://host/db?password=secret', 'jdbc:…', /must be a folder or postgres/],
    ['host=localhost dbname=trial password=secret', 'host=…', /must be a URL: postgres/],
    ['password = secret', 'password=…', /must be a URL: postgres/],
    ['./host=localhost', './host=localhost', null],
    ['mysql://owner:secret@host/db', 'mysql:…', /must be a folder or postgres/],
  ])('%s is shown as %s', async (store, shown, problem) => {
    expect(shownStore(store)).toBe(shown);
    expect(storeProblem(store) ?? '').toMatch(problem ?? /^$/);
    if (problem === null) return;
    await expect(openDatabase(store, () => Promise.resolve())).rejects.toThrow(problem);
  });

  test('is shown without any part of its password, and either is refused or has the password in its place', () => {
    // A word of the password, so that any part of it that is shown is noticed.
    const password = fc
      .array(fc.constantFrom('SECRET', '/', '@', '#', '?', ':', '[', ']', '%', '%2F', ' ', '\\', '&', '='))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(password, fc.constantFrom('postgres', 'postgresql', 'postgress'), (secret, scheme) => {
        const store = `${scheme}://owner:${secret}@127.0.0.1:1/x`;
        const problem = storeProblem(store);
        expect(`${shownStore(store)} ${problem ?? ''}`).not.toContain('SECRET');
        if (problem === null) expect(new URL(store).hostname).toBe('127.0.0.1');
      }),
      { numRuns: 2000, seed: 1 },
    );
  });
});

/** What `cointoss collect` prints for a store that it refuses. */
async function printed(store: string, ...more: readonly string[]): Promise<string> {
  const said: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const code = await main(['collect', '--port', '0', '--store', store, ...more]);
  jest.restoreAllMocks();
  expect(code).toBe(2);
  return said.join('');
}

describe('the command', () => {
  const [shown, encode] = [
    'cointoss: collect: --store postgres://…: ',
    'must have its user and password percent-encoded (/ as %2F, @ as %40, # as %23, ? as %3F)\n',
  ];

  test.each(['pass/word', 'pass@word'])('says nothing of the password %s', async (password) => {
    expect(await printed(`postgres://owner:${password}@127.0.0.1:1/trial`)).toBe(shown + encode);
  });

  test.each([
    ['postgres://owner:SECRET@127.0.0.1:1/trial', 'postgres://owner@127.0.0.1:1/trial'],
    ['postgres://owner:%ZZSECRET@127.0.0.1:1/trial', 'postgres://'],
    ['postgres://owner:SECRET@127.0.0.1:port/trial', 'postgres://…'],
    ['postgres://owner@127.0.0.1:1/trial?password=SECRET', 'postgres://owner@127.0.0.1:1/trial'],
    ['postgres:owner:SECRET@127.0.0.1:1/trial', 'postgres:…'],
    ['host=127.0.0.1 port=1 password=SECRET', 'host=…'],
  ])('names %s without its password', async (store, name) => {
    const text = await printed(store);
    expect(text).toContain(`--store ${name}`);
    expect(text).not.toContain('SECRET');
  });
});
