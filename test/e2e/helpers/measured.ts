import type { Page } from 'puppeteer-core';
import { functionsAtEntrances } from '../../unit/helpers/costs/functions';
import { NamedExtension } from './named-extension';
import { counted, WorkCounter } from './work-count';
import { World } from './world';

/** Functions that need not run while a test measures, as `FILE: NAME NAME …`, and why. */
export interface Unreached {
  readonly why: string;
  readonly functions: readonly string[];
}

/** Chrome with an extension whose work is counted by function. */
export class Measured {
  readonly world = new World('chrome');
  #extension: NamedExtension | null = null;
  readonly #ran = new Set<string>();
  #counter: WorkCounter | null = null;

  async start(): Promise<void> {
    this.#extension = await NamedExtension.build();
    await this.world.start({ extensionDir: this.#extension.folder, puppeteer: counted });
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.#extension?.remove();
  }

  /** Ends the one before. */
  async counter(page: Page): Promise<WorkCounter> {
    if (this.#extension === null) throw new Error('the extension is not built');
    await this.#counter?.stop();
    this.#counter = await WorkCounter.of(page, this.#extension, this.#ran);
    return this.#counter;
  }

  /**
   * What is wrong with a list of those that did not run: a function of these files that goes over something, did not run and is not in the
   * list; and one in the list that did run, or is none of them.
   */
  wrong(files: RegExp, unreached: readonly Unreached[]): readonly string[] {
    const all = functionsAtEntrances((file) => files.test(file));
    const known = unreached.flatMap(({ functions }) =>
      functions.flatMap((one) => {
        const [file = '', names = ''] = one.split(': ');
        return names.split(' ').map((name) => `${file}: ${name}`);
      }),
    );
    return [
      ...all
        .filter((name) => !this.#ran.has(name) && !known.includes(name))
        .map((name) => `${name} did not run: show what reaches it, or say why it sees nothing of others`),
      ...known.filter((name) => this.#ran.has(name)).map((name) => `${name} ran: it is no exception`),
      ...known.filter((name) => !all.includes(name)).map((name) => `${name} is no function of these files`),
    ];
  }
}

/** One browser for a group of tests. */
export function useMeasured(): Measured {
  const measured = new Measured();
  let isUsed = false;
  beforeAll(() => measured.start());
  beforeEach(async () => {
    if (isUsed) await measured.world.reset();
    isUsed = true;
  });
  afterAll(() => measured.stop());
  return measured;
}
