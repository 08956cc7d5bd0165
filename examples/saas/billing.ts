import type { Knex } from 'knex';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { type KnexTransaction, sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import {
  Billing,
  BillingError,
  type BillingOptions,
  ErrorCode,
  type FeatureName,
  type PaymentGateway,
  type PublishedEvent,
  type TenantBilling,
} from '../../adapters/node/billwright.ts';
import { pdfRenderer } from '../../adapters/pdf/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { type BillingEvent, isPostgresql, unlocked } from './database.ts';
import { catalog, WELCOME } from './plans.ts';

export interface BillingSettings {
  /** A SQLite file, or the URL of a PostgreSQL database. */
  readonly place: string;
  readonly gateway: PaymentGateway;
  /** For tests: a clock, a hasher. */
  readonly options?: Pick<Partial<BillingOptions<KnexTransaction>>, 'clock' | 'hasher'>;
}

export type AppBilling = Awaited<ReturnType<typeof openBilling>>;

/** Opens Billwright on the application's database, creates the tenant on the first start and uploads new plans. */
export async function openBilling(db: Knex, { place, gateway, options }: BillingSettings) {
  const storage: Storage<KnexTransaction> = isPostgresql(place)
    ? postgresql({ url: place, migrate: true })
    : sqlite(place);
  const billing = await Billing.open({
    storage,
    gateways: [gateway],
    documentRenderer: pdfRenderer(),
    configuration: { 'org.service.invoice.disable.trial.zero.amount': true }, // no invoice of 0 for a trial
    eventSinks: [{ name: 'billing_events', onEvent: (event) => keepEvent(db, event) }],
    ...options,
  });
  const apiSecret = process.env.BILLING_API_SECRET ?? 'only-for-development';
  const tenant = await billing.tenants.ensure({ userName: 'setup' }, { apiKey: 'herald', apiSecret });
  const acme = billing.as<FeatureName<typeof catalog>>({ tenant, user: 'herald' });
  await acme.catalogs.sync(catalog);
  await offerCoupon(acme);
  return { billing, acme, gateway };
}

/** Creates the coupon on the first start. Later starts keep it. */
async function offerCoupon(acme: TenantBilling): Promise<void> {
  try {
    await acme.coupons.create(WELCOME);
  } catch (error) {
    if (!(error instanceof BillingError && error.code === ErrorCode.COUPON_ALREADY_EXISTS)) throw error;
  }
}

/** Stores an event. It can arrive twice, with the same id. */
async function keepEvent(db: Knex, { id, accountId, eventType, createdDate }: PublishedEvent): Promise<void> {
  if (accountId === null) return;
  const row = { id, account_id: accountId, type: eventType, received_at: createdDate.toISOString() };
  await unlocked(() => db<BillingEvent>('billing_events').insert(row).onConflict('id').ignore());
}
