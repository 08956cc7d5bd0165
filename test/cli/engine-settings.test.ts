import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import {
  defaultCatalog,
  environmentConfiguration,
  withProblems,
} from '../../adapters/cli/engine-settings.ts';
import { UsageError } from '../../adapters/cli/usage-error.ts';
import { BillingError, ErrorCode } from '../../lib/errors/index.ts';

const meadow = fileURLToPath(new URL('../../examples/catalogs/meadow.xml', import.meta.url));

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
    expect(environmentConfiguration(environment)).to.deep.equal({
      'org.service.payment.retry.days': '3,5,7',
      'org.service.invoice.enabled': 'false',
      'org.service.notifications.allowPrivateNetworks': 'false',
    });
  });
});

describe('the default catalog of the command line', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-catalog-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('is the file of the option, else that of catalog.uri, else none', async () => {
    const other = join(directory, 'other.xml');
    await writeFile(other, '<other/>');
    expect(await defaultCatalog(undefined, {})).to.contain('<catalogName>OrchardDemo</catalogName>');
    expect(await defaultCatalog(meadow, { SERVICE_catalog_uri: other })).to.contain('<catalog');
    expect(await defaultCatalog(undefined, { SERVICE_catalog_uri: other })).to.equal('<other/>');
    const url = pathToFileURL(other).href;
    expect(await defaultCatalog(undefined, { SERVICE_org_killbill_catalog_uri: url })).to.equal('<other/>');
  });

  it('that cannot be read is refused with the name of what named it', async () => {
    const missing = join(directory, 'missing.xml');
    for (const [option, environment, name] of [
      [missing, {}, '--default-catalog'],
      [undefined, { SERVICE_catalog_uri: missing }, 'SERVICE_catalog_uri'],
    ] as const) {
      let thrown: unknown;
      await defaultCatalog(option, environment).catch((error: unknown) => {
        thrown = error;
      });
      expect(thrown).to.be.instanceOf(UsageError);
      expect((thrown as Error).message)
        .to.contain(name)
        .and.to.contain('missing.xml');
    }
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
