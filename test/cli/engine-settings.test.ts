import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configurationFile } from '../../adapters/cli/configuration/configuration-file.ts';
import {
  defaultDocuments,
  environmentConfiguration,
  withProblems,
} from '../../adapters/cli/engine-settings.ts';
import type { Environment } from '../../adapters/cli/environment.ts';
import { httpSettings, processSettings, workersOf } from '../../adapters/cli/serve-options.ts';
import { UsageError } from '../../adapters/cli/usage-error.ts';
import { newNodeName } from '../../adapters/node/index.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { example, expect } from '../support/index.ts';

const meadow = fileURLToPath(example('catalogs/meadow.xml'));

describe('engine settings', () => {
  it('can have any supported prefix in the environment, but the documented prefix takes precedence', () => {
    const environment = {
      SERVICE_payment_retry_days: '3,5,7',
      SERVICE_org_service_payment_retry_days: '1',
      SERVICE_org_killbill_invoice_enabled: 'false',
      SERVICE_org_service_notifications_allowPrivateNetworks: 'false',
      SERVICE_unknown: 'x',
      PATH: '/bin',
    };
    expect(environmentConfiguration(environment)).to.eql({
      'org.service.payment.retry.days': '3,5,7',
      'org.service.invoice.enabled': 'false',
      'org.service.notifications.allowPrivateNetworks': 'false',
    });
  });

  it('are rejected if invalid and ignored if empty', () => {
    const read = (environment: Record<string, string>) => () => environmentConfiguration(environment);
    expect(read({ SERVICE_server_callCompletion_maxSec: 'long' })).to.throw(
      UsageError,
      'SERVICE_server_callCompletion_maxSec "long" is not a whole number from 0 to 3600',
    );
    expect(read({ 'org.killbill.persistent.bus.main.off': 'perhaps' })).to.throw(
      UsageError,
      'org.killbill.persistent.bus.main.off "perhaps" is not true or false',
    );
    expect(read({ SERVICE_queue_history_retention: '' })()).to.eql({});
    expect(read({ SERVICE_invoice_enabled: 'perhaps' })).to.throw(
      UsageError,
      'SERVICE_invoice_enabled "perhaps" is not true or false',
    );
    expect(read({ SERVICE_invoice_enabled: '', SERVICE_payment_retry_days: '' })()).to.eql({
      'org.service.payment.retry.days': '',
    });
  });
});

describe('properties in the configuration file', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-config-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function fileWith(content: string): Promise<string> {
    const file = join(directory, 'config.json');
    await writeFile(file, content);
    return file;
  }

  it('have their full names in the file, and are overridden by the environment and options', async () => {
    const issuers = [{ issuer: 'https://login.example', jwksUri: 'https://login.example/keys' }];
    const file = await fileWith(
      JSON.stringify({
        'org.service.server.limits.json': '2MiB',
        'org.killbill.server.limits.list': 5,
        'org.service.server.limits.page': 7,
        'org.service.security.jwt.issuers': issuers,
        'org.service.invoice.enabled': false,
        'org.service.server.nodeName': 'n-1',
        'org.service.server.test.mode': true,
        'my.plugin.url': 'x',
      }),
    );
    const environment = { ...(await configurationFile(file)), SERVICE_server_limits_list: '6' };
    const settings = httpSettings({ 'limit-page': '8' }, environment);
    expect(settings.limits).to.eql({ json: 2 * 1_048_576, list: 6, page: 8 });
    expect(settings.tokens.issuers).to.eql(issuers);
    expect(environmentConfiguration(environment)).to.eql({ 'org.service.invoice.enabled': 'false' });
    expect(processSettings({ 'test-mode': false }, environment)).to.eql({ testMode: true, nodeName: 'n-1' });
    expect(processSettings({ 'test-mode': false, 'node-name': 'n-2' }, environment).nodeName).to.equal('n-2');
    expect(() => httpSettings({}, { 'org.service.server.limits.json': 'much' })).to.throw(
      UsageError,
      'org.service.server.limits.json "much" is not a size',
    );
  });

  it('are rejected if the configuration file is unreadable or not an object', async () => {
    for (const file of [join(directory, 'missing.json'), await fileWith('[]')]) {
      const error = await configurationFile(file).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(UsageError);
      expect((error as Error).message).to.match(/--config/);
    }
    expect(await configurationFile(await fileWith('{')).catch((error: unknown) => error)).to.be.instanceOf(
      UsageError,
    );
  });
});

describe('process settings', () => {
  it('default to no test mode and no node name, and are rejected if invalid', () => {
    expect(processSettings({ 'test-mode': false }, {})).to.eql({ testMode: false, nodeName: undefined });
    expect(processSettings({ 'test-mode': true }, { SERVICE_server_test_mode: 'false' }).testMode).to.equal(
      true,
    );
    expect(() => processSettings({ 'test-mode': false }, { SERVICE_server_test_mode: 'yes' })).to.throw(
      UsageError,
      'SERVICE_server_test_mode "yes"',
    );
    expect(() => processSettings({ 'test-mode': false, 'node-name': 'a b' }, {})).to.throw(
      UsageError,
      '--node-name "a b"',
    );
    expect(httpSettings({}, { SERVICE_server_headers_aliasPrefixes: 'X-A-, X-B-' }).aliasPrefixes).to.eql([
      'X-A-',
      'X-B-',
    ]);
    expect(httpSettings({}, {}).aliasPrefixes).to.equal(undefined);
    expect(() => httpSettings({ 'alias-prefixes': 'X A' }, {})).to.throw(UsageError, '--alias-prefixes');
  });

  it('enable the console unless --no-console or server.console=false is set', () => {
    expect(httpSettings({}, {}).console).to.equal(undefined);
    expect(httpSettings({ console: 'false' }, {}).console).to.equal(false);
    const environment = { SERVICE_server_console: 'true' };
    expect(httpSettings({ console: false, 'no-console': false }, environment).console).to.equal(false);
    expect(httpSettings({}, environment).console).to.equal(true);
    expect(() => httpSettings({ console: 'no' }, {})).to.throw(
      UsageError,
      '--console "no" is not true or false',
    );
  });

  it('take the number of workers from the option, the environment or the file, in this order', () => {
    const file = { definition: { workers: 3 }, environment: {} };
    const both = { ...file, environment: { SERVICE_server_workers: 'auto' } };
    expect(workersOf('5', both)).to.equal(5);
    expect(workersOf(undefined, both)).to.equal(availableParallelism());
    expect(workersOf(undefined, file)).to.equal(3);
    expect(workersOf(undefined, { definition: {}, environment: {} })).to.equal(undefined);
    expect(() => workersOf(undefined, { definition: { workers: 0 }, environment: {} })).to.throw(
      UsageError,
      'workers of the configuration file "0" is not a number',
    );
  });

  it('can include a node name that is generated for each start', () => {
    const [one, other] = [newNodeName(), newNodeName()];
    expect(one.startsWith(`${hostname()}-`)).to.equal(true);
    expect(one).to.not.equal(other);
  });
});

describe('settings for default documents', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-catalog-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('include the default catalog, which is loaded on first use from the option, from catalog.uri or from the sample', async () => {
    const defaultCatalog = async (catalog: string | undefined, environment: Environment) =>
      (await defaultDocuments({ 'default-catalog': catalog }, { environment, definition: {} }))
        .defaultCatalog;
    const other = join(directory, 'other.xml');
    await writeFile(other, '<other/>');
    const sample = await defaultCatalog(undefined, {});
    expect(typeof sample === 'function' && sample()).to.contain('<catalogName>OrchardDemo</catalogName>');
    expect(await defaultCatalog(meadow, { SERVICE_catalog_uri: other })).to.contain('<catalog');
    expect(await defaultCatalog(undefined, { SERVICE_catalog_uri: other })).to.equal('<other/>');
    const url = pathToFileURL(other).href;
    expect(await defaultCatalog(undefined, { SERVICE_org_killbill_catalog_uri: url })).to.equal('<other/>');
  });

  it('are rejected with an error that names the source if a default document is unreadable', async () => {
    const missing = join(directory, 'missing.xml');
    for (const [catalog, environment, name] of [
      [missing, {}, '--default-catalog'],
      [undefined, { SERVICE_catalog_uri: missing }, 'SERVICE_catalog_uri'],
    ] as const) {
      let thrown: unknown;
      await defaultDocuments({ 'default-catalog': catalog }, { environment, definition: {} }).catch(
        (error: unknown) => {
          thrown = error;
        },
      );
      expect(thrown).to.be.instanceOf(UsageError);
      expect((thrown as Error).message)
        .to.contain(name)
        .and.to.contain('missing.xml');
    }
  });

  it('include the overdue configuration from the option, from overdue.uri or from the definition', async () => {
    const defaultOverdueConfig = async (overdue: string | undefined, environment: Environment) => {
      const configured = { environment, definition: { defaultOverdueConfig: 'defined' } };
      return (await defaultDocuments({ 'default-overdue': overdue }, configured)).defaultOverdueConfig;
    };
    const [one, other] = [join(directory, 'one.json'), join(directory, 'other.xml')];
    await writeFile(one, '{}');
    await writeFile(other, '<other/>');
    expect(await defaultOverdueConfig(undefined, {})).to.equal('defined');
    expect(await defaultOverdueConfig(undefined, { SERVICE_overdue_uri: '' })).to.equal('defined');
    expect(await defaultOverdueConfig(one, { SERVICE_overdue_uri: other })).to.equal('{}');
    expect(await defaultOverdueConfig(undefined, { SERVICE_overdue_uri: other })).to.equal('<other/>');
    const inFile = { 'org.killbill.overdue.uri': pathToFileURL(other).href };
    expect(await defaultOverdueConfig(undefined, inFile)).to.equal('<other/>');
    const missing = join(directory, 'missing.xml');
    const thrown = await defaultOverdueConfig(missing, {}).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(UsageError);
    expect((thrown as Error).message).to.contain('--default-overdue');
  });

  it('are rejected with the line of each error if the overdue configuration is invalid', () => {
    const error = new BillingError({
      code: ErrorCode.OVERDUE_INVALID_FOR_TENANT,
      message: 'Invalid overdue configuration: line 7, column 1: odd',
      problems: [{ message: 'odd', line: 7, column: 1 }],
    });
    expect((withProblems(error) as Error).message).to.equal(
      'Invalid default overdue configuration\n  line 7: odd',
    );
  });

  it('are rejected with the line of each error if the catalog is invalid', () => {
    const problems = Array.from({ length: 12 }, (_, index) => ({
      message: `wrong ${index}`,
      line: index + 1,
    }));
    const error = new BillingError({
      code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
      message: 'Invalid catalog',
      problems,
    });
    const shown = withProblems(error);
    expect(shown).to.be.instanceOf(UsageError);
    expect((shown as Error).message)
      .to.contain('line 1: wrong 0')
      .and.to.contain('line 10: wrong 9')
      .and.to.contain('and 2 more')
      .and.not.to.contain('wrong 10');
    const other = new Error('other');
    expect(withProblems(other)).to.equal(other);
  });
});
