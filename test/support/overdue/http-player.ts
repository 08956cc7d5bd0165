import type { TestDatabase } from '../databases.ts';
import { createdId, type Reply, type Serving, xmlType } from '../http/serving.ts';
import type { AccountFacts, BlockFacts, StateFacts, SubscriptionFacts } from './account-facts.ts';
import type { StoryPlayer } from './dunning-stories.ts';

const CORE = '/1.0/kb';

interface InvoiceJson {
  readonly invoiceId: string;
  readonly invoiceNumber: number;
  readonly invoiceDate: string;
  readonly status: string;
  readonly balance: number;
  readonly items: readonly {
    readonly itemType: string;
    readonly startDate: string | null;
    readonly endDate: string | null;
    readonly amount: number;
  }[];
}

interface PaymentJson {
  readonly targetInvoiceId: string | null;
  readonly transactions: readonly {
    readonly transactionType: string;
    readonly status: string;
    readonly amount: number | null;
  }[];
}

export function httpPlayer(serving: Serving, database: TestDatabase): StoryPlayer {
  const send = async (method: string, path: string, request?: Parameters<Serving['call']>[2]) => {
    const reply = await serving.call(method, path, request);
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply;
  };
  const get = async <T>(path: string): Promise<T> => (await send('GET', CORE + path)).json as T;
  const settled = async (reply: Reply): Promise<Reply> => {
    await send('GET', `${CORE}/test/queues`);
    return reply;
  };
  return {
    database,
    upload: async (config) => {
      await send('POST', `${CORE}/overdue/xml`, { body: config, headers: xmlType });
    },
    account: async ({ hasCard, payerId }) => {
      const payer = payerId === undefined ? {} : { parentAccountId: payerId };
      const body = { currency: 'USD', ...payer, isPaymentDelegatedToParent: payerId !== undefined };
      const id = createdId(await send('POST', `${CORE}/accounts`, { body }));
      if (!hasCard) return id;
      const method = { pluginName: 'killbill-payment-test' };
      await send('POST', `${CORE}/accounts/${id}/paymentMethods?isDefault=true`, { body: method });
      return id;
    },
    subscribe: async (accountId, planName) => {
      await settled(await send('POST', `${CORE}/subscriptions`, { body: { accountId, planName } }));
    },
    tag: async (accountId, definitionId) => {
      await settled(await send('POST', `${CORE}/accounts/${accountId}/tags`, { body: [definitionId] }));
    },
    untag: async (accountId, definitionId) => {
      await settled(await send('DELETE', `${CORE}/accounts/${accountId}/tags?tagDef=${definitionId}`));
    },
    payAll: async (accountId) => {
      await settled(await send('POST', `${CORE}/accounts/${accountId}/invoicePayments`));
    },
    cards: async (are) => {
      const body =
        are === 'taken'
          ? { CONFIGURE_ACTION: 'ACTION_CLEAR' }
          : { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', METHODS: 'purchasePayment' };
      await send('POST', '/plugins/killbill-payment-test/configure', { body });
    },
    runTo: async (when) => {
      await settled(await send('POST', `${CORE}/test/clock?requestedDate=${when}`));
    },
    read: async (accountId): Promise<AccountFacts> => {
      const account = `/accounts/${accountId}`;
      const invoices = await get<readonly InvoiceJson[]>(
        `${account}/invoices?includeInvoiceComponents=true&includeVoidedInvoices=true`,
      );
      const bundles = await get<readonly { readonly subscriptions: readonly SubscriptionFacts[] }[]>(
        `${account}/bundles`,
      );
      const tags = await get<readonly { readonly tagDefinitionName: string }[]>(`${account}/tags`);
      const payments = await get<readonly PaymentJson[]>(`${account}/invoicePayments`);
      const balance = await get<{ readonly accountBalance: number; readonly accountCBA: number }>(
        `${account}?accountWithBalanceAndCBA=true`,
      );
      return {
        state: await get<StateFacts>(`${account}/overdue`),
        blocks: await get<readonly BlockFacts[]>(`${account}/block?blockingStateSvcs=overdue-service`),
        invoices: invoices
          .toSorted((a, b) => a.invoiceNumber - b.invoiceNumber)
          .map((invoice) => ({
            ...invoice,
            balance: String(invoice.balance),
            items: invoice.items.map((item) => ({ ...item, amount: String(item.amount) })),
          })),
        payments: payments.map(({ targetInvoiceId, transactions }) => ({
          targetInvoiceId,
          transactions: transactions.map((each) => ({
            ...each,
            amount: each.amount === null ? null : String(each.amount),
          })),
        })),
        tags: tags.map(({ tagDefinitionName }) => tagDefinitionName),
        subscriptions: bundles.flatMap(({ subscriptions }) => subscriptions),
        balance: String(balance.accountBalance),
        credit: String(balance.accountCBA),
      };
    },
    close: () => serving.close(),
  };
}
