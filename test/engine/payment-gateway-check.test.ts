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

/** A working gateway that tests break in one place at a time. Each call has one effect, unless a test breaks that. */
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

  /** Lets the processor decide a pending transaction. */
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
type Broken = readonly [
  finding: RegExp,
  changes: Changes | ((books: Books) => Changes),
  options?: Options | ((books: Books) => Options),
];

const pays = (change: object) => (books: Books) => ({ purchase: books.operation('PURCHASE', change) });

let references = 0;

const DISPUTE = { reference: 'dp_1', amount: decimal(1), currency: 'USD', stands: true } as const;

const SLOW = { key: 'slow', value: 'true', isUpdatable: false };

const NOTIFIED: Options = { notification: { rawBody: '{"paid": true}', headers: { signature: 'right' } } };

const broken: Readonly<Record<string, Broken>> = {
  'has two effects for the same transaction id, with references that differ': [
    /^purchase has two effects for a repeated transaction id: the references are/,
    (books) => ({
      purchase: async (request, context) => {
        references += 1;
        const result = await books.operation('PURCHASE')(request, context);
        return { ...result, firstPaymentReferenceId: `charge-${references}` };
      },
    }),
  ],
  'has two effects that only its own books show': [
    /^capture has \d effects for a repeated transaction id$/,
    (books) => ({
      capture: async (request, context) => {
        books.effects.push(request.transactionId);
        return books.operation('CAPTURE')(request, context);
      },
    }),
    (books) => ({ effectsOf: books.effectsOf }),
  ],
  'has two effects for two simultaneous calls of one transaction': [
    /^purchase has 2 effects for two concurrent calls with the same transaction id$/,
    (books) => ({
      purchase: async (request, context) => {
        const isKnown = books.ofPayment(request.paymentId).length > 0;
        await new Promise((resolve) => setImmediate(resolve));
        const result = await books.operation('PURCHASE')(request, context);
        // It charges after its lookup, so concurrent callers that looked at the same time charge too.
        if (!isKnown) books.charges.push(request.transactionId);
        return result;
      },
    }),
    ({ charges }) => ({ effectsOf: (id) => charges.filter((each) => each === id).length || 1 }),
  ],
  'forgets its answers': [
    /^getPaymentInfo does not return a transaction for which purchase returned "PROCESSED"/,
    { getPaymentInfo: async () => [] },
  ],
  'reports an outcome later that differs from its answer': [
    /^getPaymentInfo returns "PENDING" for a transaction for which purchase returned "PROCESSED"$/,
    (books) => ({
      getPaymentInfo: async ({ paymentId }) =>
        books.ofPayment(paymentId).map((each) => ({ ...each, status: PluginStatus.PENDING })),
    }),
  ],
  'cannot report outcomes to recovery': [
    /^After the response to purchase is lost, recovery ends in UNKNOWN/,
    { getPaymentInfo: async () => [] },
  ],
  'lists all payments for a request about one': [
    /^getPaymentInfo returns transactions of a different payment/,
    (books) => {
      const all: GatewayResult[] = [];
      return {
        getPaymentInfo: async ({ paymentId }) => {
          for (const each of books.ofPayment(paymentId)) if (!all.includes(each)) all.push(each);
          return all;
        },
      };
    },
  ],
  'throws for an unknown payment': [
    /^getPaymentInfo throws "no such payment"$/,
    (books) => ({
      getPaymentInfo: async ({ paymentId }) => {
        const known = books.ofPayment(paymentId);
        if (known.length === 0) throw new Error('no such payment');
        return known;
      },
    }),
  ],
  'answers for another transaction': [
    /^purchase returns a result for transaction "11111111-.*" instead of/,
    pays({ kbTransactionPaymentId: '11111111-1111-4111-8111-111111111111' }),
  ],
  'answers for another payment': [
    /^purchase returns a result for payment "11111111-.*" instead of/,
    pays({ kbPaymentId: '11111111-1111-4111-8111-111111111111' }),
  ],
  'answers with another type': [
    /^purchase returns the type "CREDIT" instead of PURCHASE$/,
    pays({ transactionType: 'CREDIT' }),
  ],
  'returns an unreadable amount': [
    /^purchase returns the invalid amount "10,00 USD"$/,
    pays({ amount: '10,00 USD' }),
  ],
  'returns a negative amount': [/^purchase returns the invalid amount -10$/, pays({ amount: -10 })],
  'returns an unknown currency': [
    /^purchase returns the unknown currency "dollars"$/,
    pays({ currency: 'dollars' }),
  ],
  'charges too much': [/^purchase processes 12 instead of the requested 10$/, pays({ amount: 12 })],
  'charges ten times the amount without a currency': [
    /^purchase processes 100 instead of the requested 10$/,
    pays({ amount: 100, currency: undefined }),
  ],
  'later reports ten times the amount': [
    /^getPaymentInfo returns the amount 100, but purchase processed 10$/,
    (books) => ({
      purchase: async (request, context) => {
        const { amount: _, ...result } = await books.operation('PURCHASE')(request, context);
        return result;
      },
      getPaymentInfo: async ({ paymentId }) =>
        books.ofPayment(paymentId).map(({ amount, ...each }) => ({
          ...each,
          ...(amount && { amount: Number(amount) * (each.transactionType === 'PURCHASE' ? 10 : 1) }),
        })),
    }),
  ],
  'modifies its arguments': [
    /^purchase throws "Cannot add property 0, object is not extensible"/,
    (books) => ({
      purchase: (request, context) => {
        Object.assign(request.properties, { 0: { key: 'seen', value: 'true', isUpdatable: false } });
        return books.operation('PURCHASE')(request, context);
      },
    }),
  ],
  'charges at each call and never reports it': [
    /^Duplicate effects of a transaction id cannot be detected/,
    (books) => ({
      purchase: async (request, context) => {
        books.charges.push(request.transactionId);
        const { firstPaymentReferenceId: _, ...answer } = await books.operation('PURCHASE')(request, context);
        return answer;
      },
    }),
  ],
  'claims a complete ledger but hides pending transactions': [
    /^getPaymentInfo does not return a purchase that is pending, although capabilities.completeLedger/,
    (books) => hiding(books, { hidden: PluginStatus.PENDING, capabilities: { completeLedger: true } }),
    waiting,
  ],
  'hides pending transactions from recovery': [
    /^getPaymentInfo does not return a purchase that is pending: recovery could not find out its outcome/,
    (books) => hiding(books, { hidden: PluginStatus.PENDING }),
    waiting,
  ],
  'claims a complete ledger but hides declines': [
    /^getPaymentInfo does not return a purchase that was declined, although capabilities.completeLedger/,
    (books) =>
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
    { outcomes: { declined: { properties: [SLOW] } } },
  ],
  'finds no payment': [
    /^searchPayments does not find the gateway's own records by any of "[-0-9a-f]+", "[-0-9a-f]+", "ref-/,
    { searchPayments: async () => ({ rows: [], total: 0 }) },
  ],
  'finds the wrong payments': [
    /^searchPayments does not find the gateway's own records by any of "something"/,
    (books) => ({
      searchPayments: async ({ limit }) => ({ rows: books.all().slice(0, Math.min(1, limit)), total: 1 }),
    }),
    { search: { payment: () => 'something' } },
  ],
  'returns no total when only the total is requested': [
    /^searchPayments returns a total of 0 with limit 0, but 1 otherwise$/,
    (books) => ({
      searchPayments: async ({ searchKey, offset, limit }) => {
        const rows = books.ofPayment(searchKey as Uuid).slice(offset, offset + limit);
        return { rows, total: rows.length };
      },
    }),
  ],
  'finds no payment method': [
    /^searchPaymentMethods does not find the gateway's own records by any of/,
    { searchPaymentMethods: async () => ({ rows: [], total: 0 }) },
  ],
  'returns an unknown status': [
    /^purchase returns the unknown status "SUCCEEDED"$/,
    pays({ status: 'SUCCEEDED' }),
  ],
  'returns no status': [/^purchase returns no status/, pays({ status: undefined })],
  'returns invalid dates': [
    /^purchase returns the createdDate 1706659200000, which is neither a Date nor ISO text$/,
    pays({ createdDate: 1_706_659_200_000 }),
  ],
  'returns no properties': [/^purchase returns no list of properties/, pays({ properties: undefined })],
  'returns nothing': [
    /^refund returns nothing, which leaves the outcome unknown$/,
    { refund: async () => null },
  ],
  'declines a valid purchase': [
    /^purchase returns "ERROR" \("no token"\) for a plain request/,
    pays({ status: PluginStatus.ERROR, gatewayError: 'no token' }),
  ],
  'fails in the engine': [
    /^Called by the engine, purchase ends in PAYMENT_FAILURE: no token$/,
    pays({ status: PluginStatus.ERROR, gatewayError: 'no token' }),
  ],
  'throws when nothing happened': [
    /^purchase throws "connection refused", which leaves the outcome unknown: return CANCELED/,
    {
      purchase: async () => {
        throw new Error('connection refused');
      },
    },
  ],
  'throws instead of returning CANCELED': [
    /^purchase throws "connection refused" instead of returning CANCELED/,
    provoked(() => {
      throw new Error('connection refused');
    }),
    provoking('unreachable'),
  ],
  'reports an unavailable processor as a decline': [
    /^purchase returns "ERROR" when the processor cannot be reached: return CANCELED$/,
    provoked((result) => ({ ...result, status: PluginStatus.ERROR })),
    provoking('unreachable'),
  ],
  'throws when the processor declines': [
    /^purchase throws "card refused" when the processor declines: return ERROR/,
    provoked(() => {
      throw new Error('card refused');
    }),
    provoking('declined'),
  ],
  'has an effect although it declines': [
    /^purchase has an effect although it was declined$/,
    provoked((result) => ({ ...result, status: PluginStatus.ERROR })),
    provoking('declined'),
  ],
  'leaves settled transactions pending': [
    /^A pending purchase can never be completed/,
    (books) => {
      const waiting = new Set<Uuid>();
      return {
        purchase: async (request, context) => {
          if (request.properties.some(({ key }) => key === 'slow')) waiting.add(request.transactionId);
          const change = waiting.has(request.transactionId) ? { status: PluginStatus.PENDING } : {};
          return books.operation('PURCHASE', change)(request, context);
        },
      };
    },
    { outcomes: { pending: { properties: [SLOW] } } },
  ],
  'is slower than the time limit': [
    /^refund does not return within the time limit of 100 ms/,
    (books) => ({
      refund: async (request, context) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        return books.operation('REFUND')(request, context);
      },
    }),
    { timeLimitMs: 100 },
  ],
  'captures without authorizing': [/^The gateway has capture without authorize/, { authorize: undefined }],
  'authorizes without capturing': [/^The gateway has authorize without capture/, { capture: undefined }],
  'voids without authorizing': [
    /^The gateway has void without authorize/,
    (books) => ({ authorize: undefined, capture: undefined, void: books.operation('VOID') }),
  ],
  'claims to hold no methods but lists them': [
    /^capabilities.holdsPaymentMethods is false, so the payment method lists/,
    { capabilities: { holdsPaymentMethods: false }, getPaymentMethods: async () => [] },
  ],
  'claims to hold methods but lists none': [
    /^capabilities.holdsPaymentMethods is true, but getPaymentMethodDetail is missing/,
    { capabilities: { holdsPaymentMethods: true } },
  ],
  'claims no side effects but has a ledger': [
    /^capabilities cannot be both sideEffectFree and completeLedger/,
    { capabilities: { sideEffectFree: true, completeLedger: true } },
  ],
  'verifies notifications that it cannot parse': [
    /^The gateway has verifyNotification without processNotification/,
    { verifyNotification: async () => false },
  ],
  'has no name': [/^The gateway has no name$/, { name: ' ' }],
  'accepts notifications without a signature': [
    /^verifyNotification takes a notification without any signature$/,
    notified(async () => true),
    NOTIFIED,
  ],
  'accepts an invalid signature': [
    /^verifyNotification takes a wrong signature$/,
    notified(async ({ headers }) => headers.signature !== undefined),
    NOTIFIED,
  ],
  'accepts the signature of another body': [
    /^verifyNotification takes a wrong signature: the body was changed$/,
    notified(async ({ headers }) => headers.signature === 'right'),
    NOTIFIED,
  ],
  'rejects genuine notifications': [
    /^verifyNotification rejects a genuine notification \(it returns false\)$/,
    notified(async () => false),
    NOTIFIED,
  ],
  'reports an unknown status in a notification': [
    /^processNotification returns the status 42, which is not between 200 and 599$/,
    notified(async () => true, { status: 42 }),
    NOTIFIED,
  ],
  'reports a dispute without a payment': [
    /^processNotification reports a dispute without its payment$/,
    notified(async () => true, { dispute: DISPUTE }),
    NOTIFIED,
  ],
  'reports a dispute with an amount of 0': [
    /^processNotification returns the invalid dispute .*$/,
    notified(async () => true, {
      kbPaymentId: uuidGenerator().next(),
      dispute: { ...DISPUTE, amount: decimal(0) },
    }),
    NOTIFIED,
  ],
  'returns a form for another account': [
    /^buildFormDescriptor returns the form of account/,
    {
      buildFormDescriptor: async (_request, { userToken }) => ({
        kbAccountId: userToken,
        formUrl: 'pay here',
      }),
    },
  ],
  'rejects every payment method': [
    /^addPaymentMethod throws "no vault"$/,
    {
      addPaymentMethod: async () => {
        throw new Error('no vault');
      },
    },
  ],
  'does not list the method that was added': [
    /^getPaymentMethods does not list a payment method that was added/,
    { getPaymentMethods: async () => [] },
  ],
  'still lists the method that was deleted': [
    /^getPaymentMethods still lists a deleted payment method/,
    () => {
      const added: Uuid[] = [];
      return {
        addPaymentMethod: async ({ paymentMethodId }) => void added.push(paymentMethodId),
        getPaymentMethods: async () => added.map((paymentMethodId) => ({ paymentMethodId })),
        deletePaymentMethod: async () => undefined,
      };
    },
  ],
  'returns no details of a method': [
    /^getPaymentMethodDetail throws "gone" for a payment method that was added$/,
    {
      getPaymentMethodDetail: async () => {
        throw new Error('gone');
      },
    },
  ],
  'returns a wrong total of its results': [
    /^searchPayments returns 11 rows, more than the limit of 10$/,
    { searchPayments: async ({ limit }) => ({ rows: Array.from({ length: limit + 1 }), total: 1 }) as never },
  ],
};

anyDatabase.describe('checkPaymentGateway', (open) => {
  /** Runs the check on a copy of a migrated database, which is faster than a new one in memory. */
  const check = (gateway: PaymentGateway, options: Options = {}) =>
    checkPaymentGateway(gateway, { storage: async () => storageOf(await open(migrated)), ...options });
  const findings = async (gateway: PaymentGateway, options?: Options) =>
    (await check(gateway, options)).findings;

  it('accepts a correct gateway and calls all its operations', async () => {
    const books = new Books();
    const report = await check(books.gateway(), { effectsOf: books.effectsOf });
    expect(report.findings).to.eql([]);
    expect(report.called).to.have.members(['authorize', 'capture', 'purchase', 'refund', 'getPaymentInfo']);
  });

  it('reports a refund of more than the charged amount', async () => {
    const { notes } = await check(new Books().gateway());
    expect(notes).to.have.length(1);
    expect(notes[0]).to.match(/^refund accepts more than the paid amount/);
  });

  it('reports that the complete ledger was not checked because a purchase is pending', async () => {
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

  it('calls the methods of a gateway class with the correct `this`', async () => {
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

  for (const [defect, [finding, changes, options = {}]] of Object.entries(broken))
    it(`reports a gateway that ${defect}`, async () => {
      const books = new Books();
      const gateway = books.gateway(typeof changes === 'function' ? changes(books) : changes);
      const found = await findings(gateway, typeof options === 'function' ? options(books) : options);
      expect(
        found.filter((each) => finding.test(each)),
        found.join('\n'),
      ).to.have.length(1);
    });
});

/** Returns a gateway that does not report transactions with that status. */
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

/** Returns options for a slow purchase and the processor's decision. */
function waiting({ settle }: Books): Options {
  return { outcomes: { pending: { properties: [SLOW], settle } } };
}

/** Returns a gateway that fails only for provoked outcomes. */
function provoked(answer: (result: GatewayResult) => GatewayResult) {
  return (books: Books): Changes => ({
    purchase: async (request, context) => {
      const isProvoked = request.properties.some(({ key }) => key === 'provoked');
      const result = await books.operation('PURCHASE')(request, context);
      return isProvoked ? answer(result) : result;
    },
  });
}

function provoking(outcome: 'declined' | 'unreachable') {
  const properties = [{ key: 'provoked', value: 'true', isUpdatable: false }];
  return ({ effectsOf }: Books): Options => ({ effectsOf, outcomes: { [outcome]: { properties } } });
}

function notified(
  verifyNotification: NonNullable<PaymentGateway['verifyNotification']>,
  answer: NotificationAnswer = {},
): Changes {
  return { verifyNotification, processNotification: async () => answer };
}
