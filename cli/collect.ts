import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Option } from 'commander';
import type { FastifyInstance } from 'fastify';
import { exposureProblem } from '../collector/access';
import { createCollector, type CollectorOptions } from '../collector/server';
import { fillDemoStore } from './collect-demo';
import type { DefineCommand } from './define';
import { InputError } from './input';

const MEBIBYTE = 2 ** 20;

interface CollectOptions {
  readonly port: string;
  readonly store?: string;
  readonly demo?: boolean;
  readonly host: string;
  readonly token?: string;
  readonly rateLimit: string;
  readonly debugReports?: boolean;
  readonly clientBudget: string;
  readonly storeLimit: string;
  readonly trustProxy?: string;
}

/** `cointoss collect`: runs the report collector until it is stopped. */
export const define: DefineCommand = (command) => {
  command
    .option('--port <port>', 'the port to listen on; 0 takes any free port', '8090')
    .option('--store <store>', 'where to store reports: a folder, or postgres://…')
    .option(
      '--demo',
      'first fill the store with a made-up month; in memory, unless --store names an empty store',
    )
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .addOption(
      new Option('--token <token>', 'the token that everything except sending a report needs').env(
        'COINTOSS_TOKEN',
      ),
    )
    .option('--rate-limit <requests>', 'requests per minute that one client may make', '6000')
    .option('--debug-reports', 'take verbose debug reports and debug copies, too')
    .option('--client-budget <MiB>', 'what one client may store in a day', '256')
    .option('--store-limit <MiB>', 'the size of the store at which it takes no more reports', '10240')
    .option(
      '--trust-proxy <addresses>',
      'proxies (addresses, separated by commas) whose X-Forwarded-* headers count',
    )
    .action(collectCommand);
};

async function collectCommand(options: CollectOptions): Promise<void> {
  const { host, token = null, trustProxy = null } = options;
  const store = options.store ?? (options.demo === true ? 'memory://' : null);
  if (store === null) throw new InputError('collect: --store: must be given, a folder or postgres://…');
  const port = wholeNumber('--port', options.port, 0, 65_535);
  const limits = {
    rateLimit: wholeNumber('--rate-limit', options.rateLimit, 1, 1e9),
    clientBudget: MEBIBYTE * wholeNumber('--client-budget', options.clientBudget, 1, 1e9),
    storeLimit: MEBIBYTE * wholeNumber('--store-limit', options.storeLimit, 1, 1e9),
  };
  const problem = exposureProblem(host, token, trustProxy);
  if (problem !== null) throw new InputError(`collect: ${problem}`);
  // If the reader of the log goes away, the collector keeps receiving.
  process.stderr.on('error', () => undefined);
  const { debugReports = false, demo = false } = options;
  const proxies = trustProxy === null ? {} : { trustProxy };
  const filled = demo ? { prepare: fillDemoStore } : {};
  const collector = { store, token, debugReports, logger: true, ...limits, ...proxies, ...filled };
  const app = await start(collector, host, port);
  process.stderr.write(`cointoss: the collector listens at ${originOf(app)}\n`);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  process.stderr.write('cointoss: the collector is stopping\n');
  await app.close();
}

async function start(options: CollectorOptions, host: string, port: number): Promise<FastifyInstance> {
  let app: FastifyInstance;
  try {
    app = await createCollector(options);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`collect: --store ${withoutPassword(options.store)}: ${messageOf(error)}`);
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

const withoutPassword = (store: string): string => store.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1@');

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
