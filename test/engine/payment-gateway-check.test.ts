import { uuidGenerator } from '../../adapters/node/this-process.ts';
import type { PaymentGatewayCheckOptions } from '../../adapters/testing/index.ts';
import { checkPaymentGateway, sandboxGateway } from '../../adapters/testing/index.ts';
import type {
  GatewayContext,
  GatewayRequest,
  GatewayResult,
  GatewayTransaction,
  NotificationAnswer,
  PaymentGateway,
  Uuid,
} from '../../lib/index.ts';
import { decimal, PluginStatus } from '../../lib/index.ts';
import { externalPaymentGateway } from '../../lib/payments/index.ts';
import { anyDatabase, expect, migrated, storageOf } from '../support/index.ts';

type AnyRequest = GatewayTransaction & Partial<Pick<GatewayRequest, 'amount' | 'currency'>>;

/** A gateway that does its work, to break in one place at a time; each call has one effect, or as many as are broken. */
class Books {
  readonly #known = new Map<Uuid, GatewayResult>();
  readonly effects: Uuid[] = [];
  readonly charges: Uuid[] = [];

  gateway(changes: Changes = {}): PaymentGateway {
    const gateway: Changes = {
      name: 'books',
      authorize: this.operation('AUTHORIZE'),
      capture: this.operation('CAPTURE'),
      purchase: this.operation('PURCHASE'),
      refund: this.operation('REFUND'),
      getPaymentInfo: async ({ paymentId }) => this.ofPayment(paymentId),
      ...changes,
    };
    return gateway as PaymentGateway;
  }

  operation(transactionType: GatewayResult['transactionType'], change: Partial<GatewayResult> = {}) {
    return async (request: AnyRequest, { now }: GatewayContext): Promise<GatewayResult> => {
      const { paymentId, transactionId, amount, currency } = request;
      const known = this.#known.get(transactionId);
      if (known) return known;
      const result: GatewayResult = {
        kbPaymentId: paymentId,
        kbTransactionPaymentId: transactionId,
        transactionType,
        status: PluginStatus.PROCESSED,
        ...(amount && { amount }),
        ...(currency && { currency }),
        createdDate: now,
        effectiveDate: now,
        firstPaymentReferenceId: `ref-${transactionId}`,
        properties: [],
        ...change,
      };
      this.effects.push(transactionId);
      this.#known.set(transactionId, result);
      return result;
    };
  }

  ofPayment(paymentId: Uuid): readonly GatewayResult[] {
    return [...this.#known.values()].filter((each) => each.kbPaymentId === paymentId);
  }

  all(): readonly GatewayResult[] {
    return [...this.#known.values()];
  }

  /** Has the processor decide what is pending. */
  readonly settle = (transactionId: Uuid): void => {
    const known = this.#known.get(transactionId);
    if (known) this.#known.set(transactionId, { ...known, status: PluginStatus.PROCESSED });
  };

  readonly effectsOf = (transactionId: Uuid): number =>
    this.effects.filter((id) => id === transactionId).length;
}

type Options = Partial<PaymentGatewayCheckOptions>;

type Changes = { readonly [Member in keyof PaymentGateway]?: PaymentGateway[Member] | undefined };

/** Changes that break a gateway, and the finding of the check. */
interface Broken {
  changes(books: Books): Changes;
  options?(books: Books): Options;
  readonly finding: RegExp;
}

const answering = (books: Books, change: object): Changes => ({
  purchase: books.operation('PURCHASE', change),
});

let references = 0;

const DISPUTE = { reference: 'dp_1', amount: decimal(1), currency: 'USD', stands: true } as const;

const broken: Readonly<Record<string, Broken>> = {
  'has two effects for the same transaction id, with references that differ': {
    changes: (books) => ({
      purchase: async (request, context) => {
        references += 1;
        const result = await books.operation('PURCHASE')(request, context);
        return { ...result, firstPaymentReferenceId: `charge-${references}` };
      },
    }),
    finding: /^purchase has two effects for a repeated transaction id: the references are/,
  },
  'has two effects that only its own books show': {
    changes: (books) => ({
      capture: async (request, context) => {
        books.effects.push(request.transactionId);
        return books.operation('CAPTURE')(request, context);
      },
    }),
    options: (books) => ({ effectsOf: books.effectsOf }),
    finding: /^capture has \d effects for a repeated transaction id$/,
  },
  'has two effects for two simultaneous calls of one transaction': {
    changes: (books) => ({
      purchase: async (request, context) => {
        const isKnown = books.ofPayment(request.paymentId).length > 0;
        await new Promise((resolve) => setImmediate(resolve));
        const result = await books.operation('PURCHASE')(request, context);
        // It looked, and charges: whoever looked at the same time charges too.
        if (!isKnown) books.charges.push(request.transactionId);
        return result;
      },
    }),
    options: ({ charges }) => ({ effectsOf: (id) => charges.filter((each) => each === id).length || 1 }),
    finding: /^purchase has 2 effects for two concurrent calls with the same transaction id$/,
  },
  'forgets its answers': {
    changes: () => ({ getPaymentInfo: async () => [] }),
    finding: /^getPaymentInfo does not return a transaction for which purchase returned "PROCESSED"/,
  },
  'reports an outcome later that differs from its answer': {
    changes: (books) => ({
      getPaymentInfo: async ({ paymentId }) =>
        books.ofPayment(paymentId).map((each) => ({ ...each, status: PluginStatus.PENDING })),
    }),
    finding: /^getPaymentInfo returns "PENDING" for a transaction for which purchase returned "PROCESSED"$/,
  },
  'cannot report outcomes to recovery': {
    changes: () => ({ getPaymentInfo: async () => [] }),
    finding: /^After the response to purchase is lost, recovery ends in UNKNOWN/,
  },
  'lists all payments when asked for one': {
    changes: (books) => {
      const all: GatewayResult[] = [];
      return {
        getPaymentInfo: async ({ paymentId }) => {
          for (const each of books.ofPayment(paymentId)) if (!all.includes(each)) all.push(each);
          return all;
        },
      };
    },
    finding: /^getPaymentInfo returns transactions of a different payment/,
  },
  'throws for an unknown payment': {
    changes: (books) => ({
      getPaymentInfo: async ({ paymentId }) => {
        const known = books.ofPayment(paymentId);
        if (known.length === 0) throw new Error('no such payment');
        return known;
      },
    }),
    finding: /^getPaymentInfo throws "no such payment"$/,
  },
  'answers for another transaction': {
    changes: (books) => answering(books, { kbTransactionPaymentId: '11111111-1111-4111-8111-111111111111' }),
    finding: /^purchase returns a result for transaction "11111111-.*" instead of/,
  },
  'answers for another payment': {
    changes: (books) => answering(books, { kbPaymentId: '11111111-1111-4111-8111-111111111111' }),
    finding: /^purchase returns a result for payment "11111111-.*" instead of/,
  },
  'answers with another type': {
    changes: (books) => answering(books, { transactionType: 'CREDIT' }),
    finding: /^purchase returns the type "CREDIT" instead of PURCHASE$/,
  },
  'returns an unreadable amount': {
    changes: (books) => answering(books, { amount: '10,00 USD' }),
    finding: /^purchase returns the invalid amount "10,00 USD"$/,
  },
  'returns a negative amount': {
    changes: (books) => answering(books, { amount: -10 }),
    finding: /^purchase returns the invalid amount -10$/,
  },
  'returns an unknown currency': {
    changes: (books) => answering(books, { currency: 'dollars' }),
    finding: /^purchase returns the unknown currency "dollars"$/,
  },
  'charges more than requested': {
    changes: (books) => answering(books, { amount: 12 }),
    finding: /^purchase processes 12 instead of the requested 10$/,
  },
  'charges ten times the amount without a currency': {
    changes: (books) => answering(books, { amount: 100, currency: undefined }),
    finding: /^purchase processes 100 instead of the requested 10$/,
  },
  'later reports ten times the amount': {
    changes: (books) => ({
      purchase: async (request, context) => {
        const { amount: _, ...result } = await books.operation('PURCHASE')(request, context);
        return result;
      },
      getPaymentInfo: async ({ paymentId }) =>
        books.ofPayment(paymentId).map(({ amount, ...each }) => ({
          ...each,
          ...(amount && { amount: amount.times(each.transactionType === 'PURCHASE' ? 10 : 1) }),
        })),
    }),
    finding: /^getPaymentInfo returns the amount 100, but purchase processed 10$/,
  },
  'modifies its arguments': {
    changes: (books) => ({
      purchase: (request, context) => {
        Object.assign(request.properties, { 0: { key: 'seen', value: 'true', isUpdatable: false } });
        return books.operation('PURCHASE')(request, context);
      },
    }),
    finding: /^purchase throws "Cannot add property 0, object is not extensible"/,
  },
  'charges at each call and never reports it': {
    changes: (books) => ({
      purchase: async (request, context) => {
        books.charges.push(request.transactionId);
        const { firstPaymentReferenceId: _, ...answer } = await books.operation('PURCHASE')(request, context);
        return answer;
      },
    }),
    finding: /^Duplicate effects of a transaction id cannot be detected/,
  },
  'claims a complete ledger but hides pending transactions': {
    changes: (books) =>
      hiding(books, { hidden: PluginStatus.PENDING, capabilities: { completeLedger: true } }),
    options: (books) => waiting(books),
    finding:
      /^getPaymentInfo does not return a purchase that is pending, although capabilities.completeLedger/,
  },
  'hides pending transactions from recovery': {
    changes: (books) => hiding(books, { hidden: PluginStatus.PENDING }),
    options: (books) => waiting(books),
    finding:
      /^getPaymentInfo does not return a purchase that is pending: recovery could not find out its outcome/,
  },
  'claims a complete ledger but hides declines': {
    changes: (books) =>
      hiding(books, {
        hidden: PluginStatus.ERROR,
        capabilities: { completeLedger: true },
        purchase: async (request, context) => {
          const isDeclined = request.properties.some(({ key }) => key === 'slow');
          return books.operation('PURCHASE', isDeclined ? { status: PluginStatus.ERROR } : {})(
            request,
            context,
          );
        },
      }),
    options: () => ({ outcomes: { declined: { properties: [SLOW] } } }),
    finding:
      /^getPaymentInfo does not return a purchase that was declined, although capabilities.completeLedger/,
  },
  'finds no payment': {
    changes: () => ({ searchPayments: async () => ({ rows: [], total: 0 }) }),
    finding:
      /^searchPayments does not find the gateway's own records by any of "[-0-9a-f]+", "[-0-9a-f]+", "ref-/,
  },
  'finds the wrong payments': {
    changes: (books) => ({
      searchPayments: async ({ limit }) => ({ rows: books.all().slice(0, Math.min(1, limit)), total: 1 }),
    }),
    options: () => ({ search: { payment: () => 'something' } }),
    finding: /^searchPayments does not find the gateway's own records by any of "something"/,
  },
  'returns no total when only the total is requested': {
    changes: (books) => ({
      searchPayments: async ({ searchKey, offset, limit }) => {
        const rows = books.ofPayment(searchKey as Uuid).slice(offset, offset + limit);
        return { rows, total: rows.length };
      },
    }),
    finding: /^searchPayments returns a total of 0 with limit 0, but 1 otherwise$/,
  },
  'finds no payment method': {
    changes: () => ({ searchPaymentMethods: async () => ({ rows: [], total: 0 }) }),
    finding: /^searchPaymentMethods does not find the gateway's own records by any of/,
  },
  'returns an unknown status': {
    changes: (books) => answering(books, { status: 'SUCCEEDED' }),
    finding: /^purchase returns the unknown status "SUCCEEDED"$/,
  },
  'returns no status': {
    changes: (books) => answering(books, { status: undefined }),
    finding: /^purchase returns no status/,
  },
  'returns invalid dates': {
    changes: (books) => answering(books, { createdDate: 1_706_659_200_000 }),
    finding: /^purchase returns the createdDate 1706659200000, which is neither a Date nor ISO text$/,
  },
  'returns no properties': {
    changes: (books) => answering(books, { properties: undefined }),
    finding: /^purchase returns no list of properties/,
  },
  'returns nothing': {
    changes: () => ({ refund: async () => null }),
    finding: /^refund returns nothing, which leaves the outcome unknown$/,
  },
  'declines a valid purchase': {
    changes: (books) => answering(books, { status: PluginStatus.ERROR, gatewayError: 'no token' }),
    finding: /^purchase returns "ERROR" \("no token"\) for a plain request/,
  },
  'fails in the engine': {
    changes: (books) => answering(books, { status: PluginStatus.ERROR, gatewayError: 'no token' }),
    finding: /^Called by the engine, purchase ends in PAYMENT_FAILURE: no token$/,
  },
  'throws when nothing happened': {
    changes: () => ({
      purchase: async () => {
        throw new Error('connection refused');
      },
    }),
    finding: /^purchase throws "connection refused", which leaves the outcome unknown: return CANCELED/,
  },
  'throws instead of returning CANCELED': {
    ...provoked('unreachable', () => {
      throw new Error('connection refused');
    }),
    finding: /^purchase throws "connection refused" instead of returning CANCELED/,
  },
  'reports an unavailable processor as a decline': {
    ...provoked('unreachable', (result) => ({ ...result, status: PluginStatus.ERROR })),
    finding: /^purchase returns "ERROR" when the processor cannot be reached: return CANCELED$/,
  },
  'throws when the processor declines': {
    ...provoked('declined', () => {
      throw new Error('card refused');
    }),
    finding: /^purchase throws "card refused" when the processor declines: return ERROR/,
  },
  'has an effect although it declines': {
    ...provoked('declined', (result) => ({ ...result, status: PluginStatus.ERROR })),
    finding: /^purchase has an effect although it was declined$/,
  },
  'leaves settled transactions pending': {
    changes: (books) => {
      const waiting = new Set<Uuid>();
      return {
        purchase: async (request, context) => {
          if (request.properties.some(({ key }) => key === 'slow')) waiting.add(request.transactionId);
          const change = waiting.has(request.transactionId) ? { status: PluginStatus.PENDING } : {};
          return books.operation('PURCHASE', change)(request, context);
        },
      };
    },
    options: () => ({ outcomes: { pending: { properties: [SLOW] } } }),
    finding: /^A pending purchase can never be completed/,
  },
  'is slower than the time limit': {
    changes: (books) => ({
      refund: async (request, context) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        return books.operation('REFUND')(request, context);
      },
    }),
    options: () => ({ timeLimitMs: 100 }),
    finding: /^refund does not return within the time limit of 100 ms/,
  },
  'supports captures without authorizations': {
    changes: () => ({ authorize: undefined }),
    finding: /^The gateway has capture without authorize/,
  },
  'authorizes without supporting captures': {
    changes: () => ({ capture: undefined }),
    finding: /^The gateway has authorize without capture/,
  },
  'supports voids without authorizations': {
    changes: (books) => ({ authorize: undefined, capture: undefined, void: books.operation('VOID') }),
    finding: /^The gateway has void without authorize/,
  },
  'claims to hold no methods but lists them': {
    changes: () => ({ capabilities: { holdsPaymentMethods: false }, getPaymentMethods: async () => [] }),
    finding: /^capabilities.holdsPaymentMethods is false, so the payment method lists/,
  },
  'claims to hold methods but lists none': {
    changes: () => ({ capabilities: { holdsPaymentMethods: true } }),
    finding: /^capabilities.holdsPaymentMethods is true, but getPaymentMethodDetail is missing/,
  },
  'claims no side effects but has a ledger': {
    changes: () => ({ capabilities: { sideEffectFree: true, completeLedger: true } }),
    finding: /^capabilities cannot be both sideEffectFree and completeLedger/,
  },
  'verifies notifications that it cannot parse': {
    changes: () => ({ verifyNotification: async () => false }),
    finding: /^The gateway has verifyNotification without processNotification/,
  },
  'has no name': {
    changes: () => ({ name: ' ' }),
    finding: /^The gateway has no name$/,
  },
  'accepts notifications without a signature': {
    ...notified(async () => true),
    finding: /^verifyNotification takes a notification without any signature$/,
  },
  'accepts an invalid signature': {
    ...notified(async ({ headers }) => headers.signature !== undefined),
    finding: /^verifyNotification takes a wrong signature$/,
  },
  'accepts the signature of another body': {
    ...notified(async ({ headers }) => headers.signature === 'right'),
    finding: /^verifyNotification takes a wrong signature: the body was changed$/,
  },
  'rejects genuine notifications': {
    ...notified(async () => false),
    finding: /^verifyNotification rejects a genuine notification \(it gives false\)$/,
  },
  'reports an unknown status in a notification': {
    ...notified(async () => true, { status: 42 }),
    finding: /^processNotification returns the status 42, which is not between 200 and 599$/,
  },
  'reports a dispute without a payment': {
    ...notified(async () => true, { dispute: DISPUTE }),
    finding: /^processNotification reports a dispute without its payment$/,
  },
  'reports a dispute with an amount of 0': {
    ...notified(async () => true, {
      kbPaymentId: uuidGenerator().next(),
      dispute: { ...DISPUTE, amount: decimal(0) },
    }),
    finding: /^processNotification returns the invalid dispute .*$/,
  },
  'returns a form for another account': {
    changes: () => ({
      buildFormDescriptor: async (_request, { userToken }) => ({
        kbAccountId: userToken,
        formUrl: 'pay here',
      }),
    }),
    finding: /^buildFormDescriptor returns the form of account/,
  },
  'rejects every payment method': {
    changes: () => ({
      addPaymentMethod: async () => {
        throw new Error('no vault');
      },
    }),
    finding: /^addPaymentMethod throws "no vault"$/,
  },
  'does not list the method that was added': {
    changes: () => ({ getPaymentMethods: async () => [] }),
    finding: /^getPaymentMethods does not list a payment method that was added/,
  },
  'still lists the method that was deleted': {
    changes: () => {
      const added: Uuid[] = [];
      return {
        addPaymentMethod: async ({ paymentMethodId }) => void added.push(paymentMethodId),
        getPaymentMethods: async () => added.map((paymentMethodId) => ({ paymentMethodId })),
        deletePaymentMethod: async () => undefined,
      };
    },
    finding: /^getPaymentMethods still lists a deleted payment method/,
  },
  'returns no details of a method': {
    changes: () => ({
      getPaymentMethodDetail: async () => {
        throw new Error('gone');
      },
    }),
    finding: /^getPaymentMethodDetail throws "gone" for a payment method that was added$/,
  },
  'returns a wrong total of its results': {
    changes: () => ({
      searchPayments: async ({ limit }) => ({ rows: Array.from({ length: limit + 1 }), total: 1 }) as never,
    }),
    finding: /^searchPayments returns 11 rows, more than the limit of 10$/,
  },
};

const SLOW = { key: 'slow', value: 'true', isUpdatable: false };

anyDatabase('checkPaymentGateway', (open) => {
  /** Over a copy of a prepared database, which is there sooner than one in memory is made. */
  const check = (gateway: PaymentGateway, options: Options = {}) =>
    checkPaymentGateway(gateway, { storage: async () => storageOf(await open(migrated)), ...options });
  const findings = async (gateway: PaymentGateway, options?: Options) =>
    (await check(gateway, options)).findings;

  it('accepts a correct gateway, and calls every operation that it offers', async () => {
    const books = new Books();
    const report = await check(books.gateway(), { effectsOf: books.effectsOf });
    expect(report.findings).to.eql([]);
    expect(report.called).to.have.members(['authorize', 'capture', 'purchase', 'refund', 'getPaymentInfo']);
  });

  it('notes a refund above the charged amount', async () => {
    const { notes } = await check(new Books().gateway());
    expect(notes).to.have.length(1);
    expect(notes[0]).to.match(/^refund accepts more than the paid amount/);
  });

  it('notes that the complete ledger was not checked while a purchase is pending', async () => {
    const books = new Books();
    const gateway = books.gateway({ capabilities: { completeLedger: true } });
    const aboutLedger = async (options: Options) =>
      (await check(gateway, options)).notes.filter((note) => /^completeLedger was not tested/.test(note));
    expect(await aboutLedger({})).to.have.length(1);
    expect(await aboutLedger(waiting(books))).to.eql([]);
  });

  it('accepts a gateway that supports only purchases', async () => {
    const { name, purchase, getPaymentInfo } = new Books().gateway();
    expect(await findings({ name, purchase, getPaymentInfo })).to.eql([]);
  });

  it('accepts the sandbox and the built-in external gateway', async () => {
    expect(await findings(sandboxGateway())).to.eql([]);
    const { name: _, ...external } = externalPaymentGateway();
    expect(await findings({ name: 'by-cheque', ...external })).to.eql([]);
  });

  it('calls the methods of a class instance on the instance', async () => {
    class OwnGateway implements PaymentGateway {
      readonly name = 'own';
      readonly #books = new Books();
      purchase(...call: Parameters<PaymentGateway['purchase']>) {
        return this.#books.operation('PURCHASE')(...call);
      }
      async getPaymentInfo({ paymentId }: Parameters<PaymentGateway['getPaymentInfo']>[0]) {
        return this.#books.ofPayment(paymentId);
      }
    }
    expect(await findings(new OwnGateway())).to.eql([]);
  });

  for (const [defect, { changes, options, finding }] of Object.entries(broken))
    it(`reports a gateway that ${defect}`, async () => {
      const books = new Books();
      const found = await findings(books.gateway(changes(books)), options?.(books));
      expect(
        found.filter((each) => finding.test(each)),
        found.join('\n'),
      ).to.have.length(1);
    });
});

/** A gateway that does not tell of transactions with that status. */
function hiding(books: Books, { hidden, ...members }: Changes & { readonly hidden: PluginStatus }): Changes {
  return {
    purchase: async (request, context) => {
      const isSlow = request.properties.some(({ key }) => key === 'slow');
      return books.operation('PURCHASE', isSlow ? { status: PluginStatus.PENDING } : {})(request, context);
    },
    getPaymentInfo: async ({ paymentId }) =>
      books.ofPayment(paymentId).filter(({ status }) => status !== hidden),
    ...members,
  };
}

/** A purchase that takes its time, and the processor's decision. */
function waiting({ settle }: Books): Options {
  return { outcomes: { pending: { properties: [SLOW], settle } } };
}

/** A gateway that goes wrong where it is made to have an outcome. */
function provoked(
  outcome: 'declined' | 'unreachable',
  answer: (result: GatewayResult) => GatewayResult,
): Omit<Broken, 'finding'> {
  return {
    changes: (books) => ({
      purchase: async (request, context) => {
        const isProvoked = request.properties.some(({ key }) => key === 'provoked');
        const result = await books.operation('PURCHASE')(request, context);
        return isProvoked ? answer(result) : result;
      },
    }),
    options: (books) => ({
      effectsOf: books.effectsOf,
      outcomes: { [outcome]: { properties: [{ key: 'provoked', value: 'true', isUpdatable: false }] } },
    }),
  };
}

/** A gateway that verifies notifications in that way. */
function notified(
  verifyNotification: NonNullable<PaymentGateway['verifyNotification']>,
  answer: NotificationAnswer = {},
): Omit<Broken, 'finding'> {
  return {
    changes: () => ({ verifyNotification, processNotification: async () => answer }),
    options: () => ({ notification: { rawBody: '{"paid": true}', headers: { signature: 'right' } } }),
  };
}
