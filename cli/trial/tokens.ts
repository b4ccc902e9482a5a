import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { invitationDigest } from '../../collector/intake/issue-tokens';
import { publicTextOf } from '../../collector/intake/token-keys';
import { parseTrial } from '../../formats/settings/parse-trial';
import { writeTokens } from '../../formats/settings/parse-tokens';
import type { TokenPeriod } from '../../formats/settings/trial';
import { invitationOf, readInvitation } from '../../formats/tokens/issuance';
import type { Json, JsonObject } from '../../src/model/json';
import { after, days, moment, type Moment } from '../../src/model/units';
import { accept, InputError } from '../io/input';
import { say } from '../io/terminal';
import { writeNew } from './keys';

/** How long one key is used. The longer, the more participants share each key. */
const PERIOD = days(28);
/** How long after the trial's end reports may still be sent. */
const AFTERWARDS = days(60);

/**
 * Makes a file with a private key for each period of the trial.
 * @returns the configuration with the public keys, without a signature, which no longer fits
 * @throws InputError if the file exists
 */
export function withTokenKeys(file: string, document: Json, keyFile: string, batch: string): JsonObject {
  const trial = accept(file, parseTrial(document));
  const from = moment(Math.max(trial.start ?? 0, Date.now()));
  const until = after(trial.end, AFTERWARDS);
  if (until <= from) throw new InputError(`${file}: end: is so long past that no report can come any more`);
  const keys = periodStarts(from, until).map((start) => ({ start, key: newKey() }));
  const periods = keys.map(({ start, key }, index): TokenPeriod => ({
    from: start,
    until: keys[index + 1]?.start ?? until,
    key: publicTextOf(key),
  }));
  // Checked here, because the codec names the place of the mistake.
  const tokens = writeTokens({ batch: Number(batch), periods });
  const fields = Object.entries(document as JsonObject).filter(([name]) => name !== 'signature');
  const made = { ...Object.fromEntries(fields), tokens };
  accept(`${file} with --batch ${batch}`, parseTrial(made));
  writeNew(keyFile, keys.map(({ key }) => key.export({ type: 'pkcs8', format: 'pem' })).join(''));
  say(
    `${keyFile}: has the private keys of ${keys.length} periods. Give it to the collector, raise the version and sign the trial`,
  );
  return made;
}

function periodStarts(from: Moment, until: Moment): readonly Moment[] {
  const starts: Moment[] = [];
  for (let start = from; start < until; start = after(start, PERIOD)) starts.push(start);
  return starts;
}

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/**
 * Makes a file with invitation codes.
 * @returns their digests
 * @throws InputError if the file exists, or the number is none
 */
export function makeInvitations(number: string, file: string | undefined): readonly string[] {
  if (file === undefined)
    throw new InputError('--invitations: must come with --codes, the file for the codes');
  const count = /^\d{1,6}$/.test(number) ? Number(number) : 0;
  if (count === 0)
    throw new InputError(`--invitations: must be a whole number from 1 to 999999, was "${number}"`);
  const codes = Array.from({ length: count }, () => invitationOf(randomBytes(20)));
  writeNew(file, codes.map((code) => `${code}\n`).join(''));
  say(`${file}: has ${count} invitation codes. Give each participant one, and the collector what is printed`);
  return codes.map((code) => invitationDigest(readInvitation(code) ?? ''));
}
