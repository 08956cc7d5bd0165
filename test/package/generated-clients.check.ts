import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { build } from 'esbuild';
import { generate } from 'openapi-typescript-codegen';
import { freshDatabase } from '../support/databases.ts';
import { exampleCatalog, type Serving, serve } from '../support/http/serving.ts';
import { migrated } from '../support/storage.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const strict = ['--noEmit', '--strict', '--skipLibCheck', '--lib', 'es2024,dom', '--types', ''];
const bundled = ['--target', 'es2024', '--module', 'esnext', '--moduleResolution', 'bundler'];

/** Input of a walk through a client: the server's URL, a catalog, and a way to move the clock. */
interface Way {
  readonly url: string;
  readonly catalog: string;
  passTo(date: string): Promise<void>;
}

/** Returns the amounts of the customer's invoices. */
type Walk = (way: Way) => Promise<readonly number[]>;

const way =
  'interface Way { readonly url: string; readonly catalog: string; passTo(date: string): Promise<void> }';

/**
 * Walks through the client of the OpenAPI document: a tenant, a catalog, an account, a subscription, the clock,
 * invoices.
 */
const openApiWalk = `
import * as Api from './client';
${way}
const by = 'walker';
/** Errors are thrown, although the declared type also includes them as results. */
async function answered<T>(call: Promise<T>): Promise<Exclude<T, Api.Error>> {
  return (await call) as Exclude<T, Api.Error>;
}
export async function walk({ url, catalog }: Way): Promise<readonly number[]> {
  Object.assign(Api.OpenAPI, { BASE: url, USERNAME: 'admin', PASSWORD: 'password' });
  Api.OpenAPI.HEADERS = { 'X-Service-ApiKey': 'walked', 'X-Service-ApiSecret': 'secret' };
  await Api.TenantsService.createTenant(by, { apiKey: 'walked', apiSecret: 'secret' });
  await Api.CatalogService.uploadCatalogXml(by, catalog);
  const location = await answered(Api.AccountsService.createAccount(by, { name: 'Ada', currency: 'USD' }));
  const accountId = location.slice(location.lastIndexOf('/') + 1);
  await Api.SubscriptionsService.createSubscription(by, { accountId, planName: 'canopy-monthly' });
  const clock = await answered(Api.TestService.setTestClockTime('2024-04-15T00:00:00Z'));
  if (clock.localDate !== '2024-04-15') throw new Error(clock.localDate);
  const invoices = await answered(Api.InvoicesService.getInvoicesForAccount(accountId));
  return invoices.map(({ amount }) => amount ?? Number.NaN);
}
`;

/** Walks through the client of Kill Bill's document, which has no clock endpoint. */
const killbillWalk = `
import * as Api from './client';
${way}
const by = 'walker';
export async function walk({ url, passTo }: Way): Promise<readonly number[]> {
  Object.assign(Api.OpenAPI, { BASE: url, USERNAME: 'admin', PASSWORD: 'password' });
  Api.OpenAPI.HEADERS = { 'X-Killbill-ApiKey': 'walked too', 'X-Killbill-ApiSecret': 'secret' };
  await Api.TenantService.createTenant({ apiKey: 'walked too', apiSecret: 'secret' }, by);
  const currency = Api.SimplePlan.currency.USD;
  const billingPeriod = Api.SimplePlan.billingPeriod.MONTHLY;
  const productCategory = Api.SimplePlan.productCategory.BASE;
  const plan = { planId: 'lamp-monthly', productName: 'Lamp', productCategory, billingPeriod, currency, amount: 12.5 };
  await Api.CatalogService.addSimplePlan(plan, by);
  const customer: Api.Account = { externalKey: 'ada', name: 'Ada', currency: Api.Account.currency.USD };
  await Api.AccountService.createAccount(customer, by);
  const { accountId = '' } = await Api.AccountService.getAccountByKey('ada');
  // The class requires both the plan and the product, but the server accepts one of them.
  const lamp = { accountId, planName: 'lamp-monthly' } as Api.Subscription;
  await Api.SubscriptionService.createSubscription(lamp, by);
  await passTo('2024-06-20T00:00:00Z');
  const invoices = await Api.AccountService.getInvoicesForAccount(accountId);
  return invoices.map(({ amount }) => amount ?? Number.NaN);
}
`;

describe("clients generated from the server's API documents", function () {
  this.timeout(120_000);

  let serving: Awaited<ReturnType<typeof serve>>;
  let directory: string;

  before(async () => {
    serving = await serve(await freshDatabase('sqlite', migrated));
    directory = await mkdtemp(join(tmpdir(), 'billwright-clients-'));
  });
  after(async () => {
    await serving.close();
    await rm(directory, { recursive: true, force: true });
  });

  const cases = [
    { name: 'the OpenAPI document', path: '/openapi.json', walk: openApiWalk, amounts: [449, 199, 199] },
    {
      name: 'the document of clients of Kill Bill',
      path: '/1.0/kb/swagger.json',
      walk: killbillWalk,
      amounts: [12.5, 12.5, 12.5],
    },
  ];
  for (const { name, path, walk: source, amounts } of cases)
    it(`compile from ${name}, and bill a tenant up to its invoices`, async () => {
      const walk = await walkOf({ serving, path, source, folder: await mkdtemp(join(directory, 'client-')) });
      const passTo = async (date: string): Promise<void> => {
        await serving.billing.settle();
        serving.clock.set(date);
        await serving.billing.settle();
      };
      const catalog = (await exampleCatalog()).toString('utf8');
      expect(await walk({ url: serving.url, catalog, passTo })).to.eql(amounts);
    });
});

/** Generates the client, compiles it together with its walk, and returns the walk. */
async function walkOf(input: {
  readonly serving: Serving;
  readonly path: string;
  readonly source: string;
  readonly folder: string;
}): Promise<Walk> {
  const { serving, path, source, folder } = input;
  const answer = await fetch(`${serving.url}${path}`);
  const document = (await answer.json()) as Record<string, unknown>;
  await generate({ input: document, output: join(folder, 'client'), httpClient: 'fetch' });
  await writeFile(join(folder, 'walk.ts'), source);
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await compile([compiler, ...strict, ...bundled, 'walk.ts'], folder);
  const outfile = join(folder, 'walk.mjs');
  // The generated code logs a warning for empty responses with a JSON header, which it handles correctly.
  const drop = ['console' as const];
  await build({
    entryPoints: [join(folder, 'walk.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    drop,
    outfile,
  });
  const { walk } = (await import(pathToFileURL(outfile).href)) as { readonly walk: Walk };
  return walk;
}

async function compile(parameters: readonly string[], cwd: string): Promise<void> {
  try {
    await run(process.execPath, parameters, { cwd });
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    throw new Error(`The generated client does not compile:\n${stdout}`, { cause: error });
  }
}
