interface Form {
  /** Name of the value in the help. */
  readonly value: string;
  /** Description of valid values. */
  readonly is: string;
}

const flag: Form = { value: 'true|false', is: 'true or false' };
const count: Form = { value: 'n', is: 'a whole number from 1 to 1000000' };
const rate: Form = { value: 'n|off', is: `${count.is} of requests per second, or off` };
const size: Form = { value: 'size', is: 'a size: a number of bytes, KiB or MiB such as 2MiB' };
const span = (example: string): Form => ({
  value: 'span',
  is: `a time span from 1s to 30d such as ${example}`,
});

/** @param property Name of the property without its prefix (platform §4.3). */
const option = (property: string, form: Form, text: string) => ({ property, ...form, text });

/**
 * Server settings. A command line option takes precedence over the environment, and the environment over the
 * configuration file.
 */
export const settings = {
  'base-path': option(
    'server.basePath',
    { value: 'path', is: 'a path such as /billing' },
    'prefix of all paths',
  ),
  'trusted-proxies': option(
    'server.trustedProxies',
    { value: 'list', is: 'a list of addresses and networks such as 127.0.0.1,10.0.0.0/8' },
    'addresses and networks whose forwarding headers are trusted',
  ),
  'location-host': option(
    'jaxrs.location.host',
    { value: 'host', is: 'a host, or a host and port' },
    'host, and optional port, for Location headers',
  ),
  'location-full-url': option('jaxrs.location.full.url', flag, 'false makes Location a path only'),
  'default-dialect': option(
    'server.defaultDialect',
    { value: 'D|K', is: 'D or K' },
    'dialect of requests without headers of either family',
  ),
  'alias-prefixes': option(
    'server.headers.aliasPrefixes',
    { value: 'list', is: 'a list of header prefixes such as X-Killbill-,X-Acme-' },
    'header prefixes that are aliases of X-Service- (default X-Killbill-)',
  ),
  'limit-json': option(
    'server.limits.json',
    size,
    'maximum size of JSON bodies, in bytes or such as 2MiB (default 1MiB)',
  ),
  'limit-text': option(
    'server.limits.text',
    size,
    'maximum size of documents such as catalogs (default 10MiB)',
  ),
  'limit-header': option('server.limits.header', size, 'maximum size of request headers (default 16KiB)'),
  'limit-url': option('server.limits.url', size, 'its URL (default 8KiB)'),
  'limit-list': option(
    'server.limits.list',
    count,
    'maximum number of elements of a list in a body (default 1000)',
  ),
  'limit-page': option('server.limits.page', count, 'maximum number of records per page (default 10000)'),
  'limit-request-time': option(
    'server.limits.requestTime',
    span('60s'),
    'time limit of a request, including the arrival of its body (default 60s); headers must arrive within 10 s',
  ),
  'limit-connections': option(
    'server.limits.connections',
    count,
    'maximum number of connections; further ones are refused (default 2000)',
  ),
  'limit-rate-tenant': option(
    'server.limits.rate.tenant',
    rate,
    'requests per second per tenant on this node; further ones get status 429 (default off)',
  ),
  'limit-rate-principal': option(
    'server.limits.rate.principal',
    rate,
    'requests per second per caller on this node (default off)',
  ),
  'limit-rate-gateways': option(
    'server.limits.rate.gateways',
    rate,
    "notifications per second without credentials, per tenant's gateway (default 20)",
  ),
  'cors-allowed-origins': option(
    'server.cors.allowedOrigins',
    {
      value: 'list',
      is: '* or a list of origins such as https://admin.example.com,https://shop.example.com:8443',
    },
    'origins of web pages that may send requests, or * for all without credentials (default none)',
  ),
  docs: option(
    'server.docs',
    flag,
    'whether to serve the API description at /openapi.json and /docs (default true)',
  ),
  console: option(
    'server.console',
    flag,
    "whether to serve the operator's console at /console (default true)",
  ),
  'metrics-require-auth': option(
    'metrics.requireAuth',
    flag,
    "whether metrics need a user's credentials (default false)",
  ),
  'token-issuer': option(
    'security.token.issuer',
    { value: 'text', is: 'an issuer' },
    "issuer named in bearer tokens (default: the server's base URL)",
  ),
  'token-lifetime': option('security.token.lifetime', span('1h'), 'lifetime of a bearer token (default 1h)'),
  'jwt-issuers': option(
    'security.jwt.issuers',
    { value: 'json', is: 'a JSON array of {issuer, jwksUri, …}' },
    'other trusted token issuers, a list of {issuer, jwksUri, audience, algorithms, usernameClaim, ' +
      'permissionsClaim, rolesClaim, roleMapping, tenantsClaim}',
  ),
  lockout: option(
    'security.lockout',
    flag,
    'lock out user names and addresses after too many failed logins (default true, in test mode false)',
  ),
  'session-timeout': option(
    'rbac.globalSessionTimeout',
    span('1h'),
    'idle time after which a login session ends (default 1h)',
  ),
};

export type SettingName = keyof typeof settings;
