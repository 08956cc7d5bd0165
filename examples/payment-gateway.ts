// A payment gateway in the host application that implements every operation of the engine. It keeps books of its own
// instead of calling a processor, so that it runs without one:
//   node examples/payment-gateway.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { sqlite } from '../adapters/mikro-orm/sqlite.ts';
import {
  Billing,
  type Decimal,
  formatDecimal,
  type GatewayContext,
  type GatewayPaymentMethod,
  type GatewayRequest,
  type GatewayResult,
  type GatewayTransaction,
  type PaymentGateway,
  type PluginProperty,
  PluginStatus,
  parseUuid,
  type Uuid,
} from '../adapters/node/billwright.ts';
import { fakeClock } from '../adapters/testing/index.ts';

/** The request of an operation; VOID has no amount. */
type AnyRequest = GatewayTransaction & Partial<Pick<GatewayRequest, 'amount' | 'currency'>>;
type Asked = AnyRequest & { readonly transactionType: string };

/** A line of the books: one transaction with the id that the engine assigned. */
type Entry = GatewayResult & { readonly accountId: Uuid };

type Method = GatewayPaymentMethod & {
  readonly paymentMethodId: Uuid;
  readonly accountId: Uuid;
  readonly properties: readonly PluginProperty[];
};

export interface LedgerGatewayOptions {
  /** The key that the processor signs its notifications with. */
  readonly signingKey: string;
}

const SIGNATURE = 'x-ledger-signature';
/** The processor declines larger amounts. */
const CARD_LIMIT = 10_000;

/** The gateway, with access to its books. */
export interface LedgerGateway extends PaymentGateway {
  /** Disconnects the processor from the network, or reconnects it. */
  setReachable(isReachable: boolean): void;
  /** Returns how often a transaction moved money: once or never. */
  effectsOf(transactionId: Uuid): number;
  /** Returns a notification of the processor that a pending transaction has ended. */
  notificationOf(transactionId: Uuid): {
    readonly rawBody: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export function ledgerGateway({ signingKey }: LedgerGatewayOptions): LedgerGateway {
  const books = new Map<string, Entry>();
  const effects: string[] = [];
  const methods = new Map<Uuid, Method>();
  let isReachable = true;

  /** Decides the outcome of a transaction that the books do not contain yet. */
  const decide = (asked: Asked): Partial<Entry> => {
    if (asked.properties.some(({ key, value }) => key === 'mode' && value === 'bank-transfer'))
      return { status: PluginStatus.PENDING };
    if (Number(asked.amount ?? 0) > CARD_LIMIT)
      return { status: PluginStatus.ERROR, gatewayErrorCode: 'limit', gatewayError: 'Beyond the card limit' };
    if (asked.transactionType === 'REFUND' && Number(asked.amount) > takenOf(asked.paymentId))
      return { status: PluginStatus.ERROR, gatewayErrorCode: 'refund', gatewayError: 'More than was taken' };
    return { status: PluginStatus.PROCESSED };
  };
  const keep = (entry: Entry): GatewayResult => {
    books.set(entry.kbTransactionPaymentId, entry);
    if (entry.status === PluginStatus.PROCESSED) effects.push(entry.kbTransactionPaymentId);
    return resultOf(entry);
  };
  const takenOf = (paymentId: Uuid): number =>
    [...books.values()]
      .filter((entry) => entry.kbPaymentId === paymentId && entry.status === PluginStatus.PROCESSED)
      .reduce(
        (taken, { transactionType, amount }) => taken + (signOf[transactionType] ?? 0) * Number(amount ?? 0),
        0,
      );

  /** Returns an operation that has one effect per transaction: it returns the recorded result of a known one. */
  const operation =
    (transactionType: string) =>
    async (request: AnyRequest, { now }: GatewayContext): Promise<GatewayResult> => {
      const known = books.get(request.transactionId);
      if (known !== undefined) return resultOf(known);
      const asked = { ...request, transactionType };
      const entry = newEntry(asked, now);
      // Nothing has happened for certain, so the engine may retry.
      if (!isReachable) return { ...resultOf(entry), status: PluginStatus.CANCELED };
      return keep({ ...entry, ...decide(asked) });
    };

  /** Completes a pending transaction, as the bank decides. */
  const settle = (transactionId: Uuid): Entry | undefined => {
    const known = books.get(transactionId);
    if (known?.status === PluginStatus.PENDING) keep({ ...known, status: PluginStatus.PROCESSED });
    return books.get(transactionId);
  };
  const signatureOf = (body: Uint8Array | string): string =>
    createHmac('sha256', signingKey).update(body).digest('hex');

  return {
    name: 'ledger-gateway',
    // All requests that arrived are in the books, so a missing transaction never arrived.
    capabilities: { holdsPaymentMethods: true, completeLedger: true },
    authorize: operation('AUTHORIZE'),
    capture: operation('CAPTURE'),
    purchase: operation('PURCHASE'),
    refund: operation('REFUND'),
    credit: operation('CREDIT'),
    void: operation('VOID'),
    getPaymentInfo: async ({ paymentId }) =>
      [...books.values()].filter((entry) => entry.kbPaymentId === paymentId).map(resultOf),
    searchPayments: async ({ searchKey, offset, limit }) => {
      const found = [...books.values()].filter((entry) =>
        [entry.firstPaymentReferenceId, entry.kbPaymentId].includes(searchKey),
      );
      return { rows: found.slice(offset, offset + limit).map(resultOf), total: found.length };
    },

    addPaymentMethod: async ({ accountId, paymentMethodId, details, setDefault }) => {
      const { externalPaymentMethodId, properties } = details;
      const method = {
        accountId,
        paymentMethodId,
        externalPaymentMethodId,
        properties,
        isDefault: setDefault,
      };
      methods.set(paymentMethodId, method);
    },
    deletePaymentMethod: async ({ paymentMethodId }) => {
      methods.delete(paymentMethodId);
    },
    getPaymentMethodDetail: async ({ paymentMethodId }) => {
      const {
        externalPaymentMethodId = null,
        isDefault = false,
        properties = [],
      } = methods.get(paymentMethodId) ?? {};
      return { externalPaymentMethodId, isDefaultPaymentMethod: isDefault, properties };
    },
    setDefaultPaymentMethod: async ({ accountId, paymentMethodId }) => {
      for (const [id, method] of methods)
        if (method.accountId === accountId) methods.set(id, { ...method, isDefault: id === paymentMethodId });
    },
    getPaymentMethods: async ({ accountId }) =>
      [...methods.values()].filter((method) => method.accountId === accountId),
    resetPaymentMethods: async ({ accountId, paymentMethods }) => {
      const kept = new Set(paymentMethods.map(({ paymentMethodId }) => paymentMethodId));
      for (const [id, method] of methods)
        if (method.accountId === accountId && !kept.has(id)) methods.delete(id);
    },
    searchPaymentMethods: async ({ searchKey, offset, limit }) => {
      const found = [...methods.values()].filter((method) =>
        [method.paymentMethodId, method.externalPaymentMethodId].includes(searchKey),
      );
      return { rows: found.slice(offset, offset + limit), total: found.length };
    },

    buildFormDescriptor: async ({ accountId, customFields }) => ({
      kbAccountId: accountId,
      formMethod: 'POST',
      formUrl: 'https://pay.example.com/checkout',
      formFields: {
        account: accountId,
        ...Object.fromEntries(customFields.map(({ key, value }) => [key, value])),
      },
    }),

    verifyNotification: async ({ rawBody, headers }) => {
      const given = headers[SIGNATURE];
      const right = Buffer.from(signatureOf(rawBody));
      const claimed = Buffer.from(typeof given === 'string' ? given : '');
      return claimed.length === right.length && timingSafeEqual(claimed, right);
    },
    processNotification: async ({ body }) => {
      const entry = settle(parseUuid(transactionIdOf(body)));
      if (entry === undefined) return { status: 404, entity: 'no such transaction' };
      return { kbPaymentId: entry.kbPaymentId, status: 200 };
    },

    setReachable: (is) => {
      isReachable = is;
    },
    effectsOf: (transactionId) => effects.filter((id) => id === transactionId).length,
    notificationOf: (transactionId) => {
      const rawBody = JSON.stringify({ transactionId, event: 'settled' });
      return { rawBody, headers: { [SIGNATURE]: signatureOf(rawBody) } };
    },
  };
}

/** The sign of each transaction type in the captured total of a payment. */
const signOf: Readonly<Record<string, number>> = {
  AUTHORIZE: 0,
  CAPTURE: 1,
  PURCHASE: 1,
  REFUND: -1,
  CREDIT: 0,
  VOID: 0,
  CHARGEBACK: 0,
};

function newEntry(asked: Asked, now: GatewayContext['now']): Entry {
  const { accountId, paymentId, transactionId, transactionType, amount, currency } = asked;
  return {
    accountId,
    kbPaymentId: paymentId,
    kbTransactionPaymentId: transactionId,
    transactionType,
    ...(amount && { amount }),
    ...(currency && { currency }),
    createdDate: now,
    effectiveDate: now,
    firstPaymentReferenceId: `ledger-${transactionId}`,
    properties: [],
  };
}

function resultOf({ accountId: _, ...result }: Entry): GatewayResult {
  return result;
}

function transactionIdOf(body: string): string {
  const { transactionId }: { readonly transactionId?: unknown } = JSON.parse(body);
  return String(transactionId);
}

/** Authorizes, captures and refunds by card, then waits for a bank transfer. Returns the outcomes. */
export async function payThroughLedger(): Promise<readonly string[]> {
  const gateway = ledgerGateway({ signingKey: 'from the processor' });
  const clock = fakeClock('2024-01-10T12:00:00Z');
  const billing = await Billing.open({ storage: sqlite(':memory:'), clock, gateways: [gateway] });
  try {
    const tenant = await billing.tenants.create(
      { userName: 'host' },
      { apiKey: 'shop', apiSecret: 'secret' },
    );
    const shop = billing.as({ tenant: tenant.id, user: 'host' });
    const { id: accountId } = await shop.createAccount({ name: 'Ada', currency: 'EUR' });
    await shop.addPaymentMethod({ accountId, pluginName: gateway.name, isDefault: true });
    const told: string[] = [];
    const tell = (name: string, status: string, amount: Decimal | null): void => {
      told.push(`${name}: ${status} ${amount === null ? '' : formatDecimal(amount)}`.trimEnd());
    };

    const { payment } = await shop.payments.authorize({ accountId, amount: '40' });
    const captured = await shop.payments.capture({ paymentId: payment.id, amount: '30' });
    tell('captured', captured.transaction.status, captured.payment.totals.capturedAmount);
    const refunded = await shop.payments.refund({ paymentId: payment.id, amount: '5' });
    tell('refunded', refunded.transaction.status, refunded.payment.totals.refundedAmount);
    const tooMuch = await shop.payments.purchase({ accountId, amount: '20000' });
    tell('beyond the limit', tooMuch.transaction.status, tooMuch.transaction.processedAmount);

    const properties = [{ key: 'mode', value: 'bank-transfer', isUpdatable: false }];
    const transfer = await shop.payments.purchase({ accountId, amount: '12', properties });
    tell('transfer', transfer.transaction.status, transfer.payment.totals.purchasedAmount);
    // Days later the processor notifies; the HTTP API hands it to verifyNotification and processNotification.
    const { rawBody } = gateway.notificationOf(transfer.transaction.id);
    const context = {
      tenantId: tenant.id,
      userName: 'ledger',
      userToken: tenant.id,
      now: new Date(clock.now()),
    };
    await gateway.processNotification?.({ body: rawBody, properties: [] }, context);
    const arrived = await shop.payments.complete({ paymentId: transfer.payment.id });
    tell('transfer', arrived.transaction.status, arrived.payment.totals.purchasedAmount);
    return told;
  } finally {
    await billing.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${(await payThroughLedger()).join('\n')}\n`);
}
