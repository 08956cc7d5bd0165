import { computed } from '@preact/signals';
import { createClient } from '../../client/index.ts';
import { shortId } from './format.ts';
import { serverBase, tenantKey } from './location.ts';
import { callServer, headerText, recordingFetch } from './server.ts';
import { session } from './session.ts';

/** The operations of `billwright/client` for the tenant on the page. */
export type Api = ReturnType<typeof createClient>;

/** The result of an operation, such as `ResultOf<'accounts', 'get'>`. */
export type ResultOf<G extends keyof Api, O extends keyof Api[G]> = Api[G][O] extends (
  ...given: never[]
) => Promise<infer R>
  ? R
  : never;

export type Account = ResultOf<'accounts', 'get'>;
export type Subscription = ResultOf<'subscriptions', 'get'>;
export type Invoice = ResultOf<'invoices', 'get'>;
export type InvoiceItem = Invoice['items'][number];
export type Payment = ResultOf<'payments', 'invoicePayment'>;
export type Transaction = Payment['transactions'][number];
export type PaymentMethod = ResultOf<'paymentMethods', 'get'>;
export type Coupon = ResultOf<'coupons', 'get'>;
export type Redemption = ResultOf<'coupons', 'ofAccount'>[number];
export type Decimal = Invoice['balance'];

const client = computed<Api>(() =>
  createClient({
    url: `${location.origin}${serverBase}`,
    apiKey: tenantKey.value ?? '',
    createdBy: session.value?.username ?? '',
    retries: 1,
    fetch: recordingFetch,
  }),
);

/** Returns the operations of the tenant on the page. */
export function api(): Api {
  return client.value;
}

/**
 * Calls an endpoint of the REST API for the tenant on the page. Use it only for endpoints that `api()` lacks.
 * @param route method and path below `/1.0/kb`.
 */
export function callTenant<T>(route: string, request: Parameters<typeof callServer>[1] = {}): Promise<T> {
  const headers = {
    'X-Service-ApiKey': headerText(tenantKey.value ?? ''),
    'X-Service-CreatedBy': headerText(session.value?.username ?? ''),
    ...request.headers,
  };
  return callServer<T>(route, { ...request, headers });
}

/** Maximum number of ids in a call of `accounts.list`. */
const MAX_IDS = 1_000;

/** Returns the name of the account with this id. */
type AccountNames = (accountId: string) => string;

/**
 * Loads the names of accounts in one call. For an account without a name, uses the external key. For accounts beyond
 * the first thousand, uses the end of the id.
 */
export async function loadAccountNames(accountIds: readonly string[]): Promise<AccountNames> {
  const ids = [...new Set(accountIds)].slice(0, MAX_IDS);
  const accounts = ids.length === 0 ? [] : await api().accounts.list(ids);
  const nameOf = new Map<string, string>(
    accounts.map(({ id, name, externalKey }) => [id, name ?? externalKey]),
  );
  return (accountId) => nameOf.get(accountId) ?? shortId(accountId);
}

/** Adds the account name to each row. For a row without an account, the name is empty. */
export async function withNames<R extends { readonly accountId: string | null }>(rows: readonly R[]) {
  const nameOf = await loadAccountNames(rows.flatMap(({ accountId }) => accountId ?? []));
  return rows.map((row) => ({ ...row, accountName: row.accountId === null ? '' : nameOf(row.accountId) }));
}

/** Adds the account name to each row of a page. */
export async function withAccountNames<R extends { readonly accountId: string }>(
  loading: Promise<{ readonly rows: readonly R[]; readonly total: number }>,
) {
  const { rows, total } = await loading;
  return { rows: await withNames(rows), total };
}
