import { setTimeout } from 'node:timers/promises';
import {
  type GatewayContext,
  GatewayError,
  type GatewayRequest,
  type GatewayResult,
  type GatewayTransaction,
  type PaymentGateway,
  PluginStatus,
} from '../../lib/ports/index.ts';
import { TransactionType } from '../../lib/records/index.ts';
import { type LedgerEntry, memoryLedger, type SandboxLedger } from './sandbox-ledger.ts';
import { type MethodMembers, sandboxMethods } from './sandbox-methods.ts';
import {
  amountOf,
  SandboxAction,
  type SandboxConfiguration,
  type SandboxScript,
  scriptOfConfiguration,
  scriptOfProperties,
  statusOf,
} from './sandbox-script.ts';

export interface SandboxGatewayOptions {
  /** Default `killbill-payment-test`. */
  readonly name?: string;
  /** Default: one in memory. */
  readonly ledger?: SandboxLedger;
  /** How a scripted delay waits; default: real time. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

type Offered = 'authorize' | 'capture' | 'refund' | 'credit' | 'void' | MethodMembers;

/** The sandbox, with the controls that tests and demos have on it. */
export interface SandboxGateway
  extends Omit<PaymentGateway, Offered>,
    Required<Pick<PaymentGateway, Offered>> {
  readonly ledger: SandboxLedger;
  /** Sets how calls go from now on, until `ACTION_CLEAR` (`POST /plugins/killbill-payment-test/configure`). */
  configure(configuration: SandboxConfiguration): void;
  /** The sticky actions and delays by method name, `*` = every method. */
  status(): {
    readonly states: Readonly<Record<string, string>>;
    readonly sleeps: Readonly<Record<string, number>>;
  };
}

/** What is asked; VOID has no amount. */
type Asked = GatewayTransaction & Partial<Pick<GatewayRequest, 'amount' | 'currency'>>;

interface StickyScript {
  readonly script: SandboxScript;
  readonly actionName: string;
  timesLeft: number;
}

const EVERY_METHOD = '*';
const DEFAULT_NAME = 'killbill-payment-test';

/**
 * A payment gateway for tests and demos (payments §2.4 rule 2). It processes every call, or does what the call's plugin
 * properties or a sticky configuration say. A call is in the ledger before anything else happens, so that a delay, a lost
 * answer or a crash afterwards does not undo it; the same transaction id again has no second effect and gets the recorded
 * result.
 */
export function sandboxGateway(options: SandboxGatewayOptions = {}): SandboxGateway {
  const { name = DEFAULT_NAME, ledger = memoryLedger(), sleep = setTimeout } = options;
  const sticky = new Map<string, StickyScript>();

  /** What was PENDING is asked for again: now it is decided. */
  const decided = (entry: LedgerEntry): LedgerEntry => {
    ledger.override(entry.kbTransactionPaymentId, entry);
    return entry;
  };
  const operation =
    (transactionType: TransactionType, method: string) =>
    async (request: Asked, context: GatewayContext): Promise<GatewayResult | null> => {
      const known = ledger.find(request.transactionId);
      if (known && known.status !== PluginStatus.PENDING) return resultOf(known);
      const script = scriptOfProperties(request.properties) ?? takeSticky(sticky, method);
      const entry = newEntry({ ...request, transactionType }, context, script);
      const kept = known ? decided(entry) : ledger.append(entry);
      if (script && script.sleepMs > 0) await sleep(script.sleepMs);
      return answer(kept, script?.action ?? null);
    };
  return {
    name,
    capabilities: { completeLedger: true },
    ledger,
    authorize: operation(TransactionType.AUTHORIZE, 'authorizePayment'),
    capture: operation(TransactionType.CAPTURE, 'capturePayment'),
    purchase: operation(TransactionType.PURCHASE, 'purchasePayment'),
    refund: operation(TransactionType.REFUND, 'refundPayment'),
    credit: operation(TransactionType.CREDIT, 'creditPayment'),
    void: operation(TransactionType.VOID, 'voidPayment'),
    getPaymentInfo: ({ paymentId }) => Promise.resolve(ledger.ofPayment(paymentId).map(resultOf)),
    ...sandboxMethods(),
    configure: (configuration) => configure(configuration, sticky, ledger),
    status: () => statusReport(sticky),
  };
}

function newEntry(
  request: Asked & { readonly transactionType: TransactionType },
  context: GatewayContext,
  script: SandboxScript | null,
): LedgerEntry {
  const { gatewayErrorCode, gatewayError } = script ?? {};
  const amount = script?.processedAmount ?? request.amount;
  const currency = script?.processedCurrency ?? request.currency;
  return {
    accountId: request.accountId,
    kbPaymentId: request.paymentId,
    kbTransactionPaymentId: request.transactionId,
    transactionType: request.transactionType,
    status: statusOf(script?.action ?? null),
    ...(amount && { amount }),
    ...(currency && { currency }),
    createdDate: context.now,
    effectiveDate: context.now,
    ...(gatewayErrorCode !== undefined && { gatewayErrorCode }),
    ...(gatewayError !== undefined && { gatewayError }),
    firstPaymentReferenceId: request.transactionId,
  };
}

function answer(entry: LedgerEntry, action: SandboxAction | null): GatewayResult | null {
  if (action === SandboxAction.RETURN_NIL) return null;
  const id = entry.kbTransactionPaymentId;
  if (action === SandboxAction.ACTION_THROW_EXCEPTION)
    throw new GatewayError(`sandbox error for transaction ${id}`);
  if (action === SandboxAction.ACTION_THROW_RUNTIME) throw new Error(`sandbox fault for transaction ${id}`);
  return resultOf(entry);
}

function resultOf({ accountId: _, ...entry }: LedgerEntry): GatewayResult {
  return { ...entry, properties: [] };
}

/** The script for the method, or for all methods; one with a count is used up. */
function takeSticky(sticky: Map<string, StickyScript>, method: string): SandboxScript | null {
  const key = sticky.has(method) ? method : EVERY_METHOD;
  const found = sticky.get(key);
  if (!found) return null;
  found.timesLeft -= 1;
  if (found.timesLeft <= 0) sticky.delete(key);
  return found.script;
}

function configure(
  configuration: SandboxConfiguration,
  sticky: Map<string, StickyScript>,
  ledger: SandboxLedger,
): void {
  const { CONFIGURE_ACTION: actionName, METHODS, TIMES } = configuration;
  if (actionName === 'OVERRIDE_STATUS') {
    overrideStatus(configuration, ledger);
    return;
  }
  const methods = METHODS?.split(',').map((method) => method.trim()) ?? [EVERY_METHOD];
  if (actionName === 'ACTION_CLEAR') {
    if (METHODS === undefined) sticky.clear();
    for (const method of methods) sticky.delete(method);
    return;
  }
  if (actionName !== 'ACTION_SLEEP' && !Object.hasOwn(SandboxAction, actionName)) {
    throw new Error(`the sandbox gateway knows no action "${String(actionName)}"`);
  }
  const script = scriptOfConfiguration(configuration);
  const timesLeft = TIMES === undefined ? Number.POSITIVE_INFINITY : Number(TIMES);
  for (const method of methods) sticky.set(method, { script, actionName, timesLeft });
}

function overrideStatus(
  { transactionId, status, amount }: SandboxConfiguration,
  ledger: SandboxLedger,
): void {
  if (transactionId === undefined || status === undefined || !Object.hasOwn(PluginStatus, status)) {
    throw new Error('OVERRIDE_STATUS needs transactionId and a plugin status');
  }
  const changed = amountOf(amount);
  const override = changed === undefined ? { status } : { status, amount: changed };
  if (ledger.override(transactionId, override)) return;
  throw new Error(`the sandbox gateway has no transaction ${transactionId}`);
}

function statusReport(sticky: ReadonlyMap<string, StickyScript>) {
  const states: Record<string, string> = {};
  const sleeps: Record<string, number> = {};
  for (const [method, { actionName, script }] of sticky) {
    if (actionName !== 'ACTION_SLEEP') states[method] = actionName;
    if (script.sleepMs > 0) sleeps[method] = script.sleepMs / 1_000;
  }
  return { states, sleeps };
}
