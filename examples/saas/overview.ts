import type { Knex } from 'knex';
import type { TenantBilling } from '../../adapters/node/billwright.ts';
import type { BillingEvent, Customer } from './database.ts';

/** Reads what the page of a customer shows. */
export async function overviewOf(db: Knex, acme: TenantBilling, customer: Customer) {
  const { account_id: accountId, subscription_id: subscriptionId } = customer;
  const [subscription, upcoming, usage, features, invoices, cards] = await Promise.all([
    acme.subscriptions.get(subscriptionId),
    acme.invoices.upcoming({ accountId }),
    acme.usage.rated(subscriptionId),
    acme.features.of({ accountId }),
    acme.invoices.ofAccount({ accountId }),
    acme.paymentMethods.ofAccount(accountId),
  ]);
  const events = await db<BillingEvent>('billing_events')
    .where({ account_id: accountId })
    .orderBy([
      { column: 'received_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(8);
  const feature = (name: string) => features.find((each) => each.name === name);
  return {
    customer,
    subscription,
    upcoming,
    usage,
    seats: feature('seats'),
    messages: feature('messages'),
    canExport: feature('export')?.isOn === true,
    invoices,
    hasCard: cards.length > 0,
    events,
  };
}

export type Overview = Awaited<ReturnType<typeof overviewOf>>;
