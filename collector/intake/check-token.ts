import type { FastifyReply, FastifyRequest } from 'fastify';
import { toBase64Url } from '../../formats/codec/base64-url';
import { challengeHeader, readToken } from '../../formats/tokens/token';
import { Refusal } from '../http/refusal';
import type { SpentToken } from '../store/reports';
import type { TokenKeys } from './token-keys';

const HEADER = 'Authorization';
const HOW = `docs/tokens.md`;

/** Checks the tokens that reports bring. */
export class TokenCheck {
  constructor(
    private readonly keys: TokenKeys,
    private readonly isRequired: boolean,
  ) {}

  /**
   * The valid token of a request, which may be spent already; null if it has none and needs none.
   * @throws Refusal
   */
  tokenOf({ headers: { authorization } }: Pick<FastifyRequest, 'headers'>): SpentToken | null {
    if (authorization === undefined) {
      if (!this.isRequired) return null;
      throw new Refusal('token-missing', `the report must spend a token of the trial (${HOW})`, HEADER);
    }
    const token = readToken(authorization);
    const problem =
      token === null ? 'must be PrivateToken with a token of type 2' : this.keys.problem(token, Date.now());
    if (token === null || problem !== null)
      throw new Refusal('token-invalid', `the token ${problem} (${HOW})`, HEADER);
    return { nonce: toBase64Url(token.nonce), keyId: toBase64Url(token.keyId) };
  }

  /** Says which token would have been accepted (RFC 9577, section 2.1). */
  challenge(reply: FastifyReply): void {
    const period = this.keys.current(Date.now()) ?? this.keys.periods.at(-1);
    if (period !== undefined)
      reply.header('WWW-Authenticate', challengeHeader(this.keys.challenge, period.key));
  }
}

export const spentRefusal = (): Refusal =>
  new Refusal('token-spent', `another report has spent the token (${HOW})`, HEADER);
