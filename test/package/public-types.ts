// The types of the public interface: accepted arguments, rejected arguments and results. This code never runs. `npm run
// types` checks it against the sources, `install.check.ts` against the declarations of the packed package.
import { createFetchHandler, type KoaOptions } from '../../adapters/koa/index.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import type {
  CatalogPlugin,
  Decimal,
  FeatureName,
  PaymentGateway,
  TenantBilling,
  Uuid,
} from '../../adapters/node/billwright.ts';
import { Billing, BillingError, defineCatalog, ErrorCode } from '../../adapters/node/billwright.ts';
import { fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';

/** Compiles if both types are the same, not merely assignable. */
declare function same<A, B>(...proof: Same<A, B> extends true ? [] : [differ: never]): void;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Opening requires a storage; other ports default to Node's. */
export async function opening(): Promise<void> {
  const billing = await Billing.open({ storage: sqlite('billing.db'), clock: fakeClock('2024-01-31') });
  same<Awaited<ReturnType<typeof billing.createAccount>>['id'], Uuid>();
  // @ts-expect-error a storage is required
  await Billing.open({ clock: fakeClock('2024-01-31') });
  // @ts-expect-error a path is not a storage
  await Billing.open({ storage: 'billing.db' });
  // @ts-expect-error an unknown option
  await Billing.open({ storage: sqlite('billing.db'), gateway: sandboxGateway() });
}

/** Ids, dates and amounts are accepted as text. Results have dates as text, instants as Date, amounts as Decimal. */
export async function calling(acme: TenantBilling): Promise<unknown> {
  const account = await acme.createAccount({ currency: 'EUR', referenceTime: '2024-01-31T08:00:00Z' });
  same<typeof account.id, Uuid>();
  const subscription = await acme.createSubscription({ accountId: account.id, planName: 'gold-monthly' });
  same<typeof subscription.subscriptionId, Uuid>();
  const [invoice] = await acme.invoices.ofAccount({ accountId: '0190f8f6-0000-7000-8000-000000000000' });
  if (invoice === undefined) return undefined;
  same<typeof invoice.balance, Decimal>();
  same<typeof invoice.invoiceDate, string>();
  same<typeof account.createdDate, Date>();
  same<typeof invoice.items, readonly (typeof invoice.items)[number][]>();
  const amount: Decimal = invoice.amount;
  // @ts-expect-error an amount is not a number
  const asNumber: number = invoice.amount;
  // @ts-expect-error a date is not an instant
  const asInstant: Date = invoice.invoiceDate;
  // @ts-expect-error a view is read-only
  invoice.balance = amount;
  // @ts-expect-error an unknown field of an account
  await acme.createAccount({ currency: 'EUR', color: 'green' });
  // @ts-expect-error a plan name is text, not a number
  await acme.createSubscription({ accountId: account.id, planName: 7 });
  return { asNumber, asInstant };
}

/** `within` accepts the transaction type of the storage, and returns the same operations without another `within`. */
export async function joining(): Promise<void> {
  const billing = await Billing.open({ storage: sqlite('billing.db') });
  const acme = billing.as({ tenant: '0190f8f6-0000-7000-8000-000000000000', user: 'sign-up' });
  same<ReturnType<typeof acme.within>, TenantBilling>();
  // @ts-expect-error a transaction is not text
  acme.within('the open transaction');
  // @ts-expect-error a caller is required
  billing.as({ tenant: '0190f8f6-0000-7000-8000-000000000000' });
}

/** The compiler knows the names in a catalog. */
export const lantern = defineCatalog({
  name: 'Lantern',
  effectiveDate: '2026-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  products: { Light: { category: 'BASE' } },
  plans: {
    'light-monthly': {
      product: 'Light',
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '9.00' } } },
    },
    'dark-monthly': {
      // @ts-expect-error an unknown product
      product: 'Dark',
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '9.00' } } },
    },
  },
  // @ts-expect-error an unknown plan
  priceLists: { DEFAULT: ['light-weekly'] },
});

/** The compiler knows the names and kinds of features, also in calls. */
export const beacon = defineCatalog({
  name: 'Beacon',
  effectiveDate: '2026-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  features: { blinking: { kind: 'SWITCH' }, flashes: { kind: 'QUOTA' } },
  products: { Light: { category: 'BASE', features: { blinking: true } } },
  plans: {
    'light-monthly': {
      product: 'Light',
      // @ts-expect-error a quota requires a period
      features: { flashes: { amount: 100 } },
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '9.00' } } },
    },
  },
});

export async function blinking(billing: Billing, accountId: Uuid): Promise<boolean> {
  const acme = billing.as<FeatureName<typeof beacon>>({ tenant: 'acme', user: 'light' });
  // @ts-expect-error an unknown feature
  if (await acme.features.can(accountId, 'dimming')) return false;
  return acme.features.can(accountId, 'blinking');
}

/** The error code identifies the failure. */
export function failing(error: unknown): string {
  if (!(error instanceof BillingError)) throw error;
  same<typeof error.code, ErrorCode>();
  same<typeof error.facts, Readonly<Record<string, unknown>>>();
  // @ts-expect-error an unknown error code
  if (error.code === ErrorCode.ACCOUNT_IS_GREEN) return 'green';
  return error.code === ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID ? 'nobody' : error.message;
}

/** A gateway needs only two members; the types of its results are checked. */
export const gateway: PaymentGateway = {
  name: 'till',
  async purchase({ paymentId, transactionId, amount, currency }, { now }) {
    same<typeof amount, Decimal>();
    same<typeof now, Date>();
    return {
      kbPaymentId: paymentId,
      kbTransactionPaymentId: transactionId,
      transactionType: 'PURCHASE',
      status: 'PROCESSED',
      amount,
      currency,
      createdDate: now,
      effectiveDate: now,
      properties: [],
    };
  },
  getPaymentInfo: async () => [],
};

// @ts-expect-error a gateway must implement getPaymentInfo
export const forgetful: PaymentGateway = { name: 'sieve', purchase: gateway.purchase };

// @ts-expect-error a result requires the ids of its payment and transaction
export const careless: PaymentGateway = { ...gateway, getPaymentInfo: async () => [{ status: 'PROCESSED' }] };

/** A result accepts plain values of a processor's response: text and numbers, without a cast. */
export async function plainResult(answer: { id: string; kind: string; state: string; paid: number }) {
  const result = {
    kbPaymentId: answer.id,
    kbTransactionPaymentId: answer.id,
    transactionType: answer.kind,
    status: answer.state,
    amount: answer.paid,
    currency: 'EUR',
    createdDate: '2024-01-31T08:00:00Z',
    effectiveDate: '2024-01-31T08:00:00Z',
    properties: [],
  };
  const dispute = { reference: answer.id, amount: answer.paid, currency: 'EUR', stands: true };
  const plain: PaymentGateway = {
    name: 'plain',
    purchase: async () => result,
    getPaymentInfo: async () => [{ ...result, amount: '9.90' }],
    processNotification: async () => ({ kbPaymentId: answer.id, dispute }),
  };
  return plain;
}

export const shelf: CatalogPlugin = {
  name: 'shelf',
  latestVersion: async () => '1',
  catalog: async () => ({ name: 'Shelf', versions: [] }),
};

/** A fetch handler has the type of a route handler: one `Request` in, a promise of a `Response` out. */
export function fetching(options: KoaOptions): unknown {
  const handler = createFetchHandler({
    ...options,
    remoteAddress: ({ headers }) => headers.get('x-real-ip') ?? undefined,
  });
  same<typeof handler, (request: Request) => Promise<Response>>();
  const route: (request: Request, context: { readonly params: Promise<object> }) => Promise<Response> =
    handler;
  // @ts-expect-error the remote address is a function of the request
  createFetchHandler({ ...options, remoteAddress: '10.0.0.7' });
  return route;
}
