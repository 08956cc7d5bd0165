import type { Leading, PaymentResponse } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Duration } from '../../values/time/index.ts';
import type { OverdueFormat } from '../config/document-format.ts';
import type { CancellationPolicy } from '../config/overdue-config.ts';
import type { OverdueDefinition } from '../config/write-config.ts';

/** An overdue configuration as a host may give it (§1.1): states from the most to the least severe. */
export interface NewOverdueDefinition {
  /** Days after which an account with a debt that is not overdue is looked at again; default: the time of the last state. */
  readonly initialReevaluationInterval?: number | null;
  readonly overdueStates: readonly NewOverdueState[];
}

/** A state that accounts may come to. It needs a condition, or `isClearState`. */
export interface NewOverdueState {
  /** 1 to 50 characters. */
  readonly name: string;
  /** True: accounts are never put into it. */
  readonly isClearState?: boolean;
  readonly condition?: NewOverdueCondition | null;
  /** For the customer; default none. */
  readonly externalMessage?: string;
  /** Whether changes of plan and new subscriptions are refused. */
  readonly isBlockChanges?: boolean;
  /** Whether the service is off and nothing is billed; changes are refused then too. */
  readonly isDisableEntitlement?: boolean;
  /** Whether subscriptions are cancelled, and from when on they are not billed; default NONE. */
  readonly subscriptionCancellationPolicy?: CancellationPolicy;
  /** Days after which the account is looked at again; default: those until the time of the state before. */
  readonly autoReevaluationIntervalDays?: number | null;
}

/** When an account is in a state: all that is given must hold. Null is as good as absent. */
export interface NewOverdueCondition {
  /** How long the oldest unpaid invoice has been unpaid. */
  readonly timeSinceEarliestUnpaidInvoiceEqualsOrExceeds?: Duration | null;
  readonly numberOfUnpaidInvoicesEqualsOrExceeds?: number | null;
  /** In the currency of the account. */
  readonly totalUnpaidInvoiceBalanceEqualsOrExceeds?: Decimal | string | null;
  /** Why the last payment of an unpaid invoice has failed. */
  readonly responseForLastFailedPayment?: readonly PaymentResponse[] | null;
  /** Name of a control tag that the account has. */
  readonly controlTagInclusion?: string | null;
  /** Name of a control tag that the account has not. */
  readonly controlTagExclusion?: string | null;
}

/** How a configuration is uploaded. */
export interface OverdueUploadOptions {
  /** Form of a document; default: XML if it begins with `<`, else JSON. */
  readonly format?: OverdueFormat;
}

/** What happens to those who do not pay. */
export interface OverdueConfigOperations<C extends Leading = []> {
  /**
   * Replaces the tenant's overdue configuration as a whole (§1). Accounts meet it at their next trigger or check. It is
   * the value of the tenant's key OVERDUE_CONFIG, whose deletion brings the default back.
   * @param config XML or JSON of at most 256 Ki characters, as text or as bytes of UTF-8, or of UTF-16 with a byte order
   * mark; or the definition itself.
   * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010) with every error found as `problems`, those of a text each with
   * line and column; nothing is stored then. TOO_LARGE (60012), MISSING_OR_INVALID_FIELD (60003) for an amount that
   * is none.
   */
  upload(
    ...given: [...C, config: Uint8Array | string | NewOverdueDefinition, options?: OverdueUploadOptions]
  ): Promise<void>;

  /** The configuration in force, with what it leaves open filled in; the default one for a tenant without its own. */
  get(...given: [...C]): Promise<OverdueDefinition>;

  /** The same as XML: the text that was uploaded, unchanged; one that was uploaded as JSON is written as XML. */
  getXml(...given: [...C]): Promise<string>;
}
