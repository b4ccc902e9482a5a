import { Option } from 'commander';
import manifest from '../../manifest.json';
import type { Json, JsonObject } from '../../src/model/json';
import { parseIJson } from '../../formats/codec/json-text';
import { parseTrial, serializeTrial } from '../../formats/settings/parse-trial';
import type { Trial } from '../../formats/settings/trial';
import { readTrial, signerOf, signTrial } from '../../formats/settings/trial-signature';
import type { DefineCommand } from '../io/define';
import { accept, describe, InputError, readText } from '../io/input';
import { after, days, moment } from '../../src/model/units';
import { periodOf } from '../../src/limits/joint-budget';
import { jointLoss } from '../../analysis/audit/joint-bound';
import { isoText } from '../../formats/codec/time';
import { LONGEST_PERIOD } from '../../formats/settings/parse-budget';
import { english } from '../../words/english';
import { jointBoundText } from '../io/joint-bound-text';
import { say } from '../io/terminal';
import { makeKey, readKey } from './keys';
import { makeInvitations, withTokenKeys } from './tokens';

type PolicyBrowser = 'chrome' | 'firefox';

interface TrialCommandOptions {
  readonly policy?: PolicyBrowser;
  readonly extensionId?: string;
  /** A file with a private key. */
  readonly sign?: string;
  readonly newKey?: string;
  /** A file for the private keys of tokens. */
  readonly newTokenKeys?: string;
  readonly batch: string;
  /** How many. */
  readonly invitations?: string;
  /** A file for the codes. */
  readonly codes?: string;
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

/** `cointoss trial FILE`: checks a trial's configuration and its signature, signs it, and prints the policy that sets it. */
export const define: DefineCommand = (command, { print }) => {
  command
    .argument('[file]', 'the configuration (JSON), or - for standard input')
    .option('--new-key <file>', 'make a file with a new private key, and print its fingerprint')
    .option('--sign <key file>', 'print the configuration, signed with that private key')
    .option(
      '--new-token-keys <file>',
      'make a file with private keys for tokens, and print the configuration with the public ones',
    )
    .option('--batch <tokens>', 'with --new-token-keys: the tokens of a participant for 28 days', '200')
    .option(
      '--invitations <number>',
      'make codes for this number of participants, and print their digests for the collector',
    )
    .option('--codes <file>', 'with --invitations: the file for the codes')
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
    .action(async (file: string | undefined, options: TrialCommandOptions) => {
      const { newTokenKeys, invitations, codes, batch } = options;
      if (options.newKey !== undefined) await newKey(options.newKey, file, options);
      else if (invitations !== undefined) for (const line of makeInvitations(invitations, codes)) print(line);
      else if (file === undefined) throw new InputError('trial: must have a file, or --new-key');
      else if (newTokenKeys !== undefined)
        printAll(
          JSON.stringify(withTokenKeys(file, readDocument(file), newTokenKeys, batch), null, 2),
          print,
        );
      else if (options.sign === undefined) print(JSON.stringify(await trialCommand(file, options)));
      else printAll(JSON.stringify(await signed(file, options.sign, options), null, 2), print);
    });
};

function printAll(text: string, print: (line: string) => void): void {
  for (const line of text.split('\n')) print(line);
}

async function newKey(
  name: string,
  file: string | undefined,
  { sign, policy }: TrialCommandOptions,
): Promise<void> {
  if (file !== undefined || sign !== undefined || policy !== undefined)
    throw new InputError('--new-key: must be alone; sign with the key afterwards');
  const { fingerprint } = await signerOf(makeKey(name));
  say(`${name}: has a new private key, fingerprint ${fingerprint}. Whoever has it can change your trials`);
}

/** Comments are not allowed, because the browser refuses them too. */
function readDocument(file: string): Json {
  const { value, errors } = parseIJson(readText(file).replace(/^\ufeff/, ''));
  if (errors[0] !== undefined) throw new InputError(describe(file, errors[0]));
  return value;
}

async function signed(file: string, keyFile: string, { policy }: TrialCommandOptions): Promise<JsonObject> {
  if (policy !== undefined)
    throw new InputError('--sign: must come without --policy, which takes the signed file');
  const document = readDocument(file) as JsonObject;
  const before = accept(file, parseTrial(document)).signature;
  const key = await readKey(keyFile);
  const made = accept(file, await signTrial(document, key));
  const { fingerprint } = await signerOf(key.publicKey);
  say(`${file}: signed, fingerprint ${fingerprint}, version ${JSON.stringify(document['version'])}`);
  if (before !== null && before.publicKey !== key.publicKey)
    say(
      `${file}: was signed with another key: participants will be shown another trial, not a change of theirs`,
    );
  return made;
}

/** Warns if devices would draw the arms of a lift test again during the trial. */
function sayRedrawnArms(file: string, { settings: { liftTest, budget }, start, end }: Trial): void {
  const span = { start: start ?? moment(Date.now()), end };
  const isWithinOne = (period: number): boolean =>
    jointLoss({ ...budget, period }, span).ahead?.periods === 1;
  if (liftTest === null || isWithinOne(budget.period)) return;
  const redrawn = after(periodOf(budget, span.start), days(budget.period));
  const fitting = Array.from({ length: LONGEST_PERIOD }, (_, index) => index + 1).find(isWithinOne);
  const change = fitting === undefined ? 'move its start or end' : `a period of ${fitting} days contains it`;
  say(
    `${file}: settings.liftTest: devices draw their arms again on ${isoText(redrawn)}, when a period of ${budget.period} days ends; the trial must lie in one period: ${change}`,
  );
}

function sayJointBound(file: string, trial: Trial): void {
  const text = jointBoundText(trial, moment(Date.now()));
  if (text !== null) say(`${file}: ${text}`);
  const exception = english.exception(trial.settings);
  if (text !== null && exception !== null) say(`${file}: ${exception}`);
}

export async function trialCommand(
  file: string,
  { policy, extensionId }: Pick<TrialCommandOptions, 'policy' | 'extensionId'>,
): Promise<Json> {
  const { document, trial, signer } = accept(file, await readTrial(readDocument(file)));
  const signature =
    signer === null
      ? 'is not signed: it can be used as a file or by policy, not by a link'
      : `signed, fingerprint ${signer.fingerprint}, version ${trial.version}`;
  say(`${file}: ${signature}`);
  if (trial.end <= Date.now()) say(`${file}: end: is in the past, so nobody can take part any more`);
  sayRedrawnArms(file, trial);
  if (policy === undefined) {
    if (extensionId !== undefined) throw new InputError('--extension-id: must come with --policy');
    sayJointBound(file, trial);
    return serializeTrial(trial);
  }
  const settings = { trial: JSON.stringify(document) };
  const id = idFor(policy, extensionId);
  sayJointBound(file, trial);
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
