import type { PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { PaymentOperation } from '../state/payment-state.ts';

/** One operation on a payment, as it is asked for (§4.1): what is not given is null. */
export interface OperationRequest {
  readonly operation: PaymentOperation;
  /** Whose payment it is to be; null where the payment says so. */
  readonly accountId: Uuid | null;
  readonly paymentId: Uuid | null;
  readonly paymentExternalKey: string | null;
  readonly transactionExternalKey: string | null;
  readonly paymentMethodId: Uuid | null;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly effectiveDate: Instant | null;
  readonly properties: readonly PluginProperty[];
  /** Control plugins by name, in their order; null = those of the tenant (§2.3 rule 9). */
  readonly controlPlugins: readonly string[] | null;
}
