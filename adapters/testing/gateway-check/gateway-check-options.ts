import type { Currency, PluginProperty, Uuid } from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';

/** How the author brings about that a call goes in a certain way. */
export interface ProvokedOutcome {
  /** Plugin properties of the call that lead to it. */
  readonly properties?: readonly PluginProperty[];
  /** Called before the call, such as to take the processor's double off the network. */
  arrange?(): Promise<void> | void;
  /** Called after it, to undo that. */
  restore?(): Promise<void> | void;
}

/** A call that the processor takes its time for. */
export interface ProvokedPending extends ProvokedOutcome {
  /** Has the processor decide; asked again, the gateway then gives another answer than PENDING. */
  settle?(transactionId: Uuid): Promise<void> | void;
}

/** A notification as the processor sends it, with its signature. */
export interface SignedNotification {
  readonly rawBody: Uint8Array | string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** What the check has to know of a gateway; each part that is given has more looked at. */
export interface PaymentGatewayCheckOptions {
  /** An empty storage for each engine that the gateway is run in: `() => sqlite(':memory:')`. */
  storage(): Promise<Storage<never>> | Storage<never>;
  /** Default `USD`. */
  readonly currency?: Currency;
  /** What is authorized and purchased; of it half is captured and refunded. Default `10.00`. */
  readonly amount?: string;
  /** Plugin properties of every operation, such as a token with which the processor accepts it. */
  readonly properties?: readonly PluginProperty[];
  /** What a payment method is added with. */
  readonly paymentMethod?: {
    readonly externalPaymentMethodId?: string | null;
    readonly properties?: readonly PluginProperty[];
  };
  /** How long the engine would wait for each call; default 30,000. */
  readonly timeLimitMs?: number;
  /** How often the processor's own books have an effect of that transaction; without it only its references tell. */
  effectsOf?(transactionId: Uuid): Promise<number> | number;
  /** What the gateway's own searches find something by; default the ids of what is searched for, and its references. */
  readonly search?: {
    /** A key by which the purchase with that transaction is found. */
    payment?(transactionId: Uuid): string;
    /** A key by which the method is found that `paymentMethod` describes. */
    readonly paymentMethod?: string;
  };
  readonly outcomes?: {
    /** The processor says no. */
    readonly declined?: ProvokedOutcome;
    /** The processor cannot be reached: certainly nothing happens. */
    readonly unreachable?: ProvokedOutcome;
    readonly pending?: ProvokedPending;
  };
  /** A genuine notification. */
  readonly notification?: SignedNotification;
}
