import { generateKeyPairSync } from 'node:crypto';
import { createReadStream, existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import crx3 from 'crx3';
import { CallError } from './console.mjs';

/**
 * Signs a package for Chrome with a key of one's own, and writes the `update.xml` that Chrome's policy asks for beside it. Without a store,
 * Chrome installs an extension only by policy.
 * @param key the file of the private key; made if it is missing. Updates need the same one
 * @param url where both files will be served from
 * @param oldestChrome the oldest version of Chrome that gets it
 * @returns the extension's id, which follows from the key
 */
export async function signCrx({ zip, key, url, version, oldestChrome }) {
  if (!existsSync(key)) makeKey(key);
  refuseOpenKey(key);
  const crx = zip.replace(/\.zip$/, '.crx');
  const { appId } = await crx3(createReadStream(zip), {
    keyPath: key,
    crxPath: crx,
    xmlPath: path.join(path.dirname(zip), 'update.xml'),
    crxURL: new URL(path.basename(crx), url).href,
    appVersion: version,
    browserVersion: oldestChrome,
  });
  return appId;
}

/** Who has the key can sign an update. Windows has no such permissions. */
function refuseOpenKey(file) {
  const { mode } = statSync(file);
  if (process.getuid !== undefined && (mode & 0o077) !== 0)
    throw new CallError(`package: --key: ${file}: must be open to its owner only; run chmod go= on it`);
}

/** Only its owner may read it. A link in its place is not followed. */
function makeKey(file) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
}
