import { TestEnvironment } from 'jest-environment-node';
import { launch, serveSites, type Launched, type LaunchOptions, type Sites } from './index';

/** What a test file has as the global `cointoss`. */
export interface Cointoss extends Launched {
  readonly sites: Sites;
}

type Parameters = ConstructorParameters<typeof TestEnvironment>;

/**
 * A jest environment in which each test file has one browser with Cointoss, and sites to visit. `testEnvironmentOptions.cointoss` holds the
 * options of `launch`; without them it is Chrome.
 */
export default class CointossEnvironment extends TestEnvironment {
  readonly #options: Partial<LaunchOptions>;
  #launched: Launched | null = null;
  #sites: Sites | null = null;

  constructor(config: Parameters[0], context: Parameters[1]) {
    super(config, context);
    const { cointoss = {} } = config.projectConfig.testEnvironmentOptions;
    this.#options = cointoss as Partial<LaunchOptions>;
    acceptErrorsFrom(globalThis.Error, this.global.Error);
  }

  override async setup(): Promise<void> {
    await super.setup();
    const sites = (this.#sites = await serveSites());
    const launched = (this.#launched = await launch({ browser: 'chrome', ...this.#options }));
    const cointoss: Cointoss = { ...launched, sites };
    Object.assign(this.global, { cointoss });
  }

  override async teardown(): Promise<void> {
    try {
      await this.#launched?.close();
    } finally {
      try {
        await this.#sites?.close();
      } finally {
        await super.teardown();
      }
    }
  }
}

/** Makes `instanceof` of one realm's Error true for another realm's errors, as those of the kit are in a test file. */
function acceptErrorsFrom(other: ErrorConstructor, error: ErrorConstructor): void {
  const hasInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(error, Symbol.hasInstance, {
    // Classes that extend Error inherit this, and keep to their own instances.
    value(this: unknown, value: unknown) {
      return hasInstance.call(this, value) || (this === error && value instanceof other);
    },
  });
}
