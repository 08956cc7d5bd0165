import { inspect } from 'node:util';
import { Billing, type BillingOptions } from '../../adapters/node/billwright.ts';
import { pdfRenderer } from '../../adapters/pdf/index.ts';
import { type FakeClock, fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import type { Breach } from '../../lib/check/index.ts';
import {
  type AccountInput,
  type Catalog,
  type Account as EngineAccount,
  formatDecimal,
  type TenantBilling,
  type TenantRef,
  type Uuid,
} from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { endWith, type OpenDatabase, type TestDatabase } from './databases.ts';
import { fixture } from './files.ts';
import { isLongRun } from './long-run.ts';
import { plainHasher } from './plain-hasher.ts';
import type { Account, InvoiceView } from './plain-views.ts';
import { shopIn, shopTemplate } from './shop.ts';
import { storageOf } from './storage.ts';
import { pushableSystemClock, recordingLogger } from './system-time.ts';

/** The engine over a fresh database, with a clock, a gateway and a shop that a test moves and scripts. */
export interface TestEngine {
  readonly database: TestDatabase;
  readonly storage: Storage<never>;
  readonly billing: Billing<never>;
  readonly clock: FakeClock;
  readonly systemClock: ReturnType<typeof pushableSystemClock>;
  readonly gateway: ReturnType<typeof sandboxGateway>;
  readonly ledger: ReturnType<typeof memoryLedger>;
  readonly logger: ReturnType<typeof recordingLogger>;
  readonly tenant: TenantRef;
  readonly acme: TenantBilling;
  /** An account with a default payment method on the sandbox gateway. */
  payingAccount(input: AccountInput): Promise<Account>;
  /** A subscription, once what its creation makes due is done. */
  subscribe(
    ...request: Parameters<TenantBilling['createSubscription']>
  ): ReturnType<TenantBilling['createSubscription']>;
  /** An invoice of these charges, committed. */
  charge(accountId: Uuid, ...amounts: readonly string[]): Promise<InvoiceView>;
  /** The account’s invoices with their items, voided ones among them. */
  invoicesOf(accountId: Uuid): Promise<readonly InvoiceView[]>;
  /** The items of these invoices, one line each. */
  linesOf(accountId: Uuid): Promise<readonly string[]>;
  /** What the check of stored data finds amiss with the tenant. */
  breaches(): Promise<readonly Breach[]>;
  /** Lets everything that is due be done, once `work` has ended; throws with what was logged when a handler fails. */
  settle<T = void>(work?: Promise<T>): Promise<T>;
  /** Moves the clock to a date or date-time and settles. */
  runTo(when: string): Promise<void>;
  /** For a test that goes on without it; otherwise it is closed when the tests are done with its database. */
  close(): Promise<void>;
}

/** Enough for a long chain of due work on a busy machine; a handler that keeps failing needs longer. */
const SETTLE_MS = isLongRun ? 300_000 : 60_000;

/** The catalog of subscriptions §25. */
export const specCatalog = fixture('catalogs/spec-example.xml');

/** The options of an engine, and how a test looks at it. */
export interface TestEngineOptions extends Omit<Partial<BillingOptions<never>>, 'documentRenderer'> {
  readonly now: string;
  /** Default the catalog of the specification; null: none. */
  readonly catalog?: URL | string | null;
  /** Default: that of `billwright/pdf`; null: none. */
  readonly documentRenderer?: BillingOptions<never>['documentRenderer'] | null;
  /** Told every statement that the storage sends. */
  readonly trace?: (statement: string) => void;
  /** Longer timers fire after that, such as the time limits of plugins. */
  readonly longestTimerMs?: number;
}

/** With a sandbox gateway beside others, a hasher that costs nothing, and pushes neither kept nor sent by default. */
export async function openEngine(open: OpenDatabase, options: TestEngineOptions): Promise<TestEngine> {
  const { now, trace, longestTimerMs, gateways = [], catalog = specCatalog, ...host } = options;
  const { documentRenderer = pdfRenderer(), ...others } = host;
  const database = await open(shopTemplate(catalog instanceof URL ? catalog : null));
  const storage = storageOf(database, trace);
  const clock = fakeClock(now);
  const systemClock = pushableSystemClock(longestTimerMs);
  const logger = recordingLogger();
  const ledger = memoryLedger();
  const gateway = sandboxGateway({ ledger });
  const billing = await Billing.open({
    hasher: plainHasher(),
    pushSender: null,
    testMode: false,
    ...others,
    ...(documentRenderer === null ? {} : { documentRenderer }),
    storage,
    clock,
    systemClock,
    logger,
    gateways: [gateway, ...gateways],
  });
  endWith(database, () => billing.close());
  const { tenant, acme } = await shopIn(billing);
  if (typeof catalog === 'string') await acme.uploadCatalog(catalog);
  const settle = async <T>(work?: Promise<T>): Promise<T> => {
    const result = await work;
    if (await billing.settle({ timeoutMs: SETTLE_MS })) return result as T;
    throw new Error(`the queue did not settle: ${inspect(logger.lines.slice(-3), { depth: 4 })}`);
  };
  const invoicesOf = (accountId: Uuid) =>
    acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });
  return {
    database,
    storage,
    billing,
    clock,
    systemClock,
    gateway,
    ledger,
    logger,
    tenant,
    acme,
    payingAccount: async (input) => {
      const account = await acme.createAccount(input);
      await acme.addPaymentMethod({ accountId: account.id, pluginName: gateway.name, isDefault: true });
      return account;
    },
    subscribe: (...request) => settle(acme.createSubscription(...request)),
    charge: async (accountId, ...amounts) => {
      const items = amounts.map((amount) => ({ amount }));
      const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
      if (item === undefined) throw new Error('no charge was made');
      return acme.invoices.get(item.invoiceId);
    },
    invoicesOf,
    linesOf: async (accountId) => (await invoicesOf(accountId)).flatMap(itemLines),
    breaches: () => Array.fromAsync(billing.checks.breaches(tenant)),
    settle,
    runTo: async (when) => {
      clock.set(when);
      await settle();
    },
    close: () => billing.close(),
  };
}

/** Another engine over a database, such as a second node; closed when the tests are done with the database. */
export async function openBilling(
  database: TestDatabase,
  options: Partial<BillingOptions<never>> = {},
): Promise<Billing<never>> {
  const billing = await Billing.open<never>({ storage: storageOf(database), ...options });
  endWith(database, () => billing.close());
  return billing;
}

/** The catalog of the shop, or that of an account, as the engine has it. */
export async function catalogOf(
  { billing, tenant }: Pick<TestEngine, 'billing' | 'tenant'>,
  accountId: Uuid | null = null,
): Promise<Catalog> {
  return billing.catalogs.current(await billing.context({ tenant, user: 'test' }), accountId);
}

/** An account with the engine's own dates. */
export async function engineAccount(
  { billing, tenant }: Pick<TestEngine, 'billing' | 'tenant'>,
  accountId: Uuid,
): Promise<EngineAccount> {
  return billing.accounts.get(await billing.context({ tenant, user: 'test' }), accountId);
}

/** An invoice in one line per item: `RECURRING 2012-05-01..2012-06-01 249.95`. */
export function itemLines(invoice: InvoiceView): readonly string[] {
  return invoice.items.map(({ itemType, startDate, endDate, amount }) => {
    const from = startDate === null ? '' : ` ${startDate}`;
    const to = endDate === null ? '' : `..${endDate}`;
    return `${itemType}${from}${to} ${formatDecimal(amount)}`;
  });
}
