import {
  GATEWAY_NOTIFICATION_RATE,
  MAX_REQUEST_MS,
  SESSION_IDLE_MS,
  TOKEN_LIFETIME_MS,
} from '../../../lib/values/limits.ts';
import { DEFAULT_ALIAS_PREFIXES, Dialect } from '../dialect.ts';
import { defaultRequestLimits } from '../routing/body.ts';
import type { DispatcherOptions } from './dispatcher.ts';

export interface HttpOptions extends Omit<DispatcherOptions, 'routes' | 'metrics'> {
  readonly docs?: boolean | undefined;
  readonly console?: boolean | undefined;
  readonly metricsRequireAuth?: boolean | undefined;
}

/**
 * Returns the HTTP properties in effect, by name (platform §4.3). Sizes are in bytes and times in milliseconds. Null
 * means unlimited.
 */
export function httpProperties(options: HttpOptions): Readonly<Record<string, unknown>> {
  return {
    'server.test.mode': options.test !== undefined,
    'server.basePath': options.basePath ?? '',
    'server.defaultDialect': options.defaultDialect ?? Dialect.D,
    'server.headers.aliasPrefixes': options.aliasPrefixes ?? DEFAULT_ALIAS_PREFIXES,
    'server.trustedProxies': options.trustedProxies ?? [],
    'server.cors.allowedOrigins': options.allowedOrigins ?? [],
    'server.docs': options.docs ?? true,
    'server.console': options.console ?? true,
    'jaxrs.location.host': options.locationHost ?? null,
    'jaxrs.location.full.url': options.locationFullUrl ?? true,
    'metrics.requireAuth': options.metricsRequireAuth ?? false,
    ...limitsOf(options),
    ...loginsOf(options),
  };
}

function limitsOf({ limits, rates, requestTimeMs = MAX_REQUEST_MS }: HttpOptions) {
  const { json, text, url, list, page } = { ...defaultRequestLimits, ...limits };
  const rate = { tenant: null, principal: null, gateways: GATEWAY_NOTIFICATION_RATE, ...rates };
  return {
    ...prefixNames('server.limits.', { json, text, url, list, page, requestTime: requestTimeMs }),
    ...prefixNames('server.limits.rate.', rate),
  };
}

function loginsOf({ test, tokens, lockOut, sessionIdleMs = SESSION_IDLE_MS }: HttpOptions) {
  return {
    'rbac.globalSessionTimeout': sessionIdleMs,
    'security.lockout': lockOut ?? test === undefined,
    'security.token.lifetime': tokens?.lifetimeMs ?? TOKEN_LIFETIME_MS,
    'security.token.issuer': tokens?.issuer ?? null,
    'security.jwt.issuers': tokens?.issuers ?? [],
  };
}

function prefixNames(prefix: string, values: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}
