import type { PostgresqlHost } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';
import { lantern } from '../../examples/catalogs/lantern.ts';
import { playStory, STORY_BEGINS, TENANT_KEY } from '../../examples/demo-story.ts';
import { ErrorCode, formatDecimal, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { codeOf, expect, plainHasher } from '../support/index.ts';
import type { Cluster } from './cluster.ts';
import { printFigure, seconds, timed } from './figures.ts';

const SCHEMA = 'cluster_one';
/** Number of usage records sent together, and number of usage records sent one by one. */
const USAGE_TOGETHER = 500;
const USAGE_ALONE = 20;

/** Runs one engine in a schema: the example story of a year, usage, and a host transaction. */
export async function runOneEngine(cluster: Cluster): Promise<void> {
  const migration = await timed(() => cluster.createSchema(SCHEMA));
  printFigure('schema with all tables', seconds(migration.ms));
  const clock = fakeClock(STORY_BEGINS);
  const billing = await Billing.open({
    storage: cluster.storageOf(SCHEMA),
    clock,
    hasher: plainHasher(),
    pushSender: null,
    gateways: [sandboxGateway()],
  });
  try {
    const story = await timed(() => playStory(billing, clock));
    printFigure('the example story of thirteen months', seconds(story.ms));
    const ada = await story.result.accounts.getByKey('ada');
    expect(await story.result.invoices.ofAccount({ accountId: ada.id })).to.have.length(14);
    expect(await codeOf(story.result.createAccount({ externalKey: 'ada', currency: 'USD' }))).to.equal(
      ErrorCode.ACCOUNT_ALREADY_EXISTS,
    );
    expect((await story.result.accounts.search('larsen', { offset: 0, limit: 10 })).rows).to.have.length(1);
    expect(await story.result.audit.history({ type: 'ACCOUNT', id: ada.id })).to.not.eql([]);
    await billUsage(billing, clock);
    await joinHost(cluster, billing);
    expect(await Array.fromAsync(billing.checks.breaches())).to.eql([]);
  } finally {
    await billing.close();
    await cluster.dropSchema(SCHEMA);
  }
}

async function billUsage(billing: Billing<never>, clock: ReturnType<typeof fakeClock>) {
  clock.set('2026-01-10');
  const { id } = await billing.tenants.create({ userName: 'test' }, { apiKey: 'usage', apiSecret: 'secret' });
  const acme = billing.as({ tenant: id, user: 'test' });
  await acme.uploadCatalog(lantern);
  const account = await acme.createAccount({ currency: 'USD' });
  await acme.addPaymentMethod({ accountId: account.id, pluginName: 'sandbox', isDefault: true });
  const base = await acme.createSubscription({ accountId: account.id, planName: 'light-monthly' });
  const { subscriptionId } = await acme.createSubscription({
    accountId: account.id,
    bundleId: base.bundleId,
    planName: 'oil-metered',
  });
  const usage = (trackingId: string) => ({
    subscriptionId,
    trackingId,
    unitUsageRecords: [{ unitType: 'litre', usageRecords: [{ recordDate: '2026-01-12', amount: '1' }] }],
  });
  const alone = await timed(async () => {
    for (let index = 0; index < USAGE_ALONE; index += 1) await acme.recordUsage(usage(`alone-${index}`));
  });
  printFigure('one call with usage', `${(alone.ms / USAGE_ALONE).toFixed(1)} ms`);
  const together = await timed(() =>
    acme.usage.recordAll(Array.from({ length: USAGE_TOGETHER }, (_, index) => usage(`together-${index}`))),
  );
  printFigure('usage points in one call', `${Math.round((1_000 * USAGE_TOGETHER) / together.ms)} a second`);
  expect(await codeOf(acme.recordUsage(usage('alone-0')))).to.equal(
    ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS,
  );
  clock.set('2026-02-11');
  expect(await billing.settle()).to.equal(true);
  // 520 litres: 100 at 0.40 and 420 at 0.25.
  expect(await usageChargesOf(acme, account.id)).to.eql(['145']);
}

async function usageChargesOf(acme: TenantBilling, accountId: Uuid) {
  const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
  const items = invoices.flatMap(({ items }) => items);
  return items.filter(({ itemType }) => itemType === 'USAGE').map(({ amount }) => formatDecimal(amount));
}

/** Creates an account in a host transaction, and another one in a transaction that is rolled back. */
async function joinHost(cluster: Cluster, billing: Billing<PostgresqlHost>) {
  const { id } = await billing.tenants.getByApiKey(TENANT_KEY);
  const acme = billing.as({ tenant: id, user: 'host' });
  const host = await cluster.connect(SCHEMA);
  try {
    for (const [externalKey, end] of [
      ['kept', 'commit'],
      ['rolled-back', 'rollback'],
    ] as const) {
      await host.query('begin');
      await acme.within(host).createAccount({ externalKey, currency: 'USD' });
      await host.query(end);
    }
  } finally {
    await host.end();
  }
  await acme.accounts.getByKey('kept');
  expect(await codeOf(acme.accounts.getByKey('rolled-back'))).to.equal(
    ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY,
  );
}
