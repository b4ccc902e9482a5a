import {
  constants,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  verify,
  type KeyObject,
} from 'node:crypto';
import { toBase64Url } from '../../formats/codec/base64-url';
import type { TokenPeriod, Trial } from '../../formats/settings/trial';
import { challengeOf, sha256, type Token } from '../../formats/tokens/token';
import { keyIdOf, keyOfModulus, MODULUS_BYTES } from '../../formats/tokens/token-key';
import { days, type Moment } from '../../src/model/units';

/** For clocks that are wrong. */
const GRACE = days(1);
/** How long after a token's time it is known that it was spent: the collector's clock may have been ahead. */
const REMEMBERED = days(28);

export interface TokenOptions {
  /** Whether a report without a token is refused. */
  readonly required: boolean;
  /** Its field `tokens` has the public keys. */
  readonly trial: Trial;
  /** RSA keys of 2048 bits, one for each period of the trial. */
  readonly privateKeys: readonly KeyObject[];
  /** The digests of the invitation codes in force. It is called for each request for tokens. */
  readonly invitations: () => ReadonlySet<string>;
}

/** A period of the trial, with its keys. */
export interface IssuingPeriod extends TokenPeriod {
  /** In base64url. */
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** From when tokens for it are signed: the begin of the period before. */
  readonly signedFrom: Moment;
}

/** What is wrong with a trial or its keys. */
export class TokenKeysError extends Error {}

/** The keys of a trial, by which tokens are signed and checked. */
export class TokenKeys {
  private constructor(
    readonly batch: number,
    readonly challenge: Uint8Array,
    private readonly challengeDigest: string,
    readonly periods: readonly IssuingPeriod[],
    /** Whether browsers' clocks are turned, so that each period counts at any time. */
    private readonly rehearsal: boolean,
  ) {}

  /** @throws TokenKeysError when the trial has no tokens, or one of its keys is missing */
  static async of(
    { trial, privateKeys }: Pick<TokenOptions, 'trial' | 'privateKeys'>,
    rehearsal: boolean,
  ): Promise<TokenKeys> {
    const { tokens, settings, id } = trial;
    if (tokens === null || settings.collector === null)
      throw new TokenKeysError('the trial has no field "tokens": cointoss trial --new-token-keys adds it');
    const byKey = new Map(privateKeys.map((key) => [publicTextOf(key), key]));
    const periods = await Promise.all(
      tokens.periods.map(async (period, index): Promise<IssuingPeriod> => {
        const privateKey = byKey.get(period.key);
        if (privateKey === undefined)
          throw new TokenKeysError(`the private key of period ${index + 1} of the trial is missing`);
        return {
          ...period,
          keyId: toBase64Url(await keyIdOf(period.key)),
          privateKey,
          publicKey: createPublicKey(privateKey),
          signedFrom: tokens.periods[index - 1]?.from ?? (-Infinity as Moment),
        };
      }),
    );
    const challenge = await challengeOf(settings.collector, id);
    const digest = toBase64Url(await sha256(challenge));
    return new TokenKeys(tokens.batch, challenge, digest, periods, rehearsal);
  }

  /** The period of the key, if its tokens are signed now. */
  signing(keyId: string, now: number): IssuingPeriod | null {
    return this.find(keyId, ({ signedFrom, until }) => signedFrom - GRACE <= now && now < until + GRACE);
  }

  /** Null if the token is valid now; otherwise what is wrong with it. */
  problem(token: Token, now: number): string | null {
    if (toBase64Url(token.challengeDigest) !== this.challengeDigest)
      return 'is for another trial or another collector';
    const keyId = toBase64Url(token.keyId);
    const period = this.find(keyId, ({ from, until }) => from - GRACE <= now && now < until + GRACE);
    if (period === null)
      return this.find(keyId, () => true) === null
        ? 'was signed with a key that is not in the trial'
        : 'is for a period that is not now';
    return isSigned(period.publicKey, token) ? null : 'has a signature that is not valid';
  }

  /** The period that tokens are to be for; null outside all of them. */
  current(now: number): IssuingPeriod | null {
    return this.periods.find(({ from, until }) => from <= now && now < until) ?? null;
  }

  /** The keys whose tokens are refused for good. */
  ended(now: number): readonly string[] {
    return this.periods
      .filter(({ until }) => !this.rehearsal && until + GRACE + REMEMBERED <= now)
      .map(({ keyId }) => keyId);
  }

  private find(keyId: string, isInTime: (period: IssuingPeriod) => boolean): IssuingPeriod | null {
    const found = this.periods.find((period) => period.keyId === keyId) ?? null;
    return found !== null && (this.rehearsal || isInTime(found)) ? found : null;
  }
}

/** The public half as it is in a trial. @throws TokenKeysError unless it is an RSA key of 2048 bits with the exponent 65537 */
export function publicTextOf(privateKey: KeyObject): string {
  const { n = '', e } = createPublicKey(privateKey).export({ format: 'jwk' });
  const modulus = Buffer.from(n, 'base64url');
  if (privateKey.asymmetricKeyType !== 'rsa' || modulus.length !== MODULUS_BYTES || e !== 'AQAB')
    throw new TokenKeysError('the key must be RSA with 2048 bits and the exponent 65537');
  return keyOfModulus(modulus);
}

const isSigned = (publicKey: KeyObject, { input, authenticator }: Token): boolean =>
  verify(
    'sha384',
    input,
    { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 },
    authenticator,
  );

/**
 * Signs a blinded token (RFC 9474, "BlindSign").
 * @returns null if it is not smaller than the modulus
 * @throws Error if the processor made a mistake, which would reveal the key
 */
export function blindSign(
  { privateKey, publicKey }: Pick<IssuingPeriod, 'privateKey' | 'publicKey'>,
  blinded: Uint8Array,
): Uint8Array | null {
  const padding = constants.RSA_NO_PADDING;
  let signature;
  try {
    signature = privateDecrypt({ key: privateKey, padding }, blinded);
  } catch {
    return null;
  }
  if (!publicEncrypt({ key: publicKey, padding }, signature).equals(blinded))
    throw new Error('signing failed');
  return signature;
}
