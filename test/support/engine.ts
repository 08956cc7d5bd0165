import { inspect } from 'node:util';
import { expect } from 'chai';
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
import { firstCell } from './cells/registered-cells.ts';
import { cellsBeside } from './cells.ts';
import { areCells as areAllCells, endWith, type OpenDatabase, type TestDatabase } from './databases.ts';
import { fixture } from './files.ts';
import { isLongRun } from './long-run.ts';
import { plainHasher } from './plain-hasher.ts';
import type { Account, InvoiceView } from './plain-views.ts';
import { isRemote, overHttp } from './remote.ts';
import { SHOP_KEYS, shopIn, shopTemplate } from './shop.ts';
import { storageOf } from './storage.ts';
import { pushableSystemClock, recordingLogger } from './system-time.ts';

/** An engine over a fresh database, with a clock, a gateway and a shop that the test controls. */
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
  /** The cell of the tenant, for another tenant in the same database. */
  readonly cell: 'near' | null;
  readonly acme: TenantBilling;
  /** Creates an account with a default payment method on the sandbox gateway. */
  payingAccount(input: AccountInput): Promise<Account>;
  /** Creates a subscription and settles. */
  subscribe(
    ...request: Parameters<TenantBilling['createSubscription']>
  ): ReturnType<TenantBilling['createSubscription']>;
  /** Cancels service and billing at this date. */
  cancelAt(subscriptionId: Uuid, requestedDate: string): Promise<unknown>;
  /** Creates a committed invoice with these charges. */
  charge(accountId: Uuid, ...amounts: readonly string[]): Promise<InvoiceView>;
  /** Includes voided invoices. */
  invoicesOf(accountId: Uuid): Promise<readonly InvoiceView[]>;
  linesOf(accountId: Uuid): Promise<readonly string[]>;
  /** Returns the balance of the account and the credit in it. */
  balancesOf(accountId: Uuid): Promise<readonly [balance: string, credit: string]>;
  /** Formats the state, the end of service and the end of billing: `ACTIVE 2024-06-20 -`. */
  endsOf(subscriptionId: Uuid): Promise<string>;
  /** Ends service and billing of a subscription immediately, and settles. */
  cancelNow(subscriptionId: Uuid): Promise<void>;
  /** Returns the statements that the storage sends during the work. */
  statementsOf(work: () => Promise<unknown>): Promise<readonly string[]>;
  breaches(): Promise<readonly Breach[]>;
  /** Awaits `work` and all due work. Throws the logged error if a handler fails. */
  settle<T = void>(work?: Promise<T>): Promise<T>;
  runTo(when: string): Promise<void>;
  /** Closes the engine early; otherwise it closes with its database. */
  close(): Promise<void>;
}

/** Enough for a long chain of due work on a busy machine. */
const SETTLE_MS = isLongRun ? 300_000 : 60_000;

export const specCatalog = fixture('catalogs/spec-example.xml');

export interface TestEngineOptions extends Omit<Partial<BillingOptions<never>>, 'documentRenderer'> {
  readonly now: string;
  /** Default: the catalog of the specification; null: no catalog. */
  readonly catalog?: URL | string | null;
  /** Default: the renderer of `billwright/pdf`; null: no renderer. */
  readonly documentRenderer?: BillingOptions<never>['documentRenderer'] | null;
  /** Receives every statement that the storage sends. */
  readonly trace?: (statement: string) => void;
  /** Caps longer timers, such as the time limits of plugins. */
  readonly longestTimerMs?: number;
  /** False if the test is about a single engine, such as about texts that name the cell otherwise. */
  readonly areCells?: false;
}

/** Opens an engine with a sandbox gateway and a plain hasher. By default pushes are neither stored nor sent. */
export async function openEngine(open: OpenDatabase, options: TestEngineOptions): Promise<TestEngine> {
  const { now, trace, longestTimerMs, gateways = [], catalog = specCatalog, ...rest } = options;
  const { areCells = areAllCells, ...host } = rest;
  const { documentRenderer = pdfRenderer(), ...others } = host;
  const shop = shopTemplate(catalog instanceof URL ? catalog : null);
  const database = await open(areCells ? firstCell(shop, ['near', 'far']) : shop);
  let statements: string[] = [];
  let isRecording = false;
  const given = storageOf(database, (statement) => {
    if (isRecording) statements.push(statement);
    trace?.(statement);
  });
  const cells =
    areCells && database.kind === 'postgresql'
      ? await cellsBeside(database, given, { hasTenants: true })
      : null;
  const storage = cells?.storage ?? given;
  const clock = fakeClock(now);
  const systemClock = pushableSystemClock(longestTimerMs);
  const logger = recordingLogger();
  const ledger = memoryLedger();
  const gateway = sandboxGateway({ ledger });
  const billing = await (cells ?? Billing).open({
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
  const { tenant, acme: inProcess } = await shopIn(billing);
  const remote = isRemote ? await overHttp(billing, SHOP_KEYS) : null;
  const acme = remote?.acme ?? inProcess;
  endWith(database, async () => {
    await remote?.close();
    await billing.close();
  });
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
    cell: cells === null ? null : 'near',
    acme,
    payingAccount: async (input) => {
      const account = await acme.createAccount(input);
      await acme.addPaymentMethod({ accountId: account.id, pluginName: gateway.name, isDefault: true });
      return account;
    },
    subscribe: (...request) => settle(acme.createSubscription(...request)),
    cancelAt: (subscriptionId, requestedDate) =>
      acme.subscriptions.cancel(subscriptionId, { requestedDate, useRequestedDateForBilling: true }),
    charge: async (accountId, ...amounts) => {
      const items = amounts.map((amount) => ({ amount }));
      const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
      if (item === undefined) throw new Error('no charge was made');
      return acme.invoices.get(item.invoiceId);
    },
    invoicesOf,
    linesOf: async (accountId) => (await invoicesOf(accountId)).flatMap(itemLines),
    balancesOf: async (accountId) => {
      const state = (await acme.accounts.balances([accountId])).get(accountId);
      if (state === undefined) throw new Error(`no balance of account ${accountId}`);
      return [formatDecimal(state.accountBalance), formatDecimal(state.accountCBA)];
    },
    endsOf: async (subscriptionId) => {
      const { state, cancelled, billingEnd } = await acme.getSubscription(subscriptionId);
      return `${state} ${cancelled?.date ?? '-'} ${billingEnd?.date ?? '-'}`;
    },
    cancelNow: async (subscriptionId) => {
      const policies = { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'IMMEDIATE' } as const;
      await settle(acme.subscriptions.cancel(subscriptionId, policies));
    },
    statementsOf: async (work) => {
      statements = [];
      isRecording = true;
      await work();
      isRecording = false;
      return statements;
    },
    breaches: () => Array.fromAsync(billing.checks.breaches(tenant)),
    settle,
    runTo: async (when) => {
      clock.set(when);
      await settle();
    },
    close: () => billing.close(),
  };
}

/** An engine that opens before the tests of a block, for use in their hooks and bodies. */
export function engineBefore(open: OpenDatabase, options: TestEngineOptions | (() => TestEngineOptions)) {
  const { engine, reopen } = engineToOpen(open, options);
  before(reopen);
  return engine;
}

/** A new engine before each test of a block. */
export function engineBeforeEach(open: OpenDatabase, options: TestEngineOptions | (() => TestEngineOptions)) {
  const { engine, reopen } = engineToOpen(open, options);
  beforeEach(reopen);
  return engine;
}

function engineToOpen(open: OpenDatabase, options: TestEngineOptions | (() => TestEngineOptions)) {
  let opened: TestEngine;
  // Blocks can destructure `acme` before an engine is open.
  const acme = new Proxy({} as TenantBilling, { get: (_, member) => Reflect.get(opened.acme, member) });
  const engine = { acme } as TestEngine;
  const reopen = async () => {
    opened = await openEngine(open, typeof options === 'function' ? options() : options);
    Object.assign(engine, { ...opened, acme });
  };
  return { engine, reopen };
}

/** A new account before each test, with a default payment method on the sandbox gateway, whose answers are reset. */
export function payerBeforeEach(engine: TestEngine): Account {
  const account = {} as Account;
  beforeEach(async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    Object.assign(account, await engine.payingAccount({ currency: 'USD' }));
  });
  return account;
}

/** Checks the stored data of the tenant after each test. */
export function soundAfterEach(engine: TestEngine): void {
  afterEach(async () => expect(await engine.breaches()).to.eql([]));
}

/** Opens another engine over the database, such as a second node; it closes with the database. */
export async function openBilling(
  database: TestDatabase,
  options: Partial<BillingOptions<never>> = {},
): Promise<Billing<never>> {
  const billing = await Billing.open<never>({ storage: storageOf(database), ...options });
  endWith(database, () => billing.close());
  return billing;
}

/** Returns the catalog of the shop or of an account. */
export async function catalogOf(
  { billing, tenant }: Pick<TestEngine, 'billing' | 'tenant'>,
  accountId: Uuid | null = null,
): Promise<Catalog> {
  return billing.catalogs.current(await billing.context({ tenant, user: 'test' }), accountId);
}

export async function engineAccount(
  { billing, tenant }: Pick<TestEngine, 'billing' | 'tenant'>,
  accountId: Uuid,
): Promise<EngineAccount> {
  return billing.accounts.get(await billing.context({ tenant, user: 'test' }), accountId);
}

/** Formats each item as a line: `RECURRING 2012-05-01..2012-06-01 249.95`. */
export function itemLines(invoice: InvoiceView): readonly string[] {
  return invoice.items.map(({ itemType, startDate, endDate, amount }) => {
    const from = startDate === null ? '' : ` ${startDate}`;
    const to = endDate === null ? '' : `..${endDate}`;
    return `${itemType}${from}${to} ${formatDecimal(amount)}`;
  });
}
