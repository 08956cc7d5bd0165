const flag = { value: 'true|false', is: 'true or false' };
const count = { value: 'n', is: 'a whole number from 1 to 1000000' };
const rate = { value: 'n|off', is: `${count.is} of requests per second, or off` };
const size = { value: 'size', is: 'a size: a number of bytes, or one of KiB or MiB such as 2MiB' };
const span = (example: string) => ({
  value: 'span',
  is: `a time span from 1s to 30d such as ${example}`,
});

interface ServerOption {
  /** Property name without prefix (platform §4.3). */
  readonly property: string;
  /** Name of the value in the help. */
  readonly value: string;
  /** Description of valid values. */
  readonly is: string;
  readonly text: string;
}

/** Options override the environment, which overrides the configuration file. */
export const settings = {
  'base-path': {
    property: 'server.basePath',
    value: 'path',
    is: 'a path such as /billing',
    text: 'prefix of every path',
  },
  'trusted-proxies': {
    property: 'server.trustedProxies',
    value: 'list',
    is: 'a list of addresses and networks such as 127.0.0.1,10.0.0.0/8',
    text: 'addresses and networks whose forwarding headers are believed',
  },
  'location-host': {
    property: 'jaxrs.location.host',
    value: 'host',
    is: 'a host, or a host and port',
    text: 'host, and port, of Location',
  },
  'location-full-url': {
    property: 'jaxrs.location.full.url',
    ...flag,
    text: 'false makes Location a path only',
  },
  'default-dialect': {
    property: 'server.defaultDialect',
    value: 'D|K',
    is: 'D or K',
    text: 'dialect of calls with headers of neither family',
  },
  'alias-prefixes': {
    property: 'server.headers.aliasPrefixes',
    value: 'list',
    is: 'a list of header prefixes such as X-Killbill-,X-Acme-',
    text: 'header prefixes that are read like X-Service- (default X-Killbill-)',
  },
  'limit-json': {
    property: 'server.limits.json',
    ...size,
    text: 'JSON bodies, in bytes or such as 2MiB (default 1MiB)',
  },
  'limit-text': {
    property: 'server.limits.text',
    ...size,
    text: 'documents such as catalogs (default 10MiB)',
  },
  'limit-header': {
    property: 'server.limits.header',
    ...size,
    text: 'headers of a request (default 16KiB)',
  },
  'limit-url': { property: 'server.limits.url', ...size, text: 'its URL (default 8KiB)' },
  'limit-list': {
    property: 'server.limits.list',
    ...count,
    text: 'elements of a list in a body (default 1000)',
  },
  'limit-page': { property: 'server.limits.page', ...count, text: 'records of a page (default 10000)' },
  'limit-request-time': {
    property: 'server.limits.requestTime',
    ...span('60s'),
    text: 'how long a request may take, and its body to arrive (default 60s); headers have 10 s',
  },
  'limit-connections': {
    property: 'server.limits.connections',
    ...count,
    text: 'connections at a time; more are refused (default 2000)',
  },
  'limit-rate-tenant': {
    property: 'server.limits.rate.tenant',
    ...rate,
    text: 'requests per second, on this node, of a tenant; more are answered with 429 (default off)',
  },
  'limit-rate-principal': {
    property: 'server.limits.rate.principal',
    ...rate,
    text: 'the same of a caller (default off)',
  },
  'limit-rate-gateways': {
    property: 'server.limits.rate.gateways',
    ...rate,
    text: "notifications per second of one tenant's gateway that come without credentials (default 20)",
  },
  'cors-allowed-origins': {
    property: 'server.cors.allowedOrigins',
    value: 'list',
    is: '* or a list of origins such as https://admin.example.com,https://shop.example.com:8443',
    text: 'origins whose pages may call, or * without credentials (default none)',
  },
  docs: {
    property: 'server.docs',
    ...flag,
    text: 'whether /openapi.json and /docs describe the interface (default true)',
  },
  'metrics-require-auth': {
    property: 'metrics.requireAuth',
    ...flag,
    text: "whether metrics need a user's credentials (default false)",
  },
  'token-issuer': {
    property: 'security.token.issuer',
    value: 'text',
    is: 'an issuer',
    text: "issuer named in bearer tokens (default: the server's base URL)",
  },
  'token-lifetime': {
    property: 'security.token.lifetime',
    ...span('1h'),
    text: 'life of a bearer token (default 1h)',
  },
  'jwt-issuers': {
    property: 'security.jwt.issuers',
    value: 'json',
    is: 'a JSON array of {issuer, jwksUri, …}',
    text:
      'other issuers whose tokens are taken, a list of {issuer, jwksUri, audience, algorithms, usernameClaim, ' +
      'permissionsClaim, rolesClaim, roleMapping, tenantsClaim}',
  },
  lockout: {
    property: 'security.lockout',
    ...flag,
    text: 'lock names and addresses out that fail to log in too often (default true, in test mode false)',
  },
  'session-timeout': {
    property: 'rbac.globalSessionTimeout',
    ...span('1h'),
    text: 'idle time after which a login session ends (default 1h)',
  },
} as const satisfies Readonly<Record<string, ServerOption>>;

export type SettingName = keyof typeof settings;
