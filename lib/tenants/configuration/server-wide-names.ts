import { serverProperties } from './server-properties.ts';

/**
 * Properties of platform §4.3 that the engine does not read: they belong to the HTTP server or the process, or to nothing
 * yet.
 */
const ofTheProcess = [
  'server.test.mode',
  'server.basePath',
  'server.nodeName',
  'server.defaultDialect',
  'server.headers.aliasPrefixes',
  'server.trustedProxies',
  'server.cors.allowedOrigins',
  'server.docs',
  'server.limits.json',
  'server.limits.text',
  'server.limits.header',
  'server.limits.url',
  'server.limits.list',
  'server.limits.page',
  'server.limits.requestTime',
  'server.limits.connections',
  'server.limits.rate.tenant',
  'server.limits.rate.principal',
  'server.limits.rate.gateways',
  'server.multitenant',
  'jaxrs.location.host',
  'jaxrs.location.full.url',
  'jaxrs.timeout',
  'metrics.requireAuth',
  'rbac.globalSessionTimeout',
  'security.admin.user',
  'security.admin.password',
  'security.lockout',
  'security.token.lifetime',
  'security.token.issuer',
  'security.jwt.issuers',
  'catalog.uri',
  'overdue.uri',
  'usage.bulk.hotBuckets',
  'accesslog.retention',
  'export.extra.tables.prefix',
  'health.diagnostic.logDirs',
] as const;

/** Names, without prefix, of every property that holds for the whole server. */
export const serverWideNames: ReadonlySet<string> = new Set([
  ...Object.keys(serverProperties),
  ...ofTheProcess,
]);
