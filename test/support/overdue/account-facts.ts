import { formatDecimal, type TenantBilling, type Uuid } from '../../../lib/index.ts';

export interface AccountFacts {
  readonly state: StateFacts;
  /** Of the service `overdue-service`, in time order. */
  readonly blocks: readonly BlockFacts[];
  /** In creation order. */
  readonly invoices: readonly InvoiceFacts[];
  /** In creation order. */
  readonly payments: readonly PaymentFacts[];
  readonly tags: readonly string[];
  readonly subscriptions: readonly SubscriptionFacts[];
  readonly balance: string;
  readonly credit: string;
}

export interface StateFacts {
  readonly name: string;
  readonly externalMessage: string;
  readonly isDisableEntitlementAndChangesBlocked: boolean;
  readonly isBlockChanges: boolean;
  readonly isClearState: boolean;
  readonly reevaluationIntervalDays: number | null;
}

export interface BlockFacts {
  readonly stateName: string;
  readonly effectiveDate: string;
  readonly isBlockChange: boolean;
  readonly isBlockEntitlement: boolean;
  readonly isBlockBilling: boolean;
}

export interface InvoiceFacts {
  readonly invoiceId: string;
  readonly invoiceDate: string;
  readonly status: string;
  readonly balance: string;
  readonly items: readonly {
    readonly itemType: string;
    readonly startDate: string | null;
    readonly endDate: string | null;
    readonly amount: string;
  }[];
}

export interface PaymentFacts {
  readonly targetInvoiceId: string | null;
  readonly transactions: readonly {
    readonly transactionType: string;
    readonly status: string;
    readonly amount: string | null;
  }[];
}

export interface SubscriptionFacts {
  readonly planName: string | null;
  readonly state: string;
  readonly cancelledDate: string | null;
  readonly billingEndDate: string | null;
  readonly events: readonly {
    readonly eventType: string;
    readonly effectiveDate: string;
    readonly serviceName: string;
    readonly serviceStateName: string;
  }[];
}

export async function factsByLibrary(acme: TenantBilling, accountId: Uuid): Promise<AccountFacts> {
  const state = await acme.overdue.ofAccount(accountId);
  const blocks = await acme.blocking.ofAccount(accountId, { services: ['overdue-service'] });
  const invoices = await acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });
  const payments = await acme.payments.invoicePaymentsOfAccount(accountId);
  const tags = await acme.tags.ofObject({ type: 'ACCOUNT', id: accountId });
  const bundles = await acme.subscriptions.bundlesOfAccount(accountId);
  const balance = (await acme.accounts.balances([accountId])).get(accountId);
  return {
    state,
    blocks: blocks.map((block) => ({ ...block, effectiveDate: block.effective.at.toISOString() })),
    invoices: invoices
      .toSorted((a, b) => a.invoiceNumber - b.invoiceNumber)
      .map((invoice) => ({
        invoiceId: invoice.id,
        invoiceDate: invoice.invoiceDate,
        status: invoice.status,
        balance: formatDecimal(invoice.balance),
        items: invoice.items.map((item) => ({
          itemType: item.itemType,
          startDate: item.startDate,
          endDate: item.endDate,
          amount: formatDecimal(item.amount),
        })),
      })),
    payments: payments.map(({ targetInvoiceId, transactions }) => ({
      targetInvoiceId,
      transactions: transactions.map(({ transactionType, status, amount }) => ({
        transactionType,
        status,
        amount: amount === null ? null : formatDecimal(amount),
      })),
    })),
    tags: tags.map(({ tagDefinitionName }) => tagDefinitionName),
    subscriptions: bundles
      .flatMap(({ subscriptions }) => subscriptions)
      .map((subscription) => ({
        planName: subscription.planName,
        state: subscription.state,
        cancelledDate: subscription.cancelled?.date ?? null,
        billingEndDate: subscription.billingEnd?.date ?? null,
        events: subscription.events.map((event) => ({
          eventType: event.eventType,
          effectiveDate: event.effective.at.toISOString(),
          serviceName: event.serviceName,
          serviceStateName: event.serviceStateName,
        })),
      })),
    balance: balance ? formatDecimal(balance.accountBalance) : '0',
    credit: balance ? formatDecimal(balance.accountCBA) : '0',
  };
}
