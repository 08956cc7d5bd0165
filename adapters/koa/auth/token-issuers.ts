import type { FetchImplementation, JWTPayload, RemoteJWKSet } from 'jose';
import type { Logger } from '../../../lib/ports/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import {
  KEY_SET_CACHE_MS,
  KEY_SET_PAUSE_MS,
  MAX_EXTERNAL_KEY_CHARACTERS,
  TOKEN_CLOCK_TOLERANCE_MS,
} from '../../../lib/values/limits.ts';
import { isStorable } from '../../../lib/values/text/index.ts';
import { AUDIENCE, checkIssuedAt, refusalOf, tokenRefused } from './access-tokens.ts';

/** Milliseconds to wait before requesting the keys of an unreachable issuer again. */
const KEY_SET_FAILURE_PAUSE_MS = 10_000;

const KEY_SET_TIMEOUT_MS = 5_000;
const MAX_KEY_SET_BYTES = 256 * 1_024;

/** Signature algorithms that an issuer may use. `none` and symmetric algorithms are excluded. */
export const TokenAlgorithm = { RS256: 'RS256', ES256: 'ES256', EdDSA: 'EdDSA' } as const;
export type TokenAlgorithm = (typeof TokenAlgorithm)[keyof typeof TokenAlgorithm];

/** An issuer whose tokens the server accepts (`security.jwt.issuers`, platform §7.2 rule 4). */
export interface TokenIssuer {
  /** `iss` of its tokens. */
  readonly issuer: string;
  /** URL of the issuer's public keys. It must use https. */
  readonly jwksUri: string;
  /** `aud` value of the tokens issued for this server. Defaults to `catalog-plugin`. */
  readonly audience?: string;
  /** Defaults to RS256. */
  readonly algorithms?: readonly TokenAlgorithm[];
  /** Claim that names the user. Defaults to `sub`. */
  readonly usernameClaim?: string;
  /** Claim that lists permissions. Defaults to `permissions`. */
  readonly permissionsClaim?: string;
  /** Claim that lists the issuer's roles. Used for tokens without the permissions claim. */
  readonly rolesClaim?: string;
  /** Maps roles of the issuer to roles of this server. Roles without an entry are ignored. */
  readonly roleMapping?: Readonly<Record<string, readonly string[]>>;
  /**
   * Claim that contains a list of tenant ids or `*`. If the claim is absent, the grants of the local user with the same
   * name apply.
   */
  readonly tenantsClaim?: string;
}

export interface ForeignSubject {
  readonly name: string;
  /**
   * The permissions in the token, or null if the token has no permissions claim. In that case, the roles in the token
   * apply.
   */
  readonly permissions: readonly string[] | null;
  /** Roles of this server. */
  readonly roles: readonly string[];
  /** The tenants in the token, or null if the grants of the local user with the same name apply. */
  readonly tenants: '*' | readonly Uuid[] | null;
  readonly expiresMs: number;
}

export type KeySetFetch = (url: string, init: RequestInit) => Promise<Response>;

interface Surroundings {
  readonly nowMs: () => number;
  readonly logger: Logger;
  readonly fetch?: KeySetFetch | undefined;
}

const secondMs = 1_000;

/** Returns the functions that verify the tokens of each issuer. @throws Error for an invalid configuration. */
export function tokenIssuers(issuers: readonly TokenIssuer[], surroundings: Surroundings) {
  for (const issuer of issuers) checkIssuer(issuer);
  const byIssuer = new Map(issuers.map((each) => [each.issuer, verifierOf(each, surroundings)]));
  if (byIssuer.size < issuers.length) throw new Error('security.jwt.issuers lists an issuer twice');
  return byIssuer;
}

function checkIssuer(given: TokenIssuer): void {
  const { issuer, jwksUri, algorithms = [TokenAlgorithm.RS256] } = given;
  if (issuer === '') throw new Error('security.jwt.issuers has an entry without an issuer');
  if (!URL.canParse(jwksUri) || new URL(jwksUri).protocol !== 'https:')
    throw new Error(`security.jwt.issuers: jwksUri of ${issuer} must be an https URL`);
  const known: readonly string[] = Object.values(TokenAlgorithm);
  if (algorithms.length === 0 || !algorithms.every((each) => known.includes(each)))
    throw new Error(
      `security.jwt.issuers: algorithms of ${issuer} must be one or more of ${known.join(', ')}`,
    );
}

function verifierOf(given: TokenIssuer, { nowMs, logger, fetch: fetchIt }: Surroundings) {
  const { issuer, jwksUri, audience = AUDIENCE, algorithms = [TokenAlgorithm.RS256] } = given;
  let keys: RemoteJWKSet | null = null;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  async function keySet(): Promise<RemoteJWKSet> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    keys ??= createRemoteJWKSet(new URL(jwksUri), {
      cacheMaxAge: KEY_SET_CACHE_MS,
      cooldownDuration: KEY_SET_PAUSE_MS,
      timeoutDuration: KEY_SET_TIMEOUT_MS,
      [customFetch]: fetchKeySet,
    });
    return keys;
  }

  /**
   * Returns a key set of limited size. After a failure, it is not fetched again for a while, so that an outage does not
   * delay requests.
   */
  async function fetchKeySet(...[url, options]: Parameters<FetchImplementation>): Promise<Response> {
    if (nowMs() < pausedUntilMs)
      throw new KeySetError(`${url} recently failed and is not requested again yet`);
    try {
      const response = await (fetchIt ?? fetch)(url, options);
      if (response.status !== 200) {
        // Free the connection now instead of waiting for garbage collection.
        await response.body?.cancel();
        throw new Error(`${url} responded with status ${response.status}`);
      }
      const text = await boundedText(response);
      const { createLocalJWKSet } = await import('jose');
      createLocalJWKSet(JSON.parse(text));
      return new Response(text, { status: 200 });
    } catch (error) {
      pausedUntilMs = nowMs() + (keys?.fresh ? KEY_SET_PAUSE_MS : KEY_SET_FAILURE_PAUSE_MS);
      logger.warn({ issuer, err: error }, 'the keys of a token issuer are unavailable');
      throw new KeySetError(`${url} could not be read`, { cause: error });
    }
  }

  function unusable(error: unknown): unknown {
    if (error instanceof Error && 'className' in error) return error;
    if (error instanceof KeySetError)
      return tokenRefused('the keys of its issuer are currently unavailable', error);
    logger.warn({ issuer, err: error }, 'a key of a token issuer cannot be used');
    return tokenRefused('the key of its issuer cannot be used', error);
  }

  /**
   * Verifies a token.
   * @throws BillingError UNAUTHENTICATED for an invalid token, or if the issuer's keys are unavailable.
   */
  return async (token: string): Promise<ForeignSubject> => {
    const { jwtVerify } = await import('jose');
    const verifiedMs = nowMs();
    try {
      const { payload } = await jwtVerify(token, await keySet(), {
        issuer,
        audience,
        algorithms: [...algorithms],
        requiredClaims: ['exp'],
        clockTolerance: TOKEN_CLOCK_TOLERANCE_MS / secondMs,
        currentDate: new Date(verifiedMs),
      });
      checkIssuedAt(payload, verifiedMs);
      return subjectOf(payload, given);
    } catch (error) {
      throw refusalOf(error) ?? unusable(error);
    }
  };
}

/** Thrown if the issuer's keys are unavailable. Logged once per fetch, not once per token. */
class KeySetError extends Error {}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_KEY_SET_BYTES) throw new Error(`The key set is larger than ${MAX_KEY_SET_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function subjectOf(payload: JWTPayload, issuer: TokenIssuer): ForeignSubject {
  const { usernameClaim = 'sub', permissionsClaim = 'permissions', rolesClaim, tenantsClaim } = issuer;
  const name = payload[usernameClaim];
  if (
    typeof name !== 'string' ||
    name === '' ||
    name.length > MAX_EXTERNAL_KEY_CHARACTERS ||
    !isStorable(name)
  )
    throw tokenRefused(`its claim "${usernameClaim}" does not contain a user name`);
  const roles = rolesClaim === undefined ? [] : (textsOf(payload[rolesClaim]) ?? []);
  const mapping = new Map(Object.entries(issuer.roleMapping ?? {}));
  return {
    name,
    permissions: textsOf(payload[permissionsClaim]),
    roles: roles.flatMap((role) => mapping.get(role) ?? []),
    tenants: tenantsClaim === undefined ? null : tenantsOf(payload[tenantsClaim]),
    expiresMs: (payload.exp ?? 0) * secondMs,
  };
}

/**
 * Returns the strings of a claim. The claim is either a list of strings or a string of words separated by spaces, as in
 * `scope`. Returns null for other values.
 */
function textsOf(claim: unknown): readonly string[] | null {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : null;
}

function tenantsOf(claim: unknown): '*' | readonly Uuid[] | null {
  const texts = textsOf(claim);
  if (texts === null) return null;
  return texts.includes('*') ? '*' : texts.map((text) => text.toLowerCase()).filter(isUuid);
}
