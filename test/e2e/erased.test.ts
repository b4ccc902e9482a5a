import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitFor } from '../../scenarios/kit';
import { shows } from './helpers/internals';
import { browsers, isLong, World } from './helpers/world';

/** A name that nothing else has, in 36 characters: of 16, compression finds four in a row again, and stores the name in parts. */
const madeUpName = (): string => BigInt(`0x${randomBytes(16).toString('hex')}`).toString(36);

const madeUp = (): string => `https://${madeUpName()}.example`;

const origins = { contextOrigin: 'https://publisher.example', reportingOrigin: 'https://adtech.example' };

/** A text in any of the encodings in which browsers store text: Chrome has keys in the last. */
const encoded = (text: string): readonly Buffer[] => [
  Buffer.from(text, 'latin1'),
  Buffer.from(text, 'utf16le'),
  Buffer.from(text, 'utf16le').swap16(),
];

/** By text, the files of a profile that hold it. */
type Found = ReadonlyMap<string, readonly string[]>;

/** For each text that a file of a profile holds, these files. Reads the profile once for all, because it has many megabytes. */
async function filesWith(folder: string, texts: readonly string[], where = /^/): Promise<Found> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)));
  return holding(
    folder,
    files.filter((file) => where.test(file)),
    texts,
  );
}

/** Where browsers keep what an extension stores. Before it is erased, it need not be looked for anywhere else. */
const STORED = /indexeddb|storage|extension/i;

/** As `filesWith`, of these files. */
async function holding(folder: string, files: readonly string[], texts: readonly string[]): Promise<Found> {
  const wanted = texts.map((text) => [text, encoded(text)] as const);
  const found = new Map<string, string[]>();
  for (const file of files) {
    // The browser removes files while we look.
    const content = await readFile(path.join(folder, file)).catch(() => Buffer.alloc(0));
    for (const [text, forms] of wanted)
      if (forms.some((bytes) => content.includes(bytes))) found.set(text, [...(found.get(text) ?? []), file]);
  }
  return found;
}

/** What was recorded on a page, and texts that nothing but this has. */
interface Recorded {
  readonly publisher: string;
  readonly texts: readonly string[];
}

const nameOf = (origin: string): string => new URL(origin).hostname.replace('.example', '');

/** Writes so much that Chrome makes a file of LevelDB's log, whose least and greatest keys it keeps. Longer values have files of their own. */
async function fill(): Promise<void> {
  const opening = indexedDB.open('cointoss');
  await new Promise((resolve) => (opening.onsuccess = resolve));
  const transaction = opening.result.transaction('meta', 'readwrite');
  const meta = transaction.objectStore('meta');
  for (let part = 0; part < 100; part++) meta.put(crypto.getRandomValues(new Uint8Array(60_000)), 'filling');
  meta.delete('filling');
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  opening.result.close();
}

/** How often to erase: what is left depends on what the browser does at the same moment. */
const ROUNDS = isLong ? 30 : 1;

/** On a loaded machine it takes long until the browser has removed the files. */
const PATIENT = { timeout: 100_000, interval: 500 };

const areGone = async (folder: string, texts: Readonly<Record<string, readonly string[]>>): Promise<void> => {
  let left: Found = new Map();
  const all = Object.values(texts).flat();
  const areForgotten = async (): Promise<boolean> => {
    // As long as a file from before holds something, the others need no look.
    if (left.size > 0) left = await holding(folder, [...new Set([...left.values()].flat())], all);
    if (left.size === 0) left = await filesWith(folder, all);
    return left.size === 0;
  };
  await waitFor('the disk to forget', areForgotten, PATIENT).catch((error: unknown) => {
    const places = Object.entries(texts).flatMap(([what, ofIt]) =>
      ofIt.flatMap((text) => {
        const files = left.get(text);
        return files === undefined ? [] : [`${what} is in ${files.join(', ')}`];
      }),
    );
    throw new Error(places.join('; '), { cause: error });
  });
};

describe.each(browsers)('the disk (%s)', (name) => {
  const world = new World(name);
  let profile: string;

  beforeAll(async () => {
    profile = await mkdtemp(path.join(tmpdir(), 'cointoss-profile-'));
    await world.start({ userDataDir: profile });
  });

  afterAll(async () => {
    await world.stop();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  beforeEach(() => world.extension.accept());

  /** Looks again if need be: a browser that tidies up moves them to another file meanwhile. */
  const areOnDisk = (what: string, texts: readonly string[], atLeast = 1): Promise<unknown> =>
    waitFor(
      `${what} to be on the disk`,
      async () => (await filesWith(profile, texts, STORED)).size >= atLeast,
      PATIENT,
    );

  let sources = 0;

  /**
   * Records a source with texts that compression leaves as they are, and waits for them on the disk. The end of a page there may break one, so
   * there are three. Nobody else has its page, ad tech and destination, so that their names, too, must go.
   */
  const record = async (): Promise<Recorded> => {
    const markers = [1, 2, 3].map(() => randomBytes(18).toString('base64url').replaceAll(/[-_]/g, 'x'));
    const [publisher, adtech, destination] = [madeUp(), madeUp(), madeUp()];
    const header = { destination, source_event_id: String(++sources), filter_data: { marker: markers } };
    await world.extension.register('event', header, {
      contextOrigin: publisher,
      reportingOrigin: adtech,
    });
    await areOnDisk('the source', markers, 2);
    return { publisher, texts: [...markers, ...[publisher, adtech, destination].map(nameOf)] };
  };

  it('holds nothing any more of what was cleared, which can be brought back for a while all the same', async () => {
    const { extension } = world;
    const page = await extension.openPage('pages/internals.html#/sources');
    await extension.settings({ collector: 'https://collector.example' });
    for (let round = 0; round < ROUNDS; round++) {
      const { publisher, texts } = await record();
      await page.bringToFront();
      await page.evaluate(fill);
      await shows(page, 'main', new RegExp(nameOf(publisher)));
      await extension.clear();
      await areGone(profile, { 'a source': texts });
    }
    expect(await extension.sources()).toEqual([]);
    // Pages go on in the new database, and the settings stand.
    await extension.register('event', { destination: 'https://other.example' }, origins);
    await shows(page, 'main', /other\.example/);
    expect((await extension.settings()).collector).toBe('https://collector.example');
    // At once: the pages offer it for some seconds, and a loaded machine takes longer to read the disk.
    await extension.clear();
    await extension.send({ kind: 'undo-clear' });
    expect(await extension.sources()).toMatchObject([
      { registration: { destinations: ['https://other.example'] } },
    ]);
    await shows(page, 'main', /other\.example/);
    await extension.clear();
    await page.close();
  });

  it('holds nothing any more of a person who has withdrawn, nor which sites they paused', async () => {
    const { extension } = world;
    // Several, because compression may break one into parts that no search finds. What they have in common it breaks always.
    const sites = Array.from({ length: 5 }, madeUpName);
    await extension.settings({ pausedSites: sites.map((site) => `https://${site}.example`) });
    await extension.settings({ w3cAttribution: true, debug: { enabled: true } });
    const seen = Array.from({ length: 3 }, madeUpName);
    for (const one of seen)
      await extension.w3c.saveImpression({ histogramIndex: 1 }, { site: `${one}.example` });
    await areOnDisk('the impressions', seen);
    const { texts } = await record();
    await areOnDisk('the paused sites', sites);
    await extension.send({ kind: 'withdraw' });
    await areGone(profile, { 'a source': texts, 'a paused site': sites, 'an impression': seen });
    await world.closeBrowser();
    expect(await filesWith(profile, [...texts, ...sites, ...seen])).toEqual(new Map());
  });
});
