import { Option, type Command } from 'commander';
import { toJson } from '../src/model/json';
import type { Json } from '../src/model/recording-rule';
import { parseJsonHeader } from '../src/registration/header';
import { parseTrial } from '../src/settings/parse-trial';
import { accept, describe, InputError, readText } from './input';

/** The extension's own id in Firefox, as in manifest.json; Chrome's depends on where it comes from. */
const FIREFOX_ID = 'cointoss@cointoss.example';

interface TrialCommandOptions {
  readonly policy?: 'chrome' | 'firefox';
  readonly extensionId?: string;
}

export function addTrialCommand(program: Command, print: (line: string) => void): void {
  program
    .command('trial')
    .description('check the configuration of a field trial, and print it with every default filled in')
    .argument('<file>', 'the configuration (JSON), or - for standard input')
    .addOption(
      new Option('--policy <browser>', 'print the policy that sets it instead').choices([
        'chrome',
        'firefox',
      ]),
    )
    .option(
      '--extension-id <id>',
      "with --policy chrome: the extension's id, as chrome://extensions shows it",
    )
    .action((file: string, options: TrialCommandOptions) =>
      print(JSON.stringify(trialCommand(file, options))),
    );
}

export function trialCommand(file: string, { policy, extensionId }: TrialCommandOptions): Json {
  // Without comments: the browser takes none either.
  const { value: document, errors } = parseJsonHeader(readText(file));
  if (errors[0] !== undefined) throw new InputError(describe(file, errors[0]));
  const trial = accept(file, parseTrial(document));
  if (policy === undefined) return toJson(trial);
  const settings = { trial: JSON.stringify(document) };
  if (policy === 'firefox') return { policies: { '3rdparty': { Extensions: { [FIREFOX_ID]: settings } } } };
  if (extensionId === undefined || !/^[a-p]{32}$/.test(extensionId))
    throw new InputError('--extension-id: must be 32 letters from a to p, as chrome://extensions shows them');
  return { '3rdparty': { extensions: { [extensionId]: settings } } };
}
