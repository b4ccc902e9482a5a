import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { exposureProblem } from '../../collector/access';
import { shownStore } from '../../collector/store/store-name';
import { TokenKeysError } from '../../collector/intake/token-keys';
import { measureProcess } from '../../collector/http/metrics';
import { createCollector, type PreparedOptions } from '../../collector/server';
import { readPublicKeys } from '../io/aggregation-keys';
import { showSumming } from './sums';
import { tokenOptions } from './tokens';
import { InputError } from '../io/input';
import { secretFrom } from '../io/secrets';
import { say } from '../io/terminal';

const MEBIBYTE = 2 ** 20;

export interface CollectOptions {
  readonly port: string;
  readonly store?: string;
  readonly demo?: boolean;
  readonly host: string;
  readonly tokenFile?: string;
  readonly sourceLogTokenFile?: string;
  readonly rateLimit: string;
  readonly debugReports?: boolean;
  readonly rehearsal?: boolean;
  readonly aggregationKey?: string;
  readonly clientBudget: string;
  readonly storeLimit: string;
  readonly trustProxy?: string;
  readonly tokens: string;
  readonly trial?: string;
  readonly tokenKeys?: string;
  readonly invitations?: string;
  readonly correctSources?: string;
  readonly wipe?: boolean;
}

/** Runs a collector until it is stopped, or what the options ask for instead. */
export async function collect(options: CollectOptions): Promise<void> {
  const { host, trustProxy = null } = options;
  const store = options.store ?? (options.demo === true ? 'memory://' : null);
  if (store === null) throw new InputError('collect: --store: must be given, a folder or postgres://…');
  const { debugReports = false, rehearsal = false, demo: isDemo = false } = options;
  if (options.correctSources !== undefined) {
    const { correctSourceLog } = await import('./correct');
    return correctSourceLog(store, options.correctSources, rehearsal ? null : new Date());
  }
  if (options.wipe === true) {
    const { wipe } = await import('./wipe');
    return wipe(store, shownStore(store));
  }
  const port = wholeNumber('--port', options.port, 0, 65_535);
  const limits = {
    rateLimit: wholeNumber('--rate-limit', options.rateLimit, 1, 1e9),
    clientBudget: MEBIBYTE * wholeNumber('--client-budget', options.clientBudget, 1, 1e9),
    storeLimit: MEBIBYTE * wholeNumber('--store-limit', options.storeLimit, 1, 1e9),
  };
  const tokens = {
    owner: secretFrom('token-file', options.tokenFile, 'COINTOSS_TOKEN'),
    sourceLog: secretFrom('source-log-token-file', options.sourceLogTokenFile, 'COINTOSS_SOURCE_LOG_TOKEN'),
  };
  const problem = exposureProblem(host, tokens, trustProxy);
  if (problem !== null) throw new InputError(`collect: ${problem}`);
  // If the reader of the log goes away, the collector keeps receiving.
  process.stderr.on('error', () => undefined);
  const proxies = trustProxy === null ? {} : { trustProxy };
  const { aggregationKey: keyFile } = options;
  const keys = keyFile === undefined ? {} : { aggregationKeys: readPublicKeys(keyFile) };
  const spending = await tokenOptions(options);
  const month = isDemo ? (await import('./demo')).demo() : null;
  const filled = month === null ? {} : { prepare: month.fill, truth: month.truth };
  const { owner: token, sourceLog: sourceLogToken } = tokens;
  const collector = {
    store,
    token,
    sourceLogToken,
    debugReports,
    rehearsal,
    logger: true,
    ...limits,
    ...keys,
    ...proxies,
    ...filled,
    ...(spending === null ? {} : { tokens: spending }),
  };
  const app = await start(collector, host, port);
  measureProcess();
  say(`the collector listens at ${originOf(app)}`);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  say('the collector is stopping');
  await app.close();
}

async function start(options: PreparedOptions, host: string, port: number): Promise<FastifyInstance> {
  let app: FastifyInstance;
  const summing = showSumming();
  try {
    app = await createCollector({ ...options, onSummed: summing.onSummed });
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (error instanceof TokenKeysError) throw new InputError(`collect: --token-keys: ${error.message}`);
    throw new InputError(`collect: --store ${shownStore(options.store)}: ${messageOf(error)}`);
  } finally {
    summing.stop();
  }
  try {
    await app.listen({ host, port });
    return app;
  } catch (error) {
    await app.close();
    throw new InputError(`collect: --host ${host} --port ${port}: ${messageOf(error)}`);
  }
}

const originOf = (app: FastifyInstance): string => {
  const { address, family, port } = app.server.address() as AddressInfo; // it listens on a port
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

/** When Node has tried several addresses, its error has no message of its own. */
const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
};

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new InputError(
      `collect: ${option}: must be a whole number from ${least} to ${most}, was "${text}"`,
    );
  return value;
}
