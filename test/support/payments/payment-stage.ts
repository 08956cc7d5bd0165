import { systemClock, uuidGenerator } from '../../../adapters/node/this-process.ts';
import type { FakeClock, SandboxGateway } from '../../../adapters/testing/index.ts';
import { fakeClock, sandboxGateway } from '../../../adapters/testing/index.ts';
import { newAccount } from '../../../lib/accounts/index.ts';
import type {
  Account,
  AccountInput,
  CallContext,
  Invoice,
  PaymentControl,
  PaymentGateway,
  PaymentTransaction,
  SystemClock,
  TenantRef,
  Uuid,
} from '../../../lib/index.ts';
import { CallOrigin, decimal, formatDecimal, formatInstant, localDateOf, UTC } from '../../../lib/index.ts';
import { initialState } from '../../../lib/invoicing/index.ts';
import {
  automaticPaymentHandler,
  externalPaymentGateway,
  JanitorHandler,
  type PaymentConfig,
  PaymentMachine,
  PaymentMethodReads,
  PaymentMethodService,
  PaymentReads,
  paymentConfig,
  paymentRetryHandler,
} from '../../../lib/payments/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { BusEventType, type EventPayload } from '../../../lib/records/index.ts';
import { Dispatcher, type HandlerBatch, hasWork, type QueueHandler } from '../../../lib/runtime/index.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../../lib/tenants/index.ts';
import { recordingLogger } from '../system-time.ts';
import { invoice } from './payment-records.ts';

const SETTLE_MS = 60_000;
const PAYMENT_EVENTS: readonly string[] = [
  BusEventType.PAYMENT_SUCCESS,
  BusEventType.PAYMENT_FAILED,
  BusEventType.INVOICE_PAYMENT_SUCCESS,
  BusEventType.INVOICE_PAYMENT_FAILED,
  BusEventType.PAYMENT_UNRESOLVED,
];

export interface StageOptions {
  readonly gateway?: PaymentGateway;
  readonly config?: Partial<PaymentConfig>;
  readonly controls?: readonly PaymentControl[];
  /** The storage that the handlers use. */
  readonly handlerStorage?: Storage<never>;
}

/** A tenant whose payments run through the real handlers and dispatcher. Tests insert the invoices. */
export class PaymentStage {
  readonly clock: FakeClock;
  readonly timers = new ManualTimers();
  readonly logger = recordingLogger();
  readonly ids = uuidGenerator();
  readonly events: { readonly type: string; readonly payload: EventPayload }[] = [];
  readonly methods: PaymentMethodService;
  readonly reads: PaymentReads;
  readonly methodReads: PaymentMethodReads;
  readonly storage: Storage<never>;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly controls: ReadonlyMap<string, PaymentControl>;
  readonly sandbox: SandboxGateway;
  tenant: TenantRef = { id: this.ids.next(), recordId: 0 };
  readonly #options: StageOptions;
  #handlers: readonly QueueHandler[] = [];
  #automatic: ReturnType<typeof automaticPaymentHandler> | undefined;
  #retry: ReturnType<typeof paymentRetryHandler> | undefined;
  #dispatcher: Dispatcher | undefined;

  constructor(storage: Storage<never>, start: string, options: StageOptions = {}) {
    this.storage = storage;
    this.clock = fakeClock(start);
    this.#options = options;
    this.sandbox = sandboxGateway({ sleep: (ms) => this.timers.sleep(ms) });
    const gateways = [externalPaymentGateway(), this.sandbox, ...(options.gateway ? [options.gateway] : [])];
    this.gateways = new Map(gateways.map((gateway) => [gateway.name, gateway]));
    this.controls = new Map((options.controls ?? []).map((control) => [control.name, control]));
    const ports = {
      storage,
      ids: this.ids,
      gateways: this.gateways,
      paymentControls: this.controls,
      clock: this.clock,
      systemClock: this.timers,
      logger: this.logger,
    };
    const configOf = () => Promise.resolve({ ...paymentConfig(DEFAULT_TENANT_SETTINGS), ...options.config });
    this.methods = new PaymentMethodService(new PaymentMachine(ports, configOf));
    this.methodReads = new PaymentMethodReads(ports, configOf);
    this.reads = new PaymentReads(ports, configOf);
  }

  static async open(storage: Storage<never>, start: string, options: StageOptions = {}) {
    const stage = new PaymentStage(storage, start, options);
    await storage.prepare();
    stage.tenant = await storage.system.insertTenant(
      {
        id: stage.ids.next(),
        externalKey: null,
        apiKey: stage.ids.next(),
        apiSecretHash: 'none',
        useGlobalDefault: false,
        catalogRevision: 0,
        configurationRecordId: null,
        overdueConfigRecordId: null,
        callbackRecordId: null,
        stateMachineRevision: null,
        usageThresholdsRecordId: null,
        createdDate: stage.clock.now(),
      },
      stage.authorship(),
    );
    await stage.startProcess(options.handlerStorage ?? storage);
    return stage;
  }

  /** Starts another process over the same data, which takes over the claims of the previous one. */
  async startProcess(storage: Storage<never> = this.storage): Promise<void> {
    const configOf = () =>
      Promise.resolve({ ...paymentConfig(DEFAULT_TENANT_SETTINGS), ...this.#options.config });
    const { clock, ids, logger, gateways, timers, controls: paymentControls } = this;
    const ports = { storage, clock, systemClock: timers, ids, logger, gateways, paymentControls };
    const machine = new PaymentMachine(ports, configOf);
    this.#automatic = automaticPaymentHandler(machine);
    this.#retry = paymentRetryHandler(machine);
    this.#handlers = [this.#automatic, this.#retry, new JanitorHandler(ports, configOf), this.#recorder()];
    const dispatcherPorts = { storage, clock, systemClock: timers.real, ids, logger };
    this.#dispatcher = new Dispatcher(dispatcherPorts, {
      handlers: this.#handlers,
      tenantOf: () => Promise.resolve(this.tenant),
      node: 'stage',
    });
    await storage.prepare({ isConsumed: (event, at) => hasWork(this.#handlers, event, at) });
    await this.#dispatcher.recover();
  }

  async settle(): Promise<void> {
    const settled = await this.#dispatcher?.settle(null, SETTLE_MS);
    if (settled !== true) throw new Error('the queue did not settle');
    await this.#automatic?.idle();
    await this.#retry?.idle();
  }

  async goTo(when: string): Promise<void> {
    this.clock.set(when);
    await this.settle();
  }

  async stop(): Promise<void> {
    await this.#dispatcher?.stop();
    await this.storage.close();
  }

  /** A second node over the same data. */
  async secondNode(): Promise<{ settle(): Promise<void>; stop(): Promise<void> }> {
    const dispatcher = this.#dispatcher;
    await this.startProcess(this.storage);
    const second = this.#dispatcher;
    this.#dispatcher = dispatcher;
    return {
      settle: async () => {
        if ((await second?.settle(null, SETTLE_MS)) !== true) throw new Error('the queue did not settle');
      },
      stop: async () => second?.stop(),
    };
  }

  /** The events published since the last call, in order. */
  takeEvents(): readonly string[] {
    return this.events.splice(0).map(({ type }) => type);
  }

  context(): CallContext {
    return {
      tenant: this.tenant,
      userName: 'test',
      principal: null,
      reasonCode: null,
      comments: null,
      userToken: this.ids.next(),
      callOrigin: CallOrigin.EXTERNAL,
      createdDate: this.clock.now(),
    };
  }

  authorship() {
    const userToken = this.ids.next();
    const createdDate = this.clock.now();
    return { userName: 'test', reasonCode: null, comments: null, createdDate, userTokenOf: () => userToken };
  }

  /** An account with a default method of that gateway, or without one. */
  async account(pluginName: string | null = 'sandbox', input: AccountInput = {}) {
    const account = newAccount({ currency: 'USD', ...input }, this.ids.next(), this.clock.now());
    await this.storage.write(this.tenant, this.authorship(), (session) => session.accounts.insert([account]));
    if (pluginName !== null)
      await this.methods.add(this.context(), { accountId: account.id, pluginName, isDefault: true });
    return this.load(account.id);
  }

  async load(accountId: Uuid): Promise<Account> {
    const [account] = await this.storage.read(this.tenant, (session) =>
      session.accounts.findByIds([accountId]),
    );
    if (!account) throw new Error(`no account ${accountId}`);
    return account;
  }

  /** Commits an invoice like an invoice run. */
  async invoice(account: Account, amount: string, members: Partial<Invoice> = {}): Promise<Uuid> {
    const [id] = await this.invoices([account], amount, members);
    if (id === undefined) throw new Error('no invoice was made');
    return id;
  }

  async invoices(accounts: readonly Account[], amount: string, members: Partial<Invoice> = {}) {
    return this.storage.write(this.tenant, this.authorship(), async (session) => {
      const first = await session.invoices.takeInvoiceNumbers(accounts.length);
      const now = this.clock.now();
      const day = localDateOf(now, UTC);
      const made = accounts.map((account, index) => {
        const id = this.ids.next();
        const { recordId: _, ...made } = invoice({
          id,
          accountId: account.id,
          accountRecordId: account.recordId,
          invoiceNumber: first + index,
          invoiceDate: day,
          targetDate: day,
          commitDate: day,
          currency: account.currency ?? 'USD',
          groupId: id,
          createdDate: now,
          amount: decimal(amount),
          rawBalance: decimal(amount),
          ...members,
        });
        return made;
      });
      await session.invoices.insertInvoices(made);
      const states = await session.invoices.loadStates(accounts.map(({ id }) => id));
      await session.invoices.saveStates(
        accounts.map((account) => {
          const state = states.find(({ accountId }) => accountId === account.id) ?? initialState(account);
          return { ...state, accountBalance: state.accountBalance.plus(decimal(amount)) };
        }),
      );
      session.publish(
        made.map(({ id, accountRecordId }) => ({
          type: BusEventType.INVOICE_CREATION,
          accountRecordId,
          payload: { invoiceId: id },
        })),
      );
      return made.map(({ id }) => id);
    });
  }

  async balance(invoiceId: Uuid): Promise<string> {
    const [invoice] = await this.storage.read(this.tenant, (session) =>
      session.invoices.findByIds([invoiceId]),
    );
    return invoice ? formatDecimal(invoice.rawBalance) : 'none';
  }

  async accountBalance(account: Account): Promise<readonly string[]> {
    const [state] = await this.storage.read(this.tenant, (session) =>
      session.invoices.loadStates([account.id]),
    );
    return state ? [formatDecimal(state.accountBalance), formatDecimal(state.accountCBA)] : [];
  }

  /** Payment rows of the invoice, as `STATUS amount`. */
  async rows(invoiceId: Uuid): Promise<readonly string[]> {
    const rows = await this.storage.read(this.tenant, (session) =>
      session.payments.findInvoicePaymentsByInvoices([invoiceId]),
    );
    return rows.map(({ status, amount }) => `${status} ${formatDecimal(amount)}`);
  }

  /** Oldest first. */
  payments(invoiceId: Uuid) {
    return this.reads.invoicePaymentsOfInvoice(this.context(), invoiceId, { withAttempts: true });
  }

  /** The states of the invoice's transactions and attempts, in order. */
  async story(invoiceId: Uuid) {
    const payments = await this.payments(invoiceId);
    return {
      payments: payments.map(({ stateName }) => stateName),
      transactions: payments.flatMap(({ transactions }) => transactions.map(statusOf)),
      attempts: payments.flatMap(({ attempts }) => (attempts ?? []).map(stateOf)),
      rows: await this.rows(invoiceId),
      balance: await this.balance(invoiceId),
    };
  }

  #recorder(): QueueHandler {
    return {
      name: 'test:recorder',
      topics: PAYMENT_EVENTS,
      handle: (batch: HandlerBatch) => {
        for (const { topic, payload } of batch.entries) this.events.push({ type: topic, payload });
        return Promise.resolve();
      },
    };
  }
}

export const statusOf = ({ status }: PaymentTransaction): string => status;
export const stateOf = ({ stateName }: { readonly stateName: string }): string => stateName;
export const dateOf = ({
  createdDate,
}: {
  readonly createdDate: PaymentTransaction['createdDate'];
}): string => formatInstant(createdDate);

interface Timer {
  readonly delayMs: number;
  readonly action: () => void;
}

/** Timers that a test fires, so that time limits and gateway delays need no waiting. */
export class ManualTimers implements SystemClock {
  /** Real time for everything else. */
  readonly real: SystemClock = systemClock();
  readonly #pending = new Set<Timer>();
  readonly #arrivals: (() => void)[] = [];
  #impatientUpToMs = -1;

  nowMs(): number {
    return this.real.nowMs();
  }

  nextTurn(): Promise<void> {
    return this.real.nextTurn();
  }

  after(delayMs: number, action: () => void): () => void {
    const timer = { delayMs, action };
    this.#pending.add(timer);
    for (const arrived of this.#arrivals.splice(0)) arrived();
    if (delayMs <= this.#impatientUpToMs) setImmediate(() => this.#pending.delete(timer) && action());
    return () => this.#pending.delete(timer);
  }

  /** Waits until `fire`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Waits for `count` timers of at most `delayMs` and fires them, shortest first. */
  async fire(delayMs: number, count = 1): Promise<void> {
    while (this.#due(delayMs).length < count)
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    for (const timer of this.#due(delayMs)) {
      this.#pending.delete(timer);
      timer.action();
    }
  }

  /** From now on, waits of up to `upToMs` time out after one turn of the event loop. */
  losePatience(upToMs = Number.POSITIVE_INFINITY): void {
    this.#impatientUpToMs = upToMs;
  }

  #due(delayMs: number): readonly Timer[] {
    return [...this.#pending]
      .filter((timer) => timer.delayMs <= delayMs)
      .sort((one, other) => one.delayMs - other.delayMs);
  }
}
