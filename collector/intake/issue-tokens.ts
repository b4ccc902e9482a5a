import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fromBase64Url, toBase64Url } from '../../formats/codec/base64-url';
import { parse } from '../../formats/codec/issues';
import { readJsonText } from '../../formats/codec/json-text';
import {
  readInvitation,
  tokenBatchAnswer,
  tokenBatchRequest,
  TOKENS_PATH,
  type IssuanceRefusal,
  type TokenBatchRequest,
} from '../../formats/tokens/issuance';
import { english } from '../../words/english';
import { Refusal, textOf } from '../http/refusal';
import { answerSchema, sendJson } from '../http/schemas';
import type { Issuance, IssuanceDecision } from '../store/members';
import type { CollectorStore } from '../store/store';
import { blindSign, type IssuingPeriod, type TokenKeys } from './token-keys';

/** In bytes: five hundred blinded tokens. */
const BODY_LIMIT = 256 * 1024;
/** Requests per minute and client. A whole class may enrol at once, from one address. */
const CLIENT_RATE_LIMIT = 600;
/** Requests per minute for one device's batch, which takes the processor some 0.2 s each time. */
const BATCH_RATE_LIMIT = 20;
/** Signatures before other requests have their turn. */
const SIGNATURES_PER_TURN = 4;

/** The digest of an invitation code, which is all that a collector needs of it. @param code as `readInvitation` returns it */
export const invitationDigest = (code: string): string => digest(`cointoss-invitation\n${code}`);

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * Signs the blinded tokens of participants.
 * @param invitations the digests of the codes in force, read for each request, so that an operator can add and withdraw codes.
 */
export async function issueTokens(
  app: FastifyInstance,
  store: CollectorStore,
  keys: TokenKeys,
  invitations: () => ReadonlySet<string>,
): Promise<void> {
  const signer = new Signer();
  const batches = new WeakMap<FastifyRequest, string>();
  const askedFor = app.createRateLimit({
    max: BATCH_RATE_LIMIT,
    timeWindow: '1 minute',
    keyGenerator: (request) => batches.get(request) ?? '',
  });
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    scope.post(TOKENS_PATH, {
      config: { public: true, rateLimit: { max: CLIENT_RATE_LIMIT, timeWindow: '1 minute' } },
      bodyLimit: BODY_LIMIT,
      schema: {
        summary: 'Get the tokens of a period, signed blindly',
        description: 'The same request may be made again, and is answered in the same way.',
        tags: ['reports'],
        body: tokenBatchRequest.schema,
        response: answerSchema('One signature for each blinded token, in order', tokenBatchAnswer),
      },
      validatorCompiler: () => () => true,
      handler: async (asked, reply) => {
        const request = read(textOf(asked.body, 'the request'));
        const period = keys.signing(request.keyId, Date.now());
        if (period === null)
          throw new Refusal('tokens', 'key_id must be the key of this period or of the next one', 'key_id');
        if (request.blinded.length !== keys.batch)
          throw new Refusal(
            'tokens',
            `blinded must have ${keys.batch} items, the trial’s batch, had ${request.blinded.length}`,
            'blinded',
          );
        const inForce = invitations();
        const decision = await store.admit(digestsOf(request), (code) => inForce.has(code));
        if (decision !== 'issue') throw new Refusal(...refusals[decision], 'invitation');
        batches.set(asked, `${request.member} ${request.keyId}`);
        const limit = await askedFor(asked);
        if (!limit.isAllowed && limit.isExceeded)
          throw new Refusal(
            'rate-limit',
            `a device may ask for its tokens at most ${BATCH_RATE_LIMIT} times a minute`,
          );
        return sendJson(reply, tokenBatchAnswer.write({ signatures: await signer.sign(period, request) }));
      },
    });
    done();
  });
}

const refusals: Readonly<
  Record<Exclude<IssuanceDecision, 'issue'>, readonly [reason: IssuanceRefusal, message: string]>
> = {
  'no-member': ['invitation-unknown', 'the invitation code is not one of this trial'],
  'invitation-used': [
    'invitation-used',
    'the invitation code was used on another device or in an earlier participation',
  ],
  withdrawn: ['invitation-withdrawn', 'the invitation was withdrawn by the operator'],
  issued: ['tokens-issued', 'the tokens of this period were given out already'],
};

function read(text: string): TokenBatchRequest {
  const { value: json, problem } = readJsonText(text);
  if (problem !== null)
    throw new Refusal('not-json', `the request is not JSON: ${english.mistakeText(problem)}`);
  const { value, errors } = parse(json, tokenBatchRequest);
  const [issue] = errors;
  if (value !== null) return value;
  throw new Refusal('tokens', english.issuesText(errors), issue?.path);
}

function digestsOf({ invitation, member, keyId, blinded }: TokenBatchRequest): Issuance {
  const code = invitation === null ? null : readInvitation(invitation);
  if (invitation !== null && code === null)
    throw new Refusal(
      'invitation-unknown',
      'the invitation code must have 20 digits and letters, as XXXXX-XXXXX-XXXXX-XXXXX',
      'invitation',
    );
  return {
    invitation: code === null ? null : invitationDigest(code),
    member: digest(`cointoss-member\n${member}`),
    keyId,
    blinded: digest(blinded.join('\n')),
  };
}

/**
 * Signs one batch after the other: so reports wait for a few signatures, however many batches are asked for. Whoever repeats a request before
 * it is answered takes no second turn.
 */
class Signer {
  readonly #inFlight = new Map<string, Promise<readonly string[]>>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param request that was admitted, so that its member asks for no others of this key */
  sign(period: IssuingPeriod, { member, keyId, blinded }: TokenBatchRequest): Promise<readonly string[]> {
    const batch = `${member} ${keyId}`;
    const known = this.#inFlight.get(batch);
    if (known !== undefined) return known;
    const signed = this.#last.then(() => sign(period, blinded)).finally(() => this.#inFlight.delete(batch));
    this.#last = signed.catch(() => undefined);
    this.#inFlight.set(batch, signed);
    return signed;
  }
}

async function sign(period: IssuingPeriod, blinded: readonly string[]): Promise<readonly string[]> {
  const signatures: string[] = [];
  for (const [index, text] of blinded.entries()) {
    const signature = blindSign(period, fromBase64Url(text) ?? new Uint8Array());
    if (signature === null)
      throw new Refusal('tokens', 'must be smaller than the modulus of the key', `blinded[${index}]`);
    signatures.push(toBase64Url(signature));
    if (index % SIGNATURES_PER_TURN === 0) await new Promise(setImmediate);
  }
  return signatures;
}
