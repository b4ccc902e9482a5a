import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { blindBatch, finishBatch, type BlindToken } from '../../../extension/background/tokens/blind-batch';
import { invitationDigest } from '../../../collector/intake/issue-tokens';
import { publicTextOf, type TokenOptions } from '../../../collector/intake/token-keys';
import { toBase64Url } from '../../../formats/codec/base64-url';
import { parseTrial } from '../../../formats/settings/parse-trial';
import { invitationOf, readInvitation } from '../../../formats/tokens/issuance';
import { authorizationOf, challengeOf, sha256, tokenInput } from '../../../formats/tokens/token';
import { keyIdOf } from '../../../formats/tokens/token-key';
import { root } from '../../../node/root';
import type { Json, JsonObject } from '../../../src/model/json';
import { post } from './collector-client';
import { unlimited } from './budgets';
import { Researcher } from './trial-key';

const DAY = 24 * 3_600_000;
const COLLECTOR = 'https://collector.example';
const ID = 'with-tokens';

export const newTokenKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** Made once for all runs, because each takes up to half a second of processor time. */
const KEPT = path.join(root, '.data/token-keys.pem');
const END = '-----END PRIVATE KEY-----\n';

function keptKeys(): readonly KeyObject[] {
  if (!existsSync(KEPT)) keepKeys([newTokenKey(), newTokenKey(), newTokenKey(), newTokenKey()]);
  const pems = readFileSync(KEPT, 'utf8').split(END).slice(0, -1);
  return pems.map((pem) => createPrivateKey(pem + END));
}

/** By a rename, because other tests may do the same. */
function keepKeys(made: readonly KeyObject[]): void {
  mkdirSync(path.dirname(KEPT), { recursive: true });
  const draft = `${KEPT}-${process.pid}`;
  writeFileSync(draft, made.map((key) => key.export({ type: 'pkcs8', format: 'pem' })).join(''), {
    mode: 0o600,
  });
  renameSync(draft, KEPT);
}

const keys = keptKeys();

/** A trial whose second of four periods is now. */
export class TokenTrial {
  readonly codes: string[] = [];
  readonly digests = new Set<string>();

  constructor(
    readonly batch = 3,
    readonly collector = COLLECTOR,
    readonly privateKeys: readonly KeyObject[] = keys,
  ) {}

  get document(): JsonObject {
    const now = Date.now();
    const at = (days: number): string => new Date(now + days * DAY).toISOString();
    return {
      id: ID,
      version: 1,
      title: 'A trial with tokens',
      researcher: { name: 'Somebody', contact: 'somebody@uni.example' },
      information: { en: 'What it is about.' },
      settings: { ...unlimited, collector: this.collector },
      end: at(70),
      tokens: {
        batch: this.batch,
        periods: this.privateKeys.map((key, index) => ({
          from: at(28 * (index - 1) - 14),
          key: publicTextOf(key),
        })),
        until: at(28 * (this.privateKeys.length - 1) - 14),
      },
    };
  }

  invite(): string {
    const code = invitationOf(randomBytes(20));
    this.codes.push(code);
    this.digests.add(invitationDigest(readInvitation(code) ?? ''));
    return code;
  }

  options(required = true): TokenOptions {
    const { value: trial, errors } = parseTrial(this.document);
    if (trial === null) throw new Error(JSON.stringify(errors));
    return { required, trial, privateKeys: this.privateKeys, invitations: () => this.digests };
  }

  /** The keys of the second period. */
  issuing(): readonly { readonly privateKey: KeyObject; readonly publicKey: KeyObject }[] {
    return this.privateKeys
      .slice(1, 2)
      .map((privateKey) => ({ privateKey, publicKey: createPublicKey(privateKey) }));
  }

  /** A token of the second period, as a device would get it after some 50 ms of blinding. */
  async signer(): Promise<() => string> {
    const [digest, keyId] = [
      await sha256(await challengeOf(this.collector, ID)),
      await keyIdOf(this.keyText()),
    ];
    const [{ privateKey: key } = null as never] = this.issuing();
    return () => {
      const input = tokenInput(randomBytes(32), digest, keyId);
      const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 };
      return authorizationOf(input, sign('sha384', input, pss));
    };
  }

  /** The options of `cointoss collect`. */
  async files(folder: string): Promise<readonly string[]> {
    const names = ['trial.json', 'token-keys.pem', 'invitations.txt'].map((name) => path.join(folder, name));
    const [trial = '', tokenKeys = '', invitations = ''] = names;
    writeFileSync(trial, JSON.stringify(await new Researcher().sign(this.document)));
    const pems = this.privateKeys.map((key) => key.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(tokenKeys, pems.join(''), { mode: 0o600 });
    writeFileSync(invitations, [...this.digests].join('\n'));
    return [
      '--tokens',
      'required',
      '--trial',
      trial,
      '--token-keys',
      tokenKeys,
      '--invitations',
      invitations,
    ];
  }

  async keyId(period = 1): Promise<string> {
    return toBase64Url(await keyIdOf(this.keyText(period)));
  }

  keyText(period = 1): string {
    const key = this.privateKeys[period];
    return key === undefined ? '' : publicTextOf(key);
  }

  /** A participant's device, as the extension does it. */
  device(origin: string, invitation: string | null = this.invite()): TokenDevice {
    return new TokenDevice(this, origin, invitation);
  }
}

export class TokenDevice {
  readonly member = toBase64Url(randomBytes(32));

  constructor(
    private readonly trial: TokenTrial,
    private readonly origin: string,
    private readonly invitation: string | null,
  ) {}

  async blind(period = 1, count = this.trial.batch): Promise<readonly BlindToken[]> {
    const digest = await sha256(await challengeOf(this.trial.collector, ID));
    return blindBatch(this.trial.keyText(period), digest, count);
  }

  async ask(blind: readonly BlindToken[], period = 1, more: object = {}): Promise<Response> {
    return post(`${this.origin}/tokens`, {
      ...(this.invitation === null ? {} : { invitation: this.invitation }),
      member: this.member,
      key_id: await this.trial.keyId(period),
      blinded: blind.map(({ blinded }) => blinded),
      ...more,
    });
  }

  /** The values of `Authorization`. */
  async tokens(period = 1): Promise<readonly string[]> {
    const blind = await this.blind(period);
    const response = await this.ask(blind, period);
    const answer = (await response.json()) as { readonly signatures?: readonly string[] } & Json;
    if (answer.signatures === undefined) throw new Error(JSON.stringify(answer));
    return finishBatch(this.trial.keyText(period), blind, answer.signatures);
  }
}

/** A free port, because the trial names the collector's address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
