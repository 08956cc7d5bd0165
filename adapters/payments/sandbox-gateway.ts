import { setTimeout } from 'node:timers/promises';
import {
  type GatewayContext,
  GatewayError,
  type GatewayRequest,
  type GatewayResult,
  type GatewayTransaction,
  type PaymentGateway,
  type PaymentMethodDetails,
  type PluginIdentity,
} from '../../lib/ports/index.ts';
import type { TransactionType } from '../../lib/records/index.ts';
import { checkOptionTypes, requireOption } from '../../lib/values/errors/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { type LedgerEntry, memoryLedger, type SandboxLedger } from './sandbox-ledger.ts';
import {
  SandboxAction,
  type SandboxConfiguration,
  type SandboxOperation,
  type SandboxScript,
  type SandboxStatus,
  StickyScripts,
  scriptOfProperties,
  statusOf,
} from './sandbox-script.ts';

export interface SandboxGatewayOptions {
  /**
   * Name of the gateway. Defaults to `sandbox`. A gateway with the default name is also registered as
   * `killbill-payment-test`, its name in Kill Bill.
   */
  readonly name?: string;
  /** Default: one in memory. */
  readonly ledger?: SandboxLedger;
  /** Waits for the delays that a script requests. Defaults to a wait in real time. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

type Offered = SandboxOperation | 'buildFormDescriptor' | 'processNotification' | MethodMembers;

/** The sandbox gateway with its controls for tests and demos. */
export interface SandboxGateway
  extends Omit<PaymentGateway, Offered>,
    Required<Pick<PaymentGateway, Offered>> {
  readonly ledger: SandboxLedger;
  /**
   * Sets the behavior of calls until `ACTION_CLEAR` (`POST /plugins/sandbox/configure`), for one tenant or all.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid configuration.
   */
  configure(configuration: SandboxConfiguration | AnyConfiguration, tenantId?: Uuid): void;
  /** Returns the settings for the tenant or, if no tenant is given, for all tenants. */
  status(tenantId?: Uuid): SandboxStatus;
}

/** VOID has no amount. */
type SandboxRequest = GatewayTransaction & Partial<Pick<GatewayRequest, 'amount' | 'currency'>>;

/** An unchecked configuration from a request. */
type AnyConfiguration = { readonly CONFIGURE_ACTION: string } & Readonly<Record<string, string>>;

const DEFAULT_NAME = 'sandbox';
const VERSION = '1.0.0';
/** The gateway's name in Kill Bill. Kill Bill clients use this name. */
const FORMER = { name: 'killbill-payment-test', pluginKey: 'payment-test', version: VERSION };

/**
 * A payment gateway for tests and demos (payments §2.4 rule 2). It processes every call, unless the call's plugin
 * properties or a sticky configuration specify another behavior. Each call is first recorded in the ledger, so delays,
 * lost responses and crashes do not undo it. A call with a repeated transaction id has no second effect and returns the
 * recorded result.
 */
export function sandboxGateway(options: SandboxGatewayOptions = {}): SandboxGateway {
  checkOptionTypes(options, { name: 'text', ledger: 'an object', sleep: 'a function' });
  const { name = DEFAULT_NAME, ledger = memoryLedger(), sleep = setTimeout } = options;
  for (const member of ['find', 'append', 'override'] as const)
    requireOption(`ledger.${member}`, ledger[member], 'a function');
  const sticky = new StickyScripts(ledger);

  /** Stores the final outcome of a PENDING transaction that is requested again. Returns the entry. */
  const overrideEntry = (entry: LedgerEntry): LedgerEntry => {
    ledger.override(entry.kbTransactionPaymentId, entry);
    return entry;
  };
  const operation =
    (member: SandboxOperation) =>
    async (request: SandboxRequest, context: GatewayContext): Promise<GatewayResult | null> => {
      const known = ledger.find(request.transactionId);
      if (known && known.status !== 'PENDING') return resultOf(known);
      const script =
        scriptOfProperties(request.properties) ?? sticky.take(`${member}Payment`, context.tenantId);
      const transactionType = member.toUpperCase() as Uppercase<SandboxOperation>;
      const entry = newEntry({ ...request, transactionType }, context, script);
      const kept = known ? overrideEntry(entry) : ledger.append(entry);
      if (script && script.sleepMs > 0) await sleep(script.sleepMs);
      return answer(kept, script?.action ?? null);
    };
  const gatewayNamed = (identity: PluginIdentity): SandboxGateway => ({
    ...identity,
    ...sandboxMethods(),
    capabilities: { completeLedger: true },
    ledger,
    authorize: operation('authorize'),
    capture: operation('capture'),
    purchase: operation('purchase'),
    refund: operation('refund'),
    credit: operation('credit'),
    void: operation('void'),
    getPaymentInfo: ({ paymentId }) => Promise.resolve(ledger.ofPayment(paymentId).map(resultOf)),
    buildFormDescriptor: ({ accountId: kbAccountId }) => Promise.resolve({ kbAccountId }),
    processNotification: () => Promise.resolve({}),
    configure: (configuration, tenantId) =>
      sticky.configure(configuration as SandboxConfiguration, tenantId ?? null),
    status: (tenantId) => sticky.status(tenantId ?? null),
  });
  if (name === FORMER.name) return gatewayNamed(FORMER);
  if (name !== DEFAULT_NAME) return gatewayNamed({ name });
  return { ...gatewayNamed({ name, version: VERSION }), formerly: gatewayNamed(FORMER) };
}

const NO_SCRIPT: SandboxScript = { action: null, sleepMs: 0 };

function newEntry(
  request: SandboxRequest & { readonly transactionType: TransactionType },
  context: GatewayContext,
  script: SandboxScript | null,
) {
  const { action, sleepMs: _, processedAmount, processedCurrency, ...told } = script ?? NO_SCRIPT;
  const amount = processedAmount ?? request.amount;
  const currency = processedCurrency ?? request.currency;
  return {
    accountId: request.accountId,
    tenantId: context.tenantId,
    kbPaymentId: request.paymentId,
    kbTransactionPaymentId: request.transactionId,
    transactionType: request.transactionType,
    status: statusOf(action),
    ...(amount && { amount }),
    ...(currency && { currency }),
    createdDate: context.now,
    effectiveDate: context.now,
    ...told,
    firstPaymentReferenceId: request.transactionId,
  };
}

function answer(entry: LedgerEntry, action: SandboxAction | null) {
  if (action === SandboxAction.RETURN_NIL) return null;
  const id = entry.kbTransactionPaymentId;
  if (action === SandboxAction.ACTION_THROW_EXCEPTION)
    throw new GatewayError(`sandbox error for transaction ${id}`);
  if (action === SandboxAction.ACTION_THROW_RUNTIME) throw new Error(`sandbox fault for transaction ${id}`);
  return resultOf(entry);
}

function resultOf({ accountId: _, tenantId: __, ...entry }: LedgerEntry) {
  return { ...entry, properties: [] };
}

interface StoredMethod {
  readonly accountId: Uuid;
  readonly details: PaymentMethodDetails;
  readonly isDefault: boolean;
}

export type MethodMembers =
  | 'addPaymentMethod'
  | 'deletePaymentMethod'
  | 'getPaymentMethodDetail'
  | 'setDefaultPaymentMethod'
  | 'getPaymentMethods'
  | 'resetPaymentMethods'
  | 'searchPaymentMethods';

const NO_DETAILS: PaymentMethodDetails = {
  externalPaymentMethodId: null,
  isDefaultPaymentMethod: false,
  properties: [],
};

/** The payment methods of the sandbox gateway by tenant. They are kept in memory (payments §2.4 rule 2). */
export function sandboxMethods(): Required<Pick<PaymentGateway, MethodMembers>> {
  const tenants = new Map<Uuid, Map<Uuid, StoredMethod>>();
  const knownAccounts = new Set<Uuid>();
  const findOrAddMethods = (tenantId: Uuid): Map<Uuid, StoredMethod> => {
    const known = tenants.get(tenantId) ?? new Map<Uuid, StoredMethod>();
    tenants.set(tenantId, known);
    return known;
  };
  return {
    async addPaymentMethod({ accountId, paymentMethodId, details, setDefault }, { tenantId }) {
      const methods = findOrAddMethods(tenantId);
      knownAccounts.add(accountId);
      methods.set(paymentMethodId, { accountId, details, isDefault: false });
      if (setDefault) chooseDefault(methods, accountId, paymentMethodId);
    },
    async deletePaymentMethod({ paymentMethodId }, { tenantId }) {
      findOrAddMethods(tenantId).delete(paymentMethodId);
    },
    async getPaymentMethodDetail({ paymentMethodId }, { tenantId }) {
      const kept = findOrAddMethods(tenantId).get(paymentMethodId);
      return kept ? { ...kept.details, isDefaultPaymentMethod: kept.isDefault } : NO_DETAILS;
    },
    async setDefaultPaymentMethod({ accountId, paymentMethodId }, { tenantId }) {
      chooseDefault(findOrAddMethods(tenantId), accountId, paymentMethodId);
    },
    /**
     * Returns the payment methods of the account. Returns null for an unknown account, because its methods may have
     * been added before a restart.
     */
    async getPaymentMethods({ accountId }, { tenantId }) {
      if (!knownAccounts.has(accountId)) return null;
      return ofAccount(findOrAddMethods(tenantId), accountId).map(([id, kept]) => describeMethod(id, kept));
    },
    async resetPaymentMethods({ accountId, paymentMethods }, { tenantId }) {
      const methods = findOrAddMethods(tenantId);
      const before = new Map(ofAccount(methods, accountId));
      knownAccounts.add(accountId);
      for (const id of before.keys()) methods.delete(id);
      for (const { paymentMethodId, externalPaymentMethodId = null, isDefault = false } of paymentMethods) {
        if (paymentMethodId === undefined) continue;
        const details = before.get(paymentMethodId)?.details ?? { ...NO_DETAILS, externalPaymentMethodId };
        methods.set(paymentMethodId, { accountId, details, isDefault });
      }
    },
    async searchPaymentMethods({ searchKey, offset, limit }, { tenantId }) {
      const hits = [...findOrAddMethods(tenantId)].filter(([id, kept]) => isFound(searchKey, id, kept));
      const rows = hits.slice(offset, offset + limit).map(([id, kept]) => describeMethod(id, kept));
      return { rows, total: hits.length };
    },
  };
}

function ofAccount(methods: ReadonlyMap<Uuid, StoredMethod>, accountId: Uuid) {
  return [...methods].filter(([, kept]) => kept.accountId === accountId);
}

function chooseDefault(methods: Map<Uuid, StoredMethod>, accountId: Uuid, chosen: Uuid) {
  for (const [id, kept] of ofAccount(methods, accountId)) {
    if (kept.isDefault !== (id === chosen)) methods.set(id, { ...kept, isDefault: id === chosen });
  }
}

function describeMethod(paymentMethodId: Uuid, { details, isDefault }: StoredMethod) {
  return { paymentMethodId, externalPaymentMethodId: details.externalPaymentMethodId, isDefault };
}

/** Returns true if the search key equals the id or occurs in the value of a property. */
function isFound(searchKey: string, id: Uuid, { accountId, details }: StoredMethod) {
  const key = searchKey.toLowerCase();
  if ([id, accountId, details.externalPaymentMethodId?.toLowerCase()].includes(key)) return true;
  return details.properties.some(({ value }) => (value ?? '').toLowerCase().includes(key));
}
