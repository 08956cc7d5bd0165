import type { TenantBilling } from '../../lib/billing.ts';
import type { CatalogUpload } from '../../lib/catalog/index.ts';
import { frequentOperations } from '../../lib/engine/frequent-operations.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { type CallOperation, operationCaller } from './call-operation.ts';
import type { ClientOptions } from './client-options.ts';
import { queries } from './operation-calls.ts';
import { recordAll } from './record-usage.ts';

export type { ClientOptions } from './client-options.ts';
export { BillingError, ErrorCode };

/**
 * Returns the operations of one tenant over HTTP, with the same names and types as `billing.as(caller)`.
 * `createClient<FeatureName<typeof catalog>>` also checks the names of features at compile time. Amounts are exact. Each change has an idempotency key, so a repeated attempt takes effect only once.
 *
 * Operations throw a BillingError with the codes of the library, and a TypeError from `fetch` if the server
 * cannot be reached in any attempt.
 *
 * @example const acme = createClient({ url: 'https://billing.example.com', apiKey: 'acme', apiSecret, user,
 * password }); const account = await acme.createAccount({ currency: 'EUR' });
 */
export function createClient<F extends string = string>(options: ClientOptions): TenantBilling<F> {
  const call = operationCaller(options);
  const groups = Object.keys(queries).map((group) => [group, groupOf(group, call)]);
  const grouped = Object.fromEntries(groups);
  const short = Object.entries(frequentOperations).map(([name, [group, operation]]) => [
    name,
    (...input: readonly unknown[]) => grouped[group][operation](...input),
  ]);
  return Object.freeze({ ...grouped, ...Object.fromEntries(short) }) as TenantBilling<F>;
}

/** Client operations that make several calls, or that call a different operation. */
const special: Readonly<Record<string, (call: CallOperation) => Readonly<Record<string, unknown>>>> = {
  usage: (call) => ({ recordAll: (lines: never, options?: unknown) => recordAll(call, lines, options) }),
  catalogs: (call) => ({
    async upload(document: CatalogUpload): Promise<void> {
      const isDefinition = typeof document === 'object' && document !== null && 'toXml' in document;
      await call('catalogs', isDefinition ? 'sync' : 'upload', [document]);
    },
  }),
};

/** Member names that JavaScript reads from any object. No operation has such a name. */
const NO_OPERATIONS: ReadonlySet<string> = new Set(['then', 'toJSON', 'constructor']);

function groupOf(group: string, call: CallOperation): Readonly<Record<string, unknown>> {
  const known = new Map<string, unknown>(Object.entries(special[group]?.(call) ?? {}));
  return new Proxy<Record<string, unknown>>(
    {},
    {
      get(_, name) {
        if (typeof name !== 'string' || NO_OPERATIONS.has(name)) return undefined;
        const operation = known.get(name) ?? ((...input: readonly unknown[]) => call(group, name, input));
        known.set(name, operation);
        return operation;
      },
    },
  );
}

/** A page of any list. */
interface AnyPage<T> {
  readonly rows: readonly T[];
}

/**
 * Iterates over the rows of a paged operation page by page. The operation may belong to a client or to the library.
 *
 * @example for await (const account of eachRow((page) => acme.accounts.page(page))) …
 */
export async function* eachRow<T>(
  pageAt: (request: { readonly offset: number; readonly limit: number }) => Promise<AnyPage<T>>,
  limit = 100,
): AsyncIterable<T> {
  for (let offset = 0; ; offset += limit) {
    const { rows } = await pageAt({ offset, limit });
    yield* rows;
    if (rows.length < limit) return;
  }
}
