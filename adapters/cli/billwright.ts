#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { administratorOf } from './administrator.ts';
import { withShortResolution } from './short-resolution.ts';
import { UsageError } from './usage-error.ts';
import { keepYoungGenerationSmall } from './young-generation.ts';

const usage = `Usage: billwright <command> [options]

  serve      Run the server.
    --port <n>           port to listen on, 0 for a free one (default 8080)
    --host <address>     address to listen on (default 127.0.0.1)
    --database <where>   SQLite file or postgresql:// URL (default billwright.db)
    --migrate            bring the schema of a PostgreSQL database up to date first (SQLite: always)
    --require-rls        refuse to start as a role of a PostgreSQL database that row-level security does not bind, such as a
                         superuser (default: warn of it)
    --test-mode          test clock, sandbox gateway, and at the first start a user "admin" with the password
                         "password"; a user that is there keeps its password. Never in production: a database whose
                         administrator has that password is served in test mode only

    --sandbox-ledger <file>
                         where the sandbox gateway of test mode keeps what it has done; nodes that share a database
                         share the file too (default: beside a SQLite file, of a PostgreSQL database in the working
                         directory under its name)
    --default-catalog <file>
                         catalog.uri: XML of the catalog that tenants created with useGlobalDefault=true see until they
                         have their own (default: the sample OrchardDemo of the package)
    --default-overdue <file>
                         overdue.uri: XML or JSON of the overdue configuration of tenants without one of their own
                         (default: nobody is overdue)
    --config <file>      JSON object of properties, {"org.service.payment.retry.days": "3,5,7", ...}
    Server properties; the environment (SERVICE_server_basePath, ...) and the file of --config can set each too: an
    option wins over the environment, and that over the file:
    --node-name <name>   server.nodeName: unique among the nodes of a database; one that keeps its name takes its work up
                         again at once when it restarts, also on another host (default: host name, boot id and process;
                         a restart on the same host is known by these. Containers that share a host name need names)
    --base-path <path>   server.basePath: prefix of every path
    --trusted-proxies <list>
                         server.trustedProxies: addresses and networks whose forwarding headers are believed
    --location-host <host>
                         jaxrs.location.host: host, and port, of Location
    --location-full-url <true|false>
                         jaxrs.location.full.url: false makes Location a path only
    --default-dialect <D|K>
                         server.defaultDialect: dialect of calls with headers of neither family
    --alias-prefixes <list>
                         server.headers.aliasPrefixes: header prefixes that are read like X-Service- (default X-Killbill-)
    --limit-json, --limit-text, --limit-header, --limit-url <size>
                         server.limits.*: bytes, or such as 2MiB (default 1MiB, 10MiB, 16KiB, 8KiB)
    --limit-list, --limit-page <n>
                         server.limits.list, .page: elements of a list in a body, records of a page (default 1000, 10000)
    --limit-rate-tenant, --limit-rate-principal <n|off>
                         server.limits.rate.*: requests per second, on this node, of a tenant and of a caller; more are
                         answered with 429 (default off)
    --limit-rate-gateways <n|off>
                         server.limits.rate.gateways: notifications per second of one tenant's gateway that come without
                         credentials (default 20)
    --limit-request-time <span>
                         server.limits.requestTime: how long a request may take, and its body to arrive (default 60s);
                         headers have 10 s
    --limit-connections <n>
                         server.limits.connections: connections at a time; more are refused (default 2000)
    --cors-allowed-origins <list>
                         server.cors.allowedOrigins: origins whose pages may call, or * without credentials (default none)
    --docs <true|false>  server.docs: whether /openapi.json and /docs describe the interface (default true)
    --metrics-require-auth <true|false>
                         metrics.requireAuth: whether metrics need a user's credentials (default false)
    --token-issuer <text>
                         security.token.issuer: issuer named in bearer tokens (default: the server's base URL)
    --token-lifetime <span>
                         security.token.lifetime: life of a bearer token (default 1h)
    --jwt-issuers <json> security.jwt.issuers: other issuers whose tokens are taken, a list of {issuer, jwksUri,
                         audience, algorithms, usernameClaim, permissionsClaim, rolesClaim, roleMapping, tenantsClaim}
    --lockout <true|false>
                         security.lockout: lock names and addresses out that fail to log in too often (default true,
                         in test mode false)
    --session-timeout <span>
                         rbac.globalSessionTimeout: idle time after which a login session ends (default 1h)
    Environment and file alone set what holds for tenants without a value of their own (SERVICE_payment_retry_days=3,5,7),
    and these (with their defaults):
      server.test.mode (false: as --test-mode)          notifications.allowPrivateNetworks (false)
      server.callCompletion.maxSec (120)                server.idempotency.retention (24h)
      server.pagination.countThreshold (20000)          queue.history.retention (90d)
      health.lateThreshold (60s)                        server.limits.rows (50000: of an account in one answer)
      accesslog.retention (2d; 0s: no request is kept)  health.diagnostic.logDirs (none: directories of log files)
      payment.janitor.rate (1h)                         payment.janitor.attempts.delay (12h)
      usage.bulk.maxRecords (50000)                     usage.bulk.maxBytes (32MiB)
      usage.bulk.chunkSize (5000)                       usage.keyRetentionDays (for good)
    and of each queue, persistent.bus.main and notificationq.main, for this node:
      max.failure.retry (3), claim.time (30s), sleep (3s), reapThreshold (10m), reapSchedule (3m), maxReDispatchCount (10),
      claimed and (notification.)nbThreads (as many as are due, 100 of both queues at a time), (notification.)off (false)

  migrate    Bring the schema of a database up to date.
    --database <where>   as above

  password   Give a user a new password: that of BILLWRIGHT_ADMIN_PASSWORD, else a random one, shown once.
    --user <name>        whose password (default: the administrator's)
    --database <where>   as above

  check      Look through the stored data for what cannot be, such as balances that are not those of their items, days
             that are billed twice or missed, and events without a queue entry. Reads only, beside a running server.
             Ends with status 0 if nothing is wrong, 3 if something is, 1 if the check cannot be made.
    --database <where>   as above
    --tenant <name>      one tenant, by id or API key (default: all)
    --default-catalog <file>, --default-overdue <file>
                         as for serve
    --json               one JSON object per line in place of text: {invariant, tenantId, accountId, message}, and at the
                         end {breaches}

  archive-usage
             Let the points of closed months of a tenant go: those that are billed and older than the look-back. Invoices
             stay as they are, and so do sums over whole days. Tracking ids older than usage.keyRetentionDays are forgotten.
             Runs beside a server on PostgreSQL; a SQLite file must have none.
    --tenant <name>      whose, by id or API key
    --before <date>      the first day of a month, such as 2026-04-01: points before it
    --database <where>   as above

  queues     Look at the work that the engine has to do: "queues late" lists what is late with the reason, "queues busy" what
             nodes work on, "queues failed" what was given up, the oldest first. These read only, beside a running server.
             "queues put-back" lets failed entries be done after all; a SQLite file must have no server then.
    --tenant <name>      one tenant, by id or API key (default: all)
    --account <id>       one account (not for put-back)
    --kind <bus|notification>
                         only these (default: both; put-back needs one)
    --limit <n>          at most so many, 1 to 1000 (default 100)
    --record <n>         number of an entry that is put back, once for each
    --json               one JSON object per line in place of text
    --database <where>   as above

  openapi    Print the OpenAPI document of the HTTP interface.

Environment: BILLWRIGHT_ADMIN_PASSWORD, or SERVICE_security_admin_password, is the password of the administrator made at the
first start, and the one that "billwright password" sets (default: a random one, shown once); SERVICE_security_admin_user is
the administrator's name (default admin); BILLWRIGHT_LOG_LEVEL is debug, info, warn or error (default info);
BILLWRIGHT_TRACES=true gives traces to the OpenTelemetry SDK with which Node was started (default false);
BILLWRIGHT_SERVER_KEY (at least 32 characters, the same on all nodes) encrypts what is stored and must be read again, such
as the keys that sign bearer tokens; without it the key of a file does, made at the first start beside a SQLite file
(<file>.key), for a PostgreSQL database in the working directory: keep a copy of it.
`;

const database = { type: 'string', default: 'billwright.db' } as const;
/** Differs from the exit code of a check that could not be made. */
const breachesFound = 3;

/** Each command loads only what it needs: the server must be up in half a second. */
const commands: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  serve: (args) => {
    keepYoungGenerationSmall();
    return withShortResolution(() => serveWith(args));
  },
  async migrate(args) {
    const { migrateDatabase } = await import('./database.ts');
    const { values } = parsed(args, { database });
    const applied = await migrateDatabase(values.database);
    for (const name of applied) console.log(`applied ${name}`);
    console.log(applied.length === 0 ? 'The schema is up to date.' : 'The schema is now up to date.');
  },
  async password(args) {
    const { setPassword } = await import('./password.ts');
    const { values } = parsed(args, {
      database,
      user: { type: 'string', default: administratorOf(process.env) },
    });
    console.log(await setPassword(values));
  },
  async check(args) {
    const [
      { breachText, checkDatabase },
      { defaultCatalog, defaultOverdueConfig, environmentConfiguration },
    ] = await Promise.all([import('./check.ts'), import('./engine-settings.ts')]);
    const { values } = parsed(args, {
      database,
      tenant: { type: 'string' },
      'default-catalog': { type: 'string' },
      'default-overdue': { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const options = {
      database: values.database,
      tenant: values.tenant,
      configuration: environmentConfiguration(process.env),
      defaultCatalog: await defaultCatalog(values['default-catalog'], process.env),
      defaultOverdueConfig: await defaultOverdueConfig(values['default-overdue'], process.env),
    };
    const breaches = await checkDatabase(options, {
      breach: (breach) => console.log(values.json ? JSON.stringify(breach) : breachText(breach)),
      note: (note) => console.log(values.json ? JSON.stringify({ note }) : note),
    });
    if (values.json) console.log(JSON.stringify({ breaches }));
    else console.log(breaches === 0 ? 'Nothing is wrong.' : `${breaches} found.`);
    if (breaches > 0) process.exitCode = breachesFound;
  },
  async 'archive-usage'(args) {
    const [{ archivedText, archiveUsage }, { environmentConfiguration }] = await Promise.all([
      import('./archive-usage.ts'),
      import('./engine-settings.ts'),
    ]);
    const { values } = parsed(args, {
      database,
      tenant: { type: 'string' },
      before: { type: 'string' },
    });
    const { tenant, before } = values;
    if (tenant === undefined || before === undefined)
      throw new UsageError('archive-usage needs --tenant and --before');
    const configuration = environmentConfiguration(process.env);
    console.log(
      archivedText(await archiveUsage({ database: values.database, tenant, before, configuration })),
    );
  },
  async queues([look = 'late', ...args]) {
    const [{ entryText, lookAtQueues, queueLooks }, { environmentConfiguration }] = await Promise.all([
      import('./queues.ts'),
      import('./engine-settings.ts'),
    ]);
    const chosen = queueLooks.find((each) => each === look);
    if (chosen === undefined) throw new UsageError(`queues takes ${queueLooks.join(', ')}, not ${look}`);
    const { values } = parsed(args, {
      database,
      tenant: { type: 'string' },
      account: { type: 'string' },
      kind: { type: 'string' },
      limit: { type: 'string' },
      record: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    });
    const { record, json, ...options } = values;
    const configuration = environmentConfiguration(process.env);
    const looked = await lookAtQueues({ ...options, look: chosen, records: record, configuration });
    if ('putBack' in looked) {
      console.log(json ? JSON.stringify(looked) : `${looked.putBack} put back.`);
      return;
    }
    for (const entry of looked.entries) console.log(json ? JSON.stringify(entry) : entryText(entry));
    if (!json && looked.entries.length === 0) console.log('There is nothing.');
  },
  async openapi(args) {
    parsed(args, {});
    const { openApi } = await import('../koa/index.ts');
    process.stdout.write(`${JSON.stringify(await openApi(), null, 2)}\n`);
  },
};

/** Runs the server until a signal ends it; returns when it listens. */
async function serveWith(args: readonly string[]): Promise<void> {
  const [
    { serve },
    { httpOptions, httpSettings, processSettings },
    { defaultCatalog, defaultOverdueConfig, environmentConfiguration },
    { configurationFile },
    { isPostgresqlUrl },
  ] = await Promise.all([
    import('./serve.ts'),
    import('./settings.ts'),
    import('./engine-settings.ts'),
    import('./configuration-file.ts'),
    import('./database.ts'),
  ]);
  const { values } = parsed(args, {
    port: { type: 'string', default: '8080' },
    host: { type: 'string', default: '127.0.0.1' },
    database,
    migrate: { type: 'boolean', default: false },
    'require-rls': { type: 'boolean', default: false },
    'test-mode': { type: 'boolean', default: false },
    config: { type: 'string' },
    'node-name': { type: 'string' },
    'sandbox-ledger': { type: 'string' },
    'default-catalog': { type: 'string' },
    'default-overdue': { type: 'string' },
    ...httpOptions,
  });
  const file = values.config === undefined ? {} : await configurationFile(values.config);
  const environment = { ...file, ...process.env };
  const { testMode, nodeName } = processSettings(values, environment);
  if (values['sandbox-ledger'] !== undefined && !testMode)
    throw new UsageError('--sandbox-ledger needs --test-mode: there is no sandbox gateway without it');
  const { database: where, 'require-rls': requireRowSecurity } = values;
  if (requireRowSecurity && !isPostgresqlUrl(where))
    throw new UsageError('--require-rls needs a PostgreSQL database: SQLite has no row-level security');
  await serve({
    port: portOf(values.port),
    host: values.host,
    database: where,
    migrate: values.migrate,
    requireRowSecurity,
    testMode,
    nodeName,
    environment,
    sandboxLedger: values['sandbox-ledger'],
    http: httpSettings(values, environment),
    configuration: environmentConfiguration(environment),
    defaultCatalog: await defaultCatalog(values['default-catalog'], environment),
    defaultOverdueConfig: await defaultOverdueConfig(values['default-overdue'], environment),
  });
}

function parsed<T extends NonNullable<Parameters<typeof parseArgs>[0]>['options']>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Adds the cause of an error, which callers of the server do not get to see. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return error.name === 'BillingError' && cause instanceof Error
    ? `${error.message} (${cause.message})`
    : error.message;
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text} is no port: a number from 0 to 65535`);
}

// Halves the processor time of every start after the first.
enableCompileCache();
const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
try {
  if (name === '--help' || name === '-h' || name === 'help') process.stdout.write(usage);
  else if (command === undefined)
    throw new UsageError(name === '' ? 'Name a command' : `There is no command "${name}"`);
  else await command(args);
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(`billwright: ${explained(error)}`);
  if (isUsage) console.error(`\n${usage}`);
  process.exitCode = isUsage ? 2 : 1;
}
