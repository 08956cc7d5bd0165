import type {
  Account,
  CallContext,
  Payment,
  PaymentAttempt,
  PaymentResult,
  PaymentTransaction,
  Uuid,
} from '../../lib/index.ts';
import { BillingError, decimal } from '../../lib/index.ts';
import type { PaymentConfig } from '../../lib/payments/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { DyingProcess } from '../faults/dying-process.ts';
import { killableGateway, killableStorage } from '../faults/killable.ts';
import { PaymentNode } from '../support/payments/payment-node.ts';
import type { PaymentStage } from '../support/payments/payment-stage.ts';
import type { Effect, ScriptedGateway } from '../support/payments/scripted-gateway.ts';
import { Behaviour, FurtherBehaviour } from '../support/payments/scripted-gateway.ts';

/** Transaction types that call the gateway. A chargeback is only recorded. */
export const operationTypes = ['AUTHORIZE', 'CAPTURE', 'PURCHASE', 'REFUND', 'CREDIT', 'VOID'] as const;
export type OperationType = (typeof operationTypes)[number] | 'CHARGEBACK';

export const Pattern = {
  RETRY: 'retried afterward',
  TWO_NODES: 'requested on two nodes at once',
  JANITOR: 'requested during recovery and repairing reads',
  OTHER_OPERATION: 'with another operation at the same time',
  ONE_KEY: 'requested twice at once with one key',
  TWO_KEYS: 'requested twice at once with two keys',
} as const;
export type Pattern = (typeof Pattern)[keyof typeof Pattern];

/** Holds a late answer of the gateway back. */
interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export interface Played {
  readonly effects: readonly Effect[];
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: readonly Payment[];
  readonly attempts: readonly PaymentAttempt[];
  /** Storage and gateway calls of the operation in a dying process. */
  readonly steps: number;
}

export interface Case {
  readonly type: OperationType;
  readonly pattern: Pattern;
  readonly behaviour?: Behaviour;
  /** The first process dies at this step. */
  readonly diesAt?: number;
}

const AMOUNT = decimal('6');
const WHOLE = decimal('10');
/** Beyond the lease and the following checks. */
const LATER = [
  { minutes: 2 },
  { minutes: 5 },
  { minutes: 10 },
  { hours: 1 },
  { hours: 1 },
  { days: 1 },
  { days: 1 },
];
const TIME_LIMIT_MS = 30_000;
const STILL_ANSWERED: readonly Behaviour[] = [FurtherBehaviour.SLOW_REQUEST];
const HANGING: readonly Behaviour[] = [
  Behaviour.NO_ANSWER,
  Behaviour.LATE_ANSWER,
  Behaviour.LATE_CHARGE,
  FurtherBehaviour.OVERTAKEN_ANSWER,
];
const FEW_LOOKS = { lockRetries: 4 };

/** Plays each case on one stage with a new account. */
export class OperationPlay {
  readonly #stage: PaymentStage;
  readonly #storage: Storage<never>;
  readonly #gateway: ScriptedGateway;
  /** All control plugins of the stage apply to every operation. */
  readonly #config: Partial<PaymentConfig>;
  readonly #nodes: readonly [PaymentNode, PaymentNode];
  #cases = 0;

  constructor(stage: PaymentStage, gateway: ScriptedGateway) {
    this.#config = { ...FEW_LOOKS, controlPlugins: [...stage.controls.keys()] };
    this.#stage = stage;
    this.#storage = stage.storage;
    this.#gateway = gateway;
    this.#nodes = [
      new PaymentNode(stage, { config: this.#config }),
      new PaymentNode(stage, { config: this.#config }),
    ];
    stage.timers.losePatience(1_000);
  }

  async play({ type, pattern, behaviour = Behaviour.PROMPT, diesAt }: Case): Promise<Played> {
    this.#cases += 1;
    const account = await this.#stage.account('scripted');
    const paymentKey = `payment-${this.#cases}`;
    await this.#prepare(type, account, paymentKey);
    const before = this.#gateway.effects.length;
    const process = new DyingProcess(diesAt ?? Number.POSITIVE_INFINITY);
    const first = this.#dying(process);
    const [second, third] = this.#nodes;
    const call = (node: PaymentNode, key: string, given: OperationType = type) =>
      tried(
        request(node, given, {
          account,
          paymentKey,
          key: `${paymentKey}-${key}`,
          context: this.#stage.context(),
        }),
      );

    const gate = newGate();
    const arrived = this.#gateway.expect(behaviour, () => gate.opened);
    const calls = [call(first, 'a')];
    if (behaviour !== Behaviour.PROMPT) await Promise.race([arrived, ...calls]);
    const meanwhile: Readonly<Record<Pattern, () => readonly Promise<unknown>[]>> = {
      [Pattern.RETRY]: () => [],
      [Pattern.TWO_NODES]: () => [call(second, 'a')],
      [Pattern.JANITOR]: () => [this.#recover(account), call(second, 'a')],
      [Pattern.OTHER_OPERATION]: () => [call(third, 'other', otherOperation[type])],
      [Pattern.ONE_KEY]: () => [call(first, 'a')],
      [Pattern.TWO_KEYS]: () => [call(second, 'b')],
    };
    await Promise.all(meanwhile[pattern]());
    if (STILL_ANSWERED.includes(behaviour)) gate.open();
    await this.#timeOut(Promise.all(calls), behaviour);
    if (behaviour !== FurtherBehaviour.OVERTAKEN_ANSWER) gate.open();
    if (pattern === Pattern.RETRY) await call(second, 'a');
    await this.#quiet(first);
    gate.open();
    await this.#quiet(first);
    // A client without an answer asks once more.
    await call(third, 'a');
    return {
      ...(await this.#stored(account)),
      effects: this.#gateway.effects.slice(before),
      steps: process.steps,
    };
  }

  async #prepare(type: OperationType, account: Account, paymentKey: string): Promise<void> {
    const needed = preparation[type];
    if (needed === null) return;
    const context = this.#stage.context();
    const key = `${paymentKey}-before`;
    await request(this.#nodes[0], needed, { account, paymentKey, key, context, amount: WHOLE });
  }

  #dying(process: DyingProcess): PaymentNode {
    const gateway = this.#stage.gateways.get('scripted');
    if (gateway === undefined) throw new Error('the stage has no scripted gateway');
    return new PaymentNode(this.#stage, {
      storage: killableStorage(this.#storage, process),
      gateway: killableGateway(gateway, process),
      config: this.#config,
    });
  }

  /** Runs recovery and a read with plugin info during the call. */
  async #recover(account: Account): Promise<void> {
    this.#stage.clock.advance({ seconds: 20 });
    await this.#stage.settle();
    await this.#stage.reads.ofAccount(this.#stage.context(), account.id, { withPluginInfo: true });
  }

  async #timeOut(calls: Promise<unknown>, behaviour: Behaviour): Promise<void> {
    if (!HANGING.includes(behaviour)) {
      await calls;
      return;
    }
    let isOver = false;
    void calls.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await this.#stage.timers.fire(TIME_LIMIT_MS, 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #quiet(first: PaymentNode): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await first.idle();
    for (const step of LATER) {
      this.#stage.clock.advance(step);
      await this.#stage.settle();
    }
  }

  async #stored(account: Account) {
    return this.#storage.read(this.#stage.tenant, async (session) => {
      const payments = await session.payments.findByAccounts([account.id]);
      return {
        payments,
        transactions: await session.payments.findTransactions(payments.map(({ id }) => id)),
        attempts: await session.payments.findAttemptsByPaymentKeys(
          payments.map(({ externalKey }) => externalKey),
        ),
      };
    });
  }
}

/** The operation required before each type. */
const preparation: Readonly<Record<OperationType, OperationType | null>> = {
  AUTHORIZE: null,
  PURCHASE: null,
  CREDIT: null,
  CAPTURE: 'AUTHORIZE',
  VOID: 'AUTHORIZE',
  REFUND: 'PURCHASE',
  CHARGEBACK: 'PURCHASE',
};

const otherOperation: Readonly<Record<OperationType, OperationType>> = {
  AUTHORIZE: 'CAPTURE',
  PURCHASE: 'REFUND',
  CREDIT: 'CREDIT',
  CAPTURE: 'REFUND',
  VOID: 'CAPTURE',
  REFUND: 'REFUND',
  CHARGEBACK: 'REFUND',
};

interface GivenRequest {
  readonly account: Account;
  readonly paymentKey: string;
  readonly key: string;
  readonly context: CallContext;
  readonly amount?: typeof AMOUNT;
}

function request(
  { payments }: PaymentNode,
  type: OperationType,
  given: GivenRequest,
): Promise<PaymentResult> {
  const { account, paymentKey, key, context, amount = AMOUNT } = given;
  const keys = { externalKey: paymentKey, transactionExternalKey: key };
  const accountId: Uuid = account.id;
  switch (type) {
    case 'AUTHORIZE':
      return payments.authorize(context, { ...keys, accountId, amount });
    case 'PURCHASE':
      return payments.purchase(context, { ...keys, accountId, amount });
    case 'CREDIT':
      return payments.credit(context, { ...keys, accountId, amount });
    case 'CAPTURE':
      return payments.capture(context, { ...keys, amount });
    case 'REFUND':
      return payments.refund(context, { ...keys, amount });
    case 'CHARGEBACK':
      return payments.chargeback(context, { ...keys, amount });
    case 'VOID':
      return payments.void(context, keys);
    default:
      return type satisfies never;
  }
}

/** Ignores rejections and deaths. Other errors are bugs. */
async function tried(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof BillingError) return;
    if (error instanceof Error && error.message === DyingProcess.DEATH) return;
    throw error;
  }
}

function newGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
