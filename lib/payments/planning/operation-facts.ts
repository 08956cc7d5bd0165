import type { PaymentGateway } from '../../ports/index.ts';
import type {
  Account,
  InvoicePayment,
  Payment,
  PaymentMethod,
  PaymentTransaction,
} from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { OperationTable } from '../state/payment-state.ts';

/** All that an operation is decided on. */
export interface OperationFacts {
  readonly account: Account;
  /** Null = a new one. */
  readonly payment: Payment | null;
  /** Of the payment, in creation order. */
  readonly transactions: readonly PaymentTransaction[];
  /** Of the tenant, with the key that is asked for. */
  readonly keyTransactions: readonly PaymentTransaction[];
  /** What the payment has paid of invoices, and what was taken back. */
  readonly rows: readonly InvoicePayment[];
  /** Of the account, refunds of invoices' payments whose outcome is open; empty where nothing is to be taken back. */
  readonly openInvoiceRefunds: readonly PaymentTransaction[];
  /** The method of the payment, or the one that a new payment is to be made with. */
  readonly method: PaymentMethod | null;
}

export interface OperationRules {
  readonly now: Instant;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly allowsOverRefund: boolean;
  /** Whether the caller's amounts may carry noise of binary floating point; default false. */
  readonly roundsFloatNoise?: boolean | undefined;
  /** The tenant's own tables of operations, by plugin name (§3.1). */
  readonly stateMachines: ReadonlyMap<string, OperationTable>;
  /** True: control plugins are still to be asked, one of which may name the method of a new payment (§4.1). */
  readonly awaitsMethod?: boolean;
}
