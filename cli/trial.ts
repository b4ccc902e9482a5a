import { Option } from 'commander';
import manifest from '../manifest.json';
import type { Json } from '../src/model/json';
import { parseJsonHeader } from '../src/registration/header';
import { parseTrial, serializeTrial } from '../formats/settings/parse-trial';
import type { DefineCommand } from './define';
import { accept, describe, InputError, readText } from './input';
import { say } from './terminal';

type PolicyBrowser = 'chrome' | 'firefox';

interface TrialCommandOptions {
  readonly policy?: PolicyBrowser;
  readonly extensionId?: string;
}

/** The form of an extension id. Firefox's pattern is `ExtensionID` in its manifest schema. */
const ids: Record<PolicyBrowser, { readonly form: RegExp; readonly expected: string }> = {
  chrome: {
    form: /^[a-p]{32}$/,
    expected: 'must be 32 letters from a to p, as chrome://extensions shows them',
  },
  firefox: {
    form: /^(\{[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\}|[a-z0-9._-]*@[a-z0-9._-]+)$/i,
    expected: 'must be name@domain or {UUID}, as browser_specific_settings.gecko.id in manifest.json',
  },
};

/** `cointoss trial FILE`: checks a trial's configuration, and prints the policy that sets it. */
export const define: DefineCommand = (command, { print }) => {
  command
    .argument('<file>', 'the configuration (JSON), or - for standard input')
    .addOption(
      new Option('--policy <browser>', 'print a policy with the configuration instead').choices([
        'chrome',
        'firefox',
      ]),
    )
    .option(
      '--extension-id <id>',
      "with --policy: the extension's id, as chrome://extensions shows it; for Firefox, by default the id in manifest.json",
    )
    .action((file: string, options: TrialCommandOptions) =>
      print(JSON.stringify(trialCommand(file, options))),
    );
};

export function trialCommand(file: string, { policy, extensionId }: TrialCommandOptions): Json {
  // No comments: the browser does not accept them either.
  const { value: document, errors } = parseJsonHeader(readText(file));
  if (errors[0] !== undefined) throw new InputError(describe(file, errors[0]));
  const trial = accept(file, parseTrial(document));
  if (trial.end <= Date.now()) say(`${file}: end: is in the past, so nobody can take part any more`);
  if (policy === undefined) {
    if (extensionId !== undefined) throw new InputError('--extension-id: needs --policy, which it is for');
    return serializeTrial(trial);
  }
  const settings = { trial: JSON.stringify(document) };
  const id = idFor(policy, extensionId);
  return policy === 'firefox'
    ? { policies: { '3rdparty': { Extensions: { [id]: settings } } } }
    : { '3rdparty': { extensions: { [id]: settings } } };
}

/** Firefox's id is in the manifest; Chrome's depends on where the extension comes from. */
function idFor(browser: PolicyBrowser, given: string | undefined): string {
  const id = given ?? (browser === 'firefox' ? manifest.browser_specific_settings.gecko.id : null);
  if (id === null)
    throw new InputError(`--policy ${browser}: needs --extension-id, which ${ids[browser].expected}`);
  if (!ids[browser].form.test(id)) throw new InputError(`--extension-id: ${ids[browser].expected}`);
  return id;
}
