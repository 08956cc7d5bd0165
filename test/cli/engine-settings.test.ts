import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configurationFile } from '../../adapters/cli/configuration/configuration-file.ts';
import {
  defaultDocuments,
  environmentConfiguration,
  withProblems,
} from '../../adapters/cli/engine-settings.ts';
import type { Environment } from '../../adapters/cli/environment.ts';
import { httpSettings, processSettings } from '../../adapters/cli/serve-options.ts';
import { UsageError } from '../../adapters/cli/usage-error.ts';
import { newNodeName } from '../../adapters/node/index.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { example, expect } from '../support/index.ts';

const meadow = fileURLToPath(example('catalogs/meadow.xml'));

describe('settings of the engine from the environment', () => {
  it('are read under every prefix, the documented one first', () => {
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

  it('are refused where one of the whole server is no good, and an empty text is none', () => {
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
    // Of a tenant: the default holds, with a warning.
    expect(read({ SERVICE_invoice_enabled: 'perhaps' })()).to.eql({
      'org.service.invoice.enabled': 'perhaps',
    });
  });
});

describe('the configuration file', () => {
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

  it('has properties by their full names; the environment goes before it, an option before both', async () => {
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
    expect(processSettings({ 'test-mode': false }, environment)).to.eql({
      testMode: true,
      nodeName: 'n-1',
    });
    expect(processSettings({ 'test-mode': false, 'node-name': 'n-2' }, environment).nodeName).to.equal('n-2');
    expect(() => httpSettings({}, { 'org.service.server.limits.json': 'much' })).to.throw(
      UsageError,
      'org.service.server.limits.json "much" is not a size',
    );
  });

  it('is refused where it cannot be read or is no object', async () => {
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

describe('the settings of the process', () => {
  it('are off and made up where nothing is set, and refused where they are no good', () => {
    expect(processSettings({ 'test-mode': false }, {})).to.eql({
      testMode: false,
      nodeName: undefined,
    });
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

  it('name each start of a node anew', () => {
    const [one, other] = [newNodeName(), newNodeName()];
    expect(one.startsWith(`${hostname()}-`)).to.equal(true);
    expect(one).to.not.equal(other);
  });
});

describe('the default documents of the command line', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-catalog-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('is the file of the option, else that of catalog.uri, else the sample, read when it is needed', async () => {
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

  it('that cannot be read is refused with the name of what named it', async () => {
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

  it('of the overdue configuration is the file of the option, else that of overdue.uri, else the one that is defined', async () => {
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

  it('of the overdue configuration that is invalid is refused with what is wrong, by line', () => {
    const error = new BillingError({
      code: ErrorCode.OVERDUE_INVALID_FOR_TENANT,
      message: 'Invalid overdue configuration: line 7, column 1: odd',
      problems: [{ message: 'odd', line: 7, column: 1 }],
    });
    expect((withProblems(error) as Error).message).to.equal(
      'Invalid default overdue configuration\n  line 7: odd',
    );
  });

  it('that is invalid is refused with what is wrong, by line', () => {
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
