import { Option } from 'commander';
import type { DefineCommand } from '../io/define';
import type { CollectOptions } from './run';

/** `cointoss collect`: runs the report collector until it is stopped. */
export const define: DefineCommand = (command) => {
  command
    .option('--port <port>', 'the port to listen on; 0 takes any free port', '8090')
    .option('--store <store>', 'where to store reports: a folder, or postgres://…')
    .option(
      '--demo',
      'first fill the store with a generated month; in memory, unless --store names an empty store',
    )
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option(
      '--token-file <file>',
      "the file of the owner's token, which every request except sending a report needs (or COINTOSS_TOKEN)",
    )
    .option(
      '--source-log-token-file <file>',
      'the file of a token that only adds to the source log (or COINTOSS_SOURCE_LOG_TOKEN)',
    )
    .option('--rate-limit <requests>', 'requests per minute that one client may make', '6000')
    .option('--debug-reports', 'also accept verbose debug reports and debug copies')
    .option('--rehearsal', 'follow browsers whose clocks are turned forward, to rehearse a trial')
    .option(
      '--aggregation-key <file>',
      'serve the public keys that cointoss aggregate --new-key printed, for aggregatable reports',
    )
    .option('--client-budget <MiB>', 'MiB of reports that one client may store in a day', '256')
    .option(
      '--store-limit <MiB>',
      'the size of the store, in MiB, at which it accepts no more reports',
      '10240',
    )
    .option(
      '--trust-proxy <addresses>',
      'proxies (addresses, separated by commas) whose X-Forwarded-* headers count',
    )
    .addOption(
      new Option('--tokens <mode>', 'whether reports must spend tokens of the trial')
        .choices(['required', 'optional', 'off'])
        .default('off'),
    )
    .option('--trial <file>', 'with --tokens: the signed configuration of the trial')
    .option('--token-keys <file>', 'with --tokens: the file that cointoss trial --new-token-keys made')
    .option(
      '--invitations <file>',
      'with --tokens: the digests that cointoss trial --invitations printed; lines may be added and removed while the collector runs',
    )
    .addOption(
      new Option(
        '--correct-sources <file>',
        'replace rows of the source log by those in the file, and keep the old rows; starts no collector',
      ).conflicts('wipe'),
    )
    .option('--wipe', 'erase the store instead, after a confirmation')
    // The server is most of what a collector loads, and `--help` needs none.
    .action(async (options: CollectOptions) => (await import('./run')).collect(options));
};
