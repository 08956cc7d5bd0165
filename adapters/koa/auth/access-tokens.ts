import { randomUUID } from 'node:crypto';
import type { CryptoKey, errors, JSONWebKeySet, JWK, JWTPayload, LocalJWKSet } from 'jose';
import type { Billing } from '../../../lib/billing.ts';
import { type Principal, PrincipalKind } from '../../../lib/records/index.ts';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import {
  KEY_SET_CACHE_MS,
  KEY_SET_PAUSE_MS,
  TOKEN_CLOCK_TOLERANCE_MS,
  TOKEN_LIFETIME_MS,
} from '../../../lib/values/limits.ts';

/** Audience of the server's own tokens, and the default audience of other issuers. */
export const AUDIENCE = 'catalog-plugin';
const algorithm = 'RS256';
const tokenType = 'at+jwt';
const modulusBits = 2_048;
const secondMs = 1_000;

export interface AccessTokenOptions {
  /**
   * `iss` of the server's tokens (`security.token.issuer`). The default is the server's base URL as the
   * caller sees it.
   */
  readonly issuer?: string | undefined;
  /** Lifetime of a token (`security.token.lifetime`). Defaults to one hour. */
  readonly lifetimeMs?: number | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresInSec: number;
}

export interface TokenSubject {
  readonly kind: 'USER' | 'CLIENT';
  readonly name: string;
  readonly credentialVersion: number;
  readonly expiresMs: number;
}

interface Signer {
  readonly kid: string;
  readonly key: CryptoKey;
  readonly untilMs: number;
}

interface PublishedKeys {
  readonly set: JSONWebKeySet;
  readonly find: LocalJWKSet;
  readonly untilMs: number;
}

/**
 * Returns the functions that issue and verify the server's own tokens (platform §7). The tokens are signed JWTs that
 * name a user or client and contain no roles.
 */
export function accessTokens(
  tokenKeys: Billing['security']['tokenKeys'],
  { issuer, lifetimeMs = TOKEN_LIFETIME_MS }: AccessTokenOptions,
) {
  let signer: Signer | null = null;
  let published: PublishedKeys | null = null;
  let loading: Promise<PublishedKeys> | null = null;

  /** Returns the issuer (`iss`) used in tokens and metadata when the caller reaches the server at `baseUrl`. */
  function issuerAt(baseUrl: string): string {
    return issuer ?? baseUrl;
  }

  async function issue(principal: Principal, baseUrl: string): Promise<IssuedToken> {
    const { SignJWT } = await import('jose');
    const { kid, key } = await currentSigner();
    const nowSec = Math.floor(tokenKeys.nowMs() / secondMs);
    const expiresInSec = Math.floor(lifetimeMs / secondMs);
    const claims = {
      tenants: principal.allTenants ? '*' : [...principal.tenantIds],
      ver: principal.credentialVersion,
      ...(principal.kind === PrincipalKind.CLIENT ? { client_id: principal.name } : {}),
    };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, typ: tokenType, kid })
      .setIssuer(issuerAt(baseUrl))
      .setSubject(principal.name)
      .setAudience(AUDIENCE)
      .setIssuedAt(nowSec)
      .setNotBefore(nowSec)
      .setExpirationTime(nowSec + expiresInSec)
      .setJti(randomUUID())
      .sign(key);
    return { token, expiresInSec };
  }

  /** Verifies a token. @throws BillingError UNAUTHENTICATED if the token is invalid for any reason. */
  async function verify(token: string): Promise<TokenSubject> {
    const { jwtVerify, errors } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: [algorithm],
        audience: AUDIENCE,
        // If no issuer is configured, nodes sign tokens under different issuer names. Only the signature proves that a
        // token is ours.
        ...(issuer === undefined ? {} : { issuer }),
        typ: tokenType,
        requiredClaims: ['iss', 'sub', 'exp', 'nbf', 'iat', 'ver'],
        clockTolerance: TOKEN_CLOCK_TOLERANCE_MS / secondMs,
        currentDate: new Date(tokenKeys.nowMs()),
      });
      checkIssuedAt(payload, tokenKeys.nowMs());
      return subjectOf(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) throw refusalOf(error) ?? error;
      throw error;
    }
  }

  async function keySet(): Promise<JSONWebKeySet> {
    return (await publishedKeys()).set;
  }

  async function keyOf(...[header, jws]: Parameters<LocalJWKSet>): ReturnType<LocalJWKSet> {
    const { set, find } = await publishedKeys();
    if (set.keys.some((key) => key.kid === header?.kid)) return find(header, jws);
    // Another node may just have created the key.
    return (await load()).find(header, jws);
  }

  async function publishedKeys(): Promise<PublishedKeys> {
    return published === null || published.untilMs <= tokenKeys.nowMs() ? load() : published;
  }

  /** Loads the public keys. Concurrent callers share one load. */
  function load(): Promise<PublishedKeys> {
    loading ??= read().finally(() => {
      loading = null;
    });
    return loading;
  }

  async function read(): Promise<PublishedKeys> {
    const { createLocalJWKSet } = await import('jose');
    const rows = await tokenKeys.published(lifetimeMs + TOKEN_CLOCK_TOLERANCE_MS);
    const keys = rows.map(({ kid, publicKey }) => ({ ...publicKey, kid, use: 'sig', alg: algorithm }) as JWK);
    const set = { keys };
    published = { set, find: createLocalJWKSet(set), untilMs: tokenKeys.nowMs() + KEY_SET_CACHE_MS };
    return published;
  }

  async function currentSigner(): Promise<Signer> {
    const nowMs = tokenKeys.nowMs();
    if (signer !== null && nowMs < signer.untilMs) return signer;
    const { importPKCS8 } = await import('jose');
    const { kid, privateKey } = await tokenKeys.signer(makeKey);
    const key = signer?.kid === kid ? signer.key : await importPKCS8(privateKey, algorithm);
    signer = { kid, key, untilMs: nowMs + KEY_SET_PAUSE_MS };
    return signer;
  }

  return { issuerAt, issue, verify, keySet };
}

async function makeKey() {
  const { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair } = await import('jose');
  const pair = await generateKeyPair(algorithm, { modulusLength: modulusBits, extractable: true });
  const publicKey = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicKey);
  return { kid, publicKey: { ...publicKey }, privateKey: await exportPKCS8(pair.privateKey) };
}

/** Checks the time at which a token was issued. @throws BillingError UNAUTHENTICATED if this time is in the future. */
export function checkIssuedAt(payload: JWTPayload, nowMs: number): void {
  if (payload.iat === undefined || payload.iat * secondMs <= nowMs + TOKEN_CLOCK_TOLERANCE_MS) return;
  throw tokenRefused('its claim "iat" is invalid');
}

function subjectOf(payload: JWTPayload): TokenSubject {
  const { sub, ver, exp = 0, client_id: clientId } = payload;
  if (typeof sub !== 'string' || typeof ver !== 'number')
    throw tokenRefused('its subject or version is missing');
  const kind = clientId === undefined ? PrincipalKind.USER : PrincipalKind.CLIENT;
  return { kind, name: sub, credentialVersion: ver, expiresMs: exp * secondMs };
}

export function tokenRefused(why: string, cause?: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.UNAUTHENTICATED,
    message: `The bearer token was rejected: ${why}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

const reasonByCode: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
  ERR_JWKS_NO_MATCHING_KEY: 'it is not signed with a key of its issuer',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not identify the key of its issuer that signed it',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not allowed',
  ERR_JOSE_NOT_SUPPORTED: 'its algorithm is not allowed',
  ERR_JWS_INVALID: 'it is not a signed JWT',
  ERR_JWT_INVALID: 'it is not a signed JWT',
};

/** Converts a JOSE error about the token to the error for the caller. Returns null for any other error. */
export function refusalOf(error: unknown): BillingError | null {
  if (!isJoseError(error)) return null;
  if (error.code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    return tokenRefused(`its claim "${'claim' in error ? String(error.claim) : '?'}" is invalid`);
  }
  const reason = reasonByCode[error.code];
  return reason === undefined ? null : tokenRefused(reason);
}

function isJoseError(error: unknown): error is errors.JOSEError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
