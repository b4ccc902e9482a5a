import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentSecurityPolicy } from './dashboard/assets';
import { wantedLanguage } from './dashboard/languages';
import { renderLogin } from './dashboard/login';
import { textOf } from './http/refusal';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no token: reports come from anywhere. */
    public?: boolean;
    /** A success has no content, so its answer needs no headers that keep content to its readers. */
    isEmpty?: boolean;
    /** Holds no data by itself, so other sites may link to it. */
    linkable?: boolean;
    /** Only adds to the source log, which the token of the source log allows, too. */
    logsSources?: boolean;
  }
}

/** The tokens of a collector. */
export interface Tokens {
  /** Reads and writes everything; null when only this machine has access. */
  readonly owner: string | null;
  /** Adds to the source log and reads nothing, so an ad server can hold it; null for none. */
  readonly sourceLog: string | null;
}

const COOKIE = 'cointoss_session';
const SESSION_SECONDS = 7 * 24 * 3600;
const MIN_TOKEN_LENGTH = 16;

/**
 * The reason why a collector must not start; null if it may. Its data is for its owner only, so it needs a token if other machines can
 * reach it, directly or through a proxy.
 */
export function exposureProblem(
  host: string,
  { owner, sourceLog }: Tokens,
  trustProxy: string | null,
): string | null {
  if (owner === null) {
    const needs = 'can be reached from other machines, which needs a token: --token-file (or COINTOSS_TOKEN)';
    if (!isLoopback(host)) return `--host ${host} ${needs}`;
    if (trustProxy !== null) return `--trust-proxy ${trustProxy}: what is behind a proxy ${needs}`;
    return sourceLog === null
      ? null
      : 'the token of the source log needs the --token-file of the owner beside it';
  }
  if (!isLongEnough(owner)) return `the token ${MUST_BE_LONG}`;
  if (sourceLog !== null && !isLongEnough(sourceLog)) return `the token of the source log ${MUST_BE_LONG}`;
  return sourceLog === owner ? 'the token of the source log must differ from the owner’s' : null;
}

const MUST_BE_LONG = `must have at least ${MIN_TOKEN_LENGTH} printable ASCII characters and no space`;

const isLongEnough = (token: string): boolean =>
  token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token);

/** Admits public requests, requests with a token and, when there is none, requests to this machine's own names. */
export async function guard(app: FastifyInstance, { owner: token, sourceLog }: Tokens): Promise<void> {
  if (token === null) {
    app.addHook('preParsing', (request, reply, _payload, done) => {
      const problem = isPublic(request) ? null : strangerProblem(request);
      if (problem === null) done();
      else void reply.code(403).send(problem);
    });
    return;
  }
  await app.register(cookie);
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (mayEnter(request, token, sourceLog)) done();
    else if (request.method === 'GET' && request.headers.accept?.includes('text/html') === true)
      void reply.redirect('/login', 303);
    else
      void reply.code(401).header('WWW-Authenticate', 'Bearer').send({
        error: 'the token is missing or wrong, or there is nothing at this path',
        path: 'Authorization',
      });
  });
  await app.register((scope, _options, done) => {
    serveLogin(scope, token);
    done();
  });
}

/** Why a request is refused where there is no token; null if it is served. */
function strangerProblem(request: FastifyRequest): { readonly error: string; readonly path: string } | null {
  // Against DNS rebinding: another page could point its name at this machine and read everything.
  if (!isLoopback(request.hostname))
    return { error: 'without a token only names of this machine are served', path: 'Host' };
  const header = proxyHeaderOf(request);
  if (header !== undefined)
    return { error: 'without a token nothing that comes by a proxy is served', path: header };
  return isFromOtherSite(request)
    ? { error: 'without a token other sites are not served', path: 'Sec-Fetch-Site' }
    : null;
}

/** Whether a request is public or has a token for what it asks. */
function mayEnter(request: FastifyRequest, token: string, sourceLog: string | null): boolean {
  if (isPublic(request) || hasSession(request, token)) return true;
  // For unknown paths, the answer must not reveal whether the token is right.
  if (hasToken(request, token) && !request.is404) return true;
  return (
    request.routeOptions.config.logsSources === true && sourceLog !== null && hasToken(request, sourceLog)
  );
}

const isPublic = (request: FastifyRequest): boolean => request.routeOptions.config.public === true;

/** Requests through a proxy on this machine seem to come from this machine. */
const proxyHeaderOf = ({ headers }: FastifyRequest): string | undefined =>
  Object.keys(headers).find((name) => /^(forwarded|via|x-forwarded-.+|x-real-ip)$/.test(name));

/** Browsers state which site sends a request. A page of another site may only link to what is linkable. */
function isFromOtherSite({ headers, method, routeOptions }: FastifyRequest): boolean {
  if (!['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))) return false;
  const isFollowed = method === 'GET' && headers['sec-fetch-dest'] === 'document';
  return !(isFollowed && routeOptions.config.linkable === true);
}

const isLoopback = (host: string): boolean =>
  /^(localhost|(.+\.)?localhost\.?|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

const hasToken = ({ headers }: FastifyRequest, token: string): boolean => {
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return given !== undefined && isSame(given, token);
};

/** A session is its end time, signed with the token, so every collector that has the token accepts it. */
const sessionUntil = (end: string, token: string): string =>
  `${end}.${createHmac('sha256', token).update(`session until ${end}`).digest('base64url')}`;

function hasSession({ cookies }: FastifyRequest, token: string): boolean {
  const session = cookies[COOKIE] ?? '';
  const [end = ''] = session.split('.');
  return /^\d{1,15}$/.test(end) && Number(end) > Date.now() && isSame(session, sessionUntil(end, token));
}

/** Compares hashes, so that the time that it takes reveals nothing. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

function serveLogin(app: FastifyInstance, token: string): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  const form = ({ headers }: FastifyRequest, reply: FastifyReply, isWrong: boolean): FastifyReply =>
    reply
      .code(isWrong ? 401 : 200)
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', contentSecurityPolicy)
      .send(renderLogin(wantedLanguage(headers['accept-language']), isWrong));
  app.get('/login', { config: { public: true }, schema: { hide: true } }, (request, reply) =>
    form(request, reply, false),
  );
  app.post('/login', { config: { public: true }, schema: { hide: true } }, (request, reply) => {
    const given = new URLSearchParams(textOf(request.body, 'the form')).get('token') ?? '';
    if (!isSame(given.trim(), token)) return form(request, reply, true);
    const end = String(Date.now() + SESSION_SECONDS * 1000);
    return reply
      .setCookie(COOKIE, sessionUntil(end, token), {
        path: '/',
        httpOnly: true,
        sameSite: 'strict',
        secure: request.protocol === 'https',
        maxAge: SESSION_SECONDS,
      })
      .redirect('/', 303);
  });
}
