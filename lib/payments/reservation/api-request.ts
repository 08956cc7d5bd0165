import type { Payment, PaymentTransaction, PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';

/** A payment of an invoice that a call asks for (§9.6). */
export interface ApiPayment {
  /** Null = the account's default method. */
  readonly methodId: Uuid | null;
  /** Null = the balance. */
  readonly amount: Decimal | null;
  /** The client's own keys; null = ours. */
  readonly paymentKey: string | null;
  readonly transactionKey: string | null;
  readonly properties: readonly PluginProperty[];
  /** Control plugins by name; null = those of the tenant. */
  readonly controlPlugins: readonly string[] | null;
  /**
   * True: it waits for another payment of the invoice, and an account without a method is an error; false: what cannot
   * be paid now is passed over.
   */
  readonly waits: boolean;
}

/** Payments and transactions of the tenant with the keys that API payments give. */
export interface KeyedRecords {
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
}
