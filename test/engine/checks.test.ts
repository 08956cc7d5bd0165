import type { CheckedInvariant, TenantRef } from '../../lib/index.ts';
import { formatInstant, SystemTag } from '../../lib/index.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, engineBefore, expect, openEngine, rowsOf } from '../support/index.ts';

/** Damages that violate each invariant. Payments have their own table. */
const damages: readonly (readonly [CheckedInvariant, string])[] = [
  ['INVOICE_BALANCE', `update bw_invoices set amount = '999' where invoice_number = 1`],
  ['ACCOUNT_BALANCE', `update bw_invoicing_states set account_balance = '5'`],
  ['REPAIRS', `update bw_invoice_items set repairable = '1' where item_type = 'RECURRING'`],
  [
    'COVERAGE',
    `delete from bw_coverage where record_id in (select max(record_id) from bw_coverage where kind = 'RECURRING')`,
  ],
  ['AUDIT', `delete from bw_audit_log where table_name = 'BUNDLES'`],
  ['REFERENCE', `update bw_invoice_items set bundle_id = id where item_type = 'RECURRING'`],
  [
    'REFERENCE',
    `update bw_former_bundle_keys set account_record_id = (select max(record_id) from bw_accounts)`,
  ],
  ['QUEUED', `delete from bw_queue_entries where unique_key like 'subscription-service%'`],
  [
    'OUTCOME',
    `insert into bw_queue_history select * from bw_queue_entries where unique_key like 'invoice-run:%'`,
  ],
];

eachDatabaseByTurns.describe('stored data check', (open) => {
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    await liveThroughALot(engine);
  });

  const aside = () => openEngine(open, { now: '2024-01-01T00:00:00Z' });

  it('finds no violation in the data of a busy engine', async () => {
    expect(await breaches(engine)).to.eql([]);
    expect(await breaches(engine, engine.tenant)).to.eql([]);
  });

  it('uses the time of the stored work if the clock was moved back', async () => {
    expect(await engine.billing.checks.aheadOfClock()).to.equal(null);
    const { clock } = engine;
    const now = clock.now();
    clock.set('2023-06-01T00:00:00Z');
    const ahead = await engine.billing.checks.aheadOfClock();
    expect(ahead && formatInstant(ahead)).to.equal(formatInstant(now));
    expect(await breaches(engine)).to.eql([]);
    clock.set(formatInstant(now));
  });

  it('accepts an account beyond the safety bound if the account is currently not invoiced', async () => {
    const { acme, billing, clock, settle } = await aside();
    const { id } = await acme.createAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: id, planName: 'solo-now' });
    await settle();
    await acme.tags.add({ type: 'ACCOUNT', id }, [SystemTag.AUTO_INVOICING_OFF]);
    clock.set('2026-01-01T00:00:00Z');
    await settle();
    expect(await Array.fromAsync(billing.checks.breaches())).to.eql([]);
  });

  it('finds every violation with its tenant and object', async () => {
    for (const [, damage] of damages) await rowsOf(engine.database, damage);
    const found = await breaches(engine);
    expect(new Set(found.map(({ invariant }) => invariant))).to.eql(
      new Set(damages.map(([invariant]) => invariant)),
    );
    const { id } = engine.tenant;
    expect(found.filter(({ tenantId }) => tenantId !== id)).to.eql([]);
    const referring = found.filter(({ invariant }) => invariant === 'REFERENCE');
    for (const column of ['invoice_items.bundle_id', 'former_bundle_keys.bundle_id'])
      expect(referring.map(({ message }) => message).join('\n')).to.contain(column);
    const ofNobody = found.filter(({ accountId }) => accountId === null);
    expect(new Set(ofNobody.map(({ invariant }) => invariant))).to.eql(new Set(['OUTCOME']));
  });
});

const breaches = async (engine: TestEngine, tenant: TenantRef | null = null) =>
  Array.fromAsync(engine.billing.checks.breaches(tenant));

/**
 * Runs through changes with repairs, an adjustment, a void, credit, an add-on that ends with its base, a pause, another
 * bundle key, and future changes.
 */
async function liveThroughALot({ acme, clock, settle, payingAccount }: TestEngine): Promise<void> {
  const { id: accountId } = await payingAccount({ currency: 'USD' });
  const base = await acme.createSubscription({ accountId, planName: 'pro-monthly' });
  const { bundleId } = base;
  await acme.createSubscription({ accountId, planName: 'support-monthly', bundleId });
  await settle();
  const { id: other } = await acme.createAccount({ currency: 'USD' });
  const { subscriptionId } = await acme.createSubscription({ accountId: other, planName: 'solo-now' });
  await settle();
  const change = { planName: 'team-now', requestedDate: { at: clock.now() } };
  await acme.subscriptions.changePlan(subscriptionId, change);
  await settle();
  clock.set('2024-02-10T00:00:00Z');
  await settle();
  await acme.blocking.pauseBundle(bundleId);
  await acme.bundles.renameKey(bundleId, 'renamed');
  await settle();
  const [invoice] = (await acme.invoices.ofAccount({ accountId: other, withItems: true })).toReversed();
  const charge = invoice?.items.find(({ itemType }) => itemType === 'RECURRING');
  if (!invoice || !charge) throw new Error('nothing was billed');
  const adjustment = { accountId: other, invoiceId: invoice.id, invoiceItemId: charge.id, amount: '3' };
  await acme.invoices.adjustItem(adjustment);
  await acme.invoices.void(invoice.id);
  await acme.invoices.addCredits({ accountId: other, items: [{ amount: '7' }], autoCommit: true });
  await acme.generateInvoice({ accountId: other });
  await acme.blocking.resumeBundle(bundleId);
  const options = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'END_OF_TERM' } as const;
  await acme.subscriptions.cancel(base.subscriptionId, options);
  await settle();
}
