import { settingDescriptions } from '../../../lib/tenants/configuration/property-texts.ts';
import {
  type ConfigurationObject,
  checkConfiguration,
  readConfiguration,
  readStoredConfiguration,
} from '../../../lib/tenants/configuration/read-configuration.ts';
import { serverConfiguration } from '../../../lib/tenants/configuration/server-configuration.ts';
import {
  DEFAULT_SERVER_SETTINGS,
  DEFAULT_TENANT_SETTINGS,
} from '../../../lib/tenants/configuration/settings.ts';
import type { TenantPropertyName } from '../../../lib/tenants/configuration/tenant-properties.ts';
import { tenantProperties } from '../../../lib/tenants/configuration/tenant-properties.ts';
import { recordingLogger } from '../../support/system-time.ts';
import { BillingError, ErrorCode, errorOf, expect, localDate } from '../../support/unit.ts';

/** platform §4.2, row by row: property and its default as a typed value. */
const defaults: readonly (readonly [TenantPropertyName, unknown])[] = [
  ['invoice.enabled', true],
  ['invoice.plugin', []],
  ['invoice.maxNumberOfMonthsInFuture', 36],
  ['invoice.sanitySafetyBoundEnabled', true],
  ['invoice.maxDailyNumberOfItemsSafetyBound', 15],
  ['invoice.disable.usage.zero.amount', false],
  ['invoice.disable.trial.zero.amount', false],
  ['invoice.usage.missing.lenient', false],
  ['invoice.creditNotes', false],
  ['invoice.creditNoteNumberPattern', []],
  ['invoice.eInvoice', null],
  ['invoice.eInvoice.retries', [900_000, 1_800_000, 7_200_000, 43_200_000, 86_400_000]],
  ['invoice.parkAccountsWithUnknownUsage', false],
  ['invoice.parkAccountsOnAllExceptions', true],
  ['invoice.dryRunNotificationSchedule', 0],
  ['invoice.readMaxRawUsagePreviousPeriod', 2],
  ['invoice.maxInvoiceLimit', null],
  ['invoice.parent.commit.local.utc.time', 86_399_999],
  ['invoice.item.result.behavior.mode', 'AGGREGATE'],
  ['invoice.inArrear.mode', 'DEFAULT'],
  ['invoice.proration.fixed.days', 0],
  ['invoice.numberPattern', []],
  ['invoice.emailNotificationsEnabled', false],
  ['invoice.globalLock.retries', 50],
  ['invoice.usage.lateMode', 'DELTA'],
  ['invoice.usage.beyondLookback', 'REPORT'],
  ['invoice.usage.negativeDelta', null],
  ['invoice.usage.overflow', 'CAP'],
  ['invoice.usage.collectionInterval', { months: 0, days: 0, milliseconds: 0 }],
  ['invoice.trackingIds.maxReturned', 10_000],
  ['usage.unknownUnitPolicy', null],
  ['usage.duplicatePolicy', 'FAIL'],
  ['usage.negativeAmounts', false],
  ['payment.retry.days', [8, 8, 8]],
  ['payment.failure.retry.start.sec', 300],
  ['payment.failure.retry.multiplier', 2],
  ['payment.failure.retry.max.attempts', 8],
  [
    'payment.janitor.unknown.retries',
    [300_000, 3_600_000, 86_400_000, 86_400_000, 86_400_000, 86_400_000, 86_400_000],
  ],
  ['payment.janitor.pending.retries', [3_600_000, 86_400_000]],
  ['payment.invoice.plugin', []],
  ['payment.method.overwrite', false],
  ['payment.allow.emptyInvoice', false],
  ['payment.overRefund.allowed', false],
  ['payment.plugin.timeout', 30_000],
  ['payment.globalLock.retries', 50],
  ['subscription.align.effectiveDateForExistingSubscriptions', false],
  ['subscription.trial.noticeDays', 3],
  ['rescheduleIntervalOnLock', [30_000, 60_000, 60_000, 180_000, 180_000, 600_000]],
  ['billing.server.notifications.retries', [900_000, 1_800_000, 7_200_000, 43_200_000, 86_400_000]],
  ['billing.server.event.post.type.skip', []],
  ['billing.server.event.dispatch.type.skip', []],
  ['billing.server.event.bulk.subscription.aggregate', false],
  ['features.account.allowBCDUpdate', false],
  ['features.quotaThresholds', [80, 100]],
  ['tags.enforceApplicableTypes', true],
  ['default.locale', 'en_US'],
];

/** Property, given text and typed value; undefined = rejected. */
const values: readonly (readonly [TenantPropertyName, string | number | boolean, unknown])[] = [
  ['invoice.enabled', false, false],
  ['invoice.enabled', ' TRUE ', true],
  ['invoice.enabled', 'yes', undefined],
  ['invoice.enabled', 0, undefined],
  ['invoice.enabled', 'constructor', undefined],
  ['invoice.plugin', ' a , b', ['a', 'b']],
  ['invoice.plugin', 'a,,b', undefined],
  ['invoice.plugin', '', []],
  ['invoice.maxNumberOfMonthsInFuture', 12, 12],
  ['invoice.maxNumberOfMonthsInFuture', '12', 12],
  ['invoice.maxNumberOfMonthsInFuture', 1.5, undefined],
  ['invoice.maxNumberOfMonthsInFuture', -1, undefined],
  ['invoice.maxNumberOfMonthsInFuture', '', undefined],
  ['invoice.numberPattern', '', []],
  ['invoice.creditNoteNumberPattern', 'CN{n}', [{ from: null, parts: ['CN', { field: 'n', digits: 1 }] }]],
  ['invoice.creditNoteNumberPattern', 'CN', undefined],
  ['invoice.numberPattern', 'INV-{n}', [{ from: null, parts: ['INV-', { field: 'n', digits: 1 }] }]],
  [
    'invoice.numberPattern',
    '{yy}{mm}{dd}/{n:12}, 2027-01-01  {yyyy}.{n:3}-É',
    [
      {
        from: null,
        parts: [
          { field: 'yy', digits: 2 },
          { field: 'mm', digits: 2 },
          { field: 'dd', digits: 2 },
          '/',
          { field: 'n', digits: 12 },
        ],
      },
      {
        from: localDate(2027, 1, 1),
        parts: [{ field: 'yyyy', digits: 4 }, '.', { field: 'n', digits: 3 }, '-É'],
      },
    ],
  ],
  ['invoice.numberPattern', 'INV-{yyyy}', undefined],
  ['invoice.numberPattern', '{n}{n}', undefined],
  ['invoice.numberPattern', '{n:0}', undefined],
  ['invoice.numberPattern', '{n:13}', undefined],
  ['invoice.numberPattern', '{N}', undefined],
  ['invoice.numberPattern', '{week}-{n}', undefined],
  ['invoice.numberPattern', 'INV {n}', undefined],
  ['invoice.numberPattern', '<b>{n}', undefined],
  ['invoice.numberPattern', `${'x'.repeat(62)}{n}`, undefined],
  ['invoice.numberPattern', 'A{n}, B{n}', undefined],
  ['invoice.numberPattern', '2027-01-01 A{n}, 2026-01-01 B{n}', undefined],
  ['invoice.numberPattern', '2027-02-30 A{n}', undefined],
  [
    'invoice.numberPattern',
    Array.from({ length: 21 }, (_, year) => `${2_000 + year}-01-01 {n}`).join(),
    undefined,
  ],
  ['invoice.maxDailyNumberOfItemsSafetyBound', -1, -1],
  ['invoice.maxDailyNumberOfItemsSafetyBound', -2, undefined],
  ['invoice.readMaxRawUsagePreviousPeriod', -1, -1],
  ['invoice.dryRunNotificationSchedule', '7d', 604_800_000],
  ['invoice.dryRunNotificationSchedule', '7', undefined],
  ['invoice.dryRunNotificationSchedule', '200000w', undefined],
  ['invoice.parent.commit.local.utc.time', '06:30', 23_400_000],
  ['invoice.parent.commit.local.utc.time', '23:59:59.9', 86_399_900],
  ['invoice.parent.commit.local.utc.time', '24:00', undefined],
  ['invoice.inArrear.mode', 'GREEDY', 'GREEDY'],
  ['invoice.inArrear.mode', 'greedy', undefined],
  ['invoice.maxInvoiceLimit', 'P3M', { months: 3, days: 0, milliseconds: 0 }],
  ['invoice.maxInvoiceLimit', 'P1Y2M1W3DT4H5M6S', { months: 14, days: 10, milliseconds: 14_706_000 }],
  ['invoice.maxInvoiceLimit', '3d', { months: 0, days: 0, milliseconds: 259_200_000 }],
  ['invoice.maxInvoiceLimit', 'P', undefined],
  ['invoice.maxInvoiceLimit', 'PT', undefined],
  ['invoice.usage.collectionInterval', 'PT36H', { months: 0, days: 0, milliseconds: 129_600_000 }],
  ['invoice.usage.collectionInterval', 'P101Y', undefined],
  ['invoice.usage.negativeDelta', 'FAIL', 'FAIL'],
  ['payment.retry.days', '1, 2,3', [1, 2, 3]],
  ['payment.retry.days', '', []],
  ['payment.retry.days', 5, [5]],
  ['payment.retry.days', '1,x', undefined],
  ['payment.retry.days', '1,-1', undefined],
  ['payment.retry.days', new Array(101).fill('1').join(), undefined],
  ['payment.failure.retry.multiplier', 0, undefined],
  ['payment.plugin.timeout', '0s', undefined],
  ['payment.plugin.timeout', '61m', undefined],
  ['payment.plugin.timeout', '1500ms', 1_500],
  ['invoice.eInvoice', 'UBL:PEPPOL_BIS3', 'UBL:PEPPOL_BIS3'],
  ['invoice.eInvoice', 'CII:PEPPOL_BIS3', undefined],
  ['billing.server.notifications.retries', '15m,1h', [900_000, 3_600_000]],
  ['billing.server.notifications.retries', '15m,soon', undefined],
  ['default.locale', 'de_AT', 'de_AT'],
  ['default.locale', '../etc', undefined],
];

/** platform §4.3. */
const serverWideProperties = [
  'server.test.mode',
  'server.basePath',
  'server.nodeName',
  'server.workers',
  'server.defaultDialect',
  'server.headers.aliasPrefixes',
  'server.trustedProxies',
  'server.cors.allowedOrigins',
  'server.docs',
  'server.console',
  'server.callCompletion.maxSec',
  'server.idempotency.retention',
  'server.pagination.countThreshold',
  ...['json', 'text', 'header', 'url', 'list', 'page', 'rows', 'requestTime', 'connections'].map(
    (each) => `server.limits.${each}`,
  ),
  ...['tenant', 'principal', 'gateways'].map((each) => `server.limits.rate.${each}`),
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
  'payment.janitor.rate',
  'payment.janitor.attempts.delay',
  ...['maxRecords', 'maxBytes', 'chunkSize', 'hotBuckets'].map((each) => `usage.bulk.${each}`),
  'usage.keyRetentionDays',
  ...['max.failure.retry', 'claimed', 'claim.time', 'sleep', 'reapThreshold', 'reapSchedule'].flatMap(
    (each) => [`persistent.bus.main.${each}`, `notificationq.main.${each}`],
  ),
  'persistent.bus.main.nbThreads',
  'notificationq.main.notification.nbThreads',
  'persistent.bus.main.maxReDispatchCount',
  'notificationq.main.maxReDispatchCount',
  'persistent.bus.main.off',
  'notificationq.main.notification.off',
  'queue.history.retention',
  'accesslog.retention',
  'notifications.allowPrivateNetworks',
  'export.extra.tables.prefix',
  'health.lateThreshold',
  'health.diagnostic.logDirs',
];

const refusal = (text: string) => errorOf(() => checkConfiguration(text));

describe('tenant configuration', () => {
  it('describes the effect and the valid values of each property', () => {
    const described = settingDescriptions();
    expect(described.map(({ name }) => name)).to.have.members(Object.keys(tenantProperties));
    expect(described.filter(({ description, allowed }) => description === '' || allowed === '')).to.eql([]);
    expect(described.find(({ name }) => name === 'payment.retry.days')).to.include({
      description: 'Days from a declined attempt to the next retry, one entry per retry',
    });
  });

  it('contains every property of platform §4.2 with its default', () => {
    expect(Object.keys(tenantProperties)).to.have.members(defaults.map(([name]) => name));
    for (const [name, value] of defaults) expect(DEFAULT_TENANT_SETTINGS[name], name).to.eql(value);
  });

  for (const [name, given, value] of values) {
    const shown = String(given).slice(0, 40);
    it(`${value === undefined ? 'rejects' : 'reads'} the setting ${name} "${shown}"${value === undefined ? '' : ` as ${JSON.stringify(value)}`}`, () => {
      const { settings, problems } = readConfiguration({ [`org.service.${name}`]: given });
      if (value === undefined) {
        expect(problems.map(({ path }) => path)).to.eql([`org.service.${name}`]);
        expect(settings).to.eql({});
      } else {
        expect(problems).to.eql([]);
        expect(settings[name]).to.eql(value);
      }
    });
  }

  it('treats the prefix org.killbill. as org.service., and rejects a property that is set twice', () => {
    const { settings } = checkConfiguration('{"org.killbill.payment.retry.days":"1,1,1"}');
    expect(settings).to.eql({ 'payment.retry.days': [1, 1, 1] });
    const both = '{"org.killbill.invoice.enabled":"true","org.service.invoice.enabled":"false"}';
    expect(refusal(both).message).to.contain('twice');
  });

  it('ignores unknown names, which may belong to plugins', () => {
    const text = '{"my.plugin.url":"x","org.kill":"1","__proto__":"x","constructor":"1"}';
    expect(checkConfiguration(text)).to.eql({ settings: {}, problems: [], ineffective: [] });
  });

  for (const [name, sentence] of Object.entries({
    'org.killbill.invoice.usage.tz.mode': 'no longer has an effect',
    'org.service.server.limits.json': 'applies to the whole server and has no effect for one tenant',
    'org.killbill.persistent.bus.main.sleep': 'applies to the whole server and has no effect for one tenant',
    'org.service.invoice.enabeld':
      'is not a property of this server; did you mean org.service.invoice.enabled?',
    'org.killbill.payment.RETRY.day':
      'is not a property of this server; did you mean org.service.payment.retry.days?',
    'org.killbill.template.invoiceFormatterFactoryClass': 'is not a property of this server',
    'org.killbill.toString': 'is not a property of this server',
    'org.service.': 'is not a property of this server',
    'invoice.enabled': 'lacks its prefix org.service.',
  } as const))
    it(`keeps ${name} and reports why it has no effect`, () => {
      const reading = checkConfiguration(JSON.stringify({ [name]: 'x' }));
      expect(reading).to.eql({ settings: {}, problems: [], ineffective: [`${name} ${sentence}`] });
    });

  it('lists a limited number of ineffective names and counts the rest', () => {
    const names = Array.from({ length: 25 }, (_, index) => [`org.service.nothing-${index}`, 1]);
    const { ineffective } = readConfiguration(Object.fromEntries(names));
    expect(ineffective).to.have.length(21);
    expect(ineffective.at(-1)).to.equal('5 more names have no effect');
  });

  it('reports each property of platform §4.3 as server-wide', () => {
    for (const name of serverWideProperties) {
      const { ineffective } = readConfiguration({ [`org.service.${name}`]: 'x' });
      expect(ineffective[0], name).to.contain('applies to the whole server');
      expect(Object.hasOwn(tenantProperties, name), name).to.equal(false);
    }
  });

  it('lists every invalid property under its given name', () => {
    const error = refusal('{"org.service.payment.retry.days":"1,x","org.killbill.invoice.enabled":"no"}');
    expect(error.code).to.equal(ErrorCode.MISSING_OR_INVALID_FIELD);
    expect(error.problems?.map(({ path }) => path)).to.eql([
      'org.service.payment.retry.days',
      'org.killbill.invoice.enabled',
    ]);
    expect(error.message).to.contain('"1,x"').and.to.contain('true or false');
  });

  for (const text of [
    '',
    'x',
    '[]',
    'null',
    '"a"',
    '7',
    '{"a":{}}',
    '{"a":null}',
    '{"a":["b"]}',
    '{"a":"b"} x',
  ])
    it(`rejects ${JSON.stringify(text)}, because it is not a flat JSON object`, () =>
      expect(refusal(text).code).to.equal(ErrorCode.MALFORMED_BODY));

  it('falls back to defaults for each invalid stored value', () => {
    const stored = '{"org.service.payment.retry.days":"1,x","org.service.invoice.enabled":"false"}';
    const { settings, problems } = readStoredConfiguration(stored);
    expect(settings).to.eql({ 'invoice.enabled': false });
    expect(problems).to.have.length(1);
    expect(readStoredConfiguration('not JSON')).to.deep.include({ settings: {} });
    expect(readStoredConfiguration('not JSON').problems).to.have.length(1);
  });

  it('lets server values override the defaults, and rejects invalid values', () => {
    const given = {
      'org.service.payment.retry.days': '3,5',
      'org.service.notifications.allowPrivateNetworks': 'false',
    };
    const { tenant, server } = serverConfiguration(given, recordingLogger());
    expect(tenant).to.eql({ ...DEFAULT_TENANT_SETTINGS, 'payment.retry.days': [3, 5] });
    expect(server).to.eql({ ...DEFAULT_SERVER_SETTINGS, 'notifications.allowPrivateNetworks': false });
    const wrong = {
      ...given,
      'org.killbill.invoice.inArrear.mode': 'SOMETIMES',
      'org.service.server.idempotency.retention': '1s',
    };
    const { code, message, problems } = errorOf(() => serverConfiguration(wrong, recordingLogger()));
    expect(code).to.equal(ErrorCode.MISSING_OR_INVALID_FIELD);
    expect(message).to.match(/^Invalid configuration: .*inArrear.mode "SOMETIMES" is not one of .*"1s"/);
    expect(problems).to.have.length(2);
  });

  it('accepts sizes in bytes, KiB and MiB for server properties', () => {
    const bytesOf = (text: string) =>
      serverConfiguration({ 'org.service.usage.bulk.maxBytes': text }, recordingLogger()).server[
        'usage.bulk.maxBytes'
      ];
    expect(['700', '64KiB', '2 MiB', '1024MiB'].map(bytesOf)).to.eql([700, 65_536, 2_097_152, 1_073_741_824]);
    for (const text of ['0', '', '-1', '1.5MiB', '2GiB', '1025MiB', '2 MB'])
      expect(() => bytesOf(text), text).to.throw(BillingError, 'is not ');
  });

  it('has a default gateway timeout of 5 s in test mode', () => {
    const timeoutOf = (object: ConfigurationObject, testMode?: boolean) =>
      serverConfiguration(object, recordingLogger(), { testMode }).tenant['payment.plugin.timeout'];
    expect(timeoutOf({})).to.equal(30_000);
    expect(timeoutOf({}, true)).to.equal(5_000);
    expect(timeoutOf({ 'org.service.payment.plugin.timeout': '20s' }, true)).to.equal(20_000);
  });

  it('warns about server properties without effect', () => {
    const logger = recordingLogger();
    serverConfiguration(
      {
        'org.service.invoice.enabled': 'true',
        'org.service.persistent.bus.main.sleep': '1s',
        'my.plugin.url': 'x',
        'org.service.persistent.bus.main.sleeep': '1s',
        'org.service.server.limits.json': '1',
        'org.killbill.invoice.usage.tz.mode': 'FIXED',
      },
      logger,
    );
    expect(logger.lines.map(({ message }) => message)).to.eql([
      'server configuration: org.service.persistent.bus.main.sleeep is not a property of this server; did you mean org.service.persistent.bus.main.sleep?',
      'server configuration: org.service.server.limits.json is not read by the engine',
      'server configuration: org.killbill.invoice.usage.tz.mode no longer has an effect',
    ]);
  });

  it('contains the server properties of platform §4.3 with their defaults', () => {
    const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
    const queue = (prefix: string, inner: string) => ({
      [`${prefix}.max.failure.retry`]: 3,
      // Null = the engine decides: 100 from both queues.
      [`${prefix}.claimed`]: null,
      [`${prefix}.claim.time`]: 30 * second,
      [`${prefix}.sleep`]: 3 * second,
      [`${prefix}.${inner}nbThreads`]: null,
      [`${prefix}.reapThreshold`]: 10 * minute,
      [`${prefix}.reapSchedule`]: 3 * minute,
      [`${prefix}.maxReDispatchCount`]: 10,
      [`${prefix}.${inner}off`]: false,
    });
    expect(DEFAULT_SERVER_SETTINGS).to.eql({
      'notifications.allowPrivateNetworks': false,
      'server.callCompletion.maxSec': 120,
      'server.idempotency.retention': 24 * hour,
      'server.limits.rows': 50_000,
      'server.pagination.countThreshold': 20_000,
      'usage.bulk.maxRecords': 50_000,
      'usage.bulk.maxBytes': 33_554_432,
      'usage.bulk.chunkSize': 5_000,
      'usage.keyRetentionDays': null,
      'health.lateThreshold': minute,
      'health.diagnostic.logDirs': [],
      'accesslog.retention': 2 * day,
      'queue.history.retention': 90 * day,
      'payment.janitor.rate': hour,
      'payment.janitor.attempts.delay': 12 * hour,
      ...queue('persistent.bus.main', ''),
      ...queue('notificationq.main', 'notification.'),
    });
  });
});
