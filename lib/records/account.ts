import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { Instant, TimeZone } from '../values/time/index.ts';

/** A customer of a tenant (accounts §1.1). `billCycleDayLocal` 0 = unset. */
export interface Account {
  readonly recordId: number;
  readonly id: Uuid;
  readonly externalKey: string;
  readonly referenceTime: Instant;
  readonly parentAccountId: Uuid | null;
  readonly isPaymentDelegatedToParent: boolean;
  readonly currency: Currency | null;
  readonly billCycleDayLocal: number;
  readonly paymentMethodId: Uuid | null;
  readonly name: string | null;
  readonly firstNameLength: number | null;
  readonly company: string | null;
  readonly address1: string | null;
  readonly address2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
  readonly locale: string | null;
  readonly timeZone: TimeZone;
  readonly phone: string | null;
  readonly email: string | null;
  readonly notes: string | null;
  readonly isMigrated: boolean | null;
  readonly createdDate: Instant;
  readonly updatedDate: Instant;
}

/** Stored sums over an account's invoices (invoicing §1.4, §1.5); they change with the invoices and are never recounted. */
export interface AccountBalance {
  readonly accountId: Uuid;
  readonly accountBalance: Decimal;
  readonly accountCBA: Decimal;
}

/** A secondary address of an account (accounts §15); independent of the account's own `email`. */
export interface AccountEmail {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly email: string;
  /** False after its removal; the row stays. */
  readonly isActive: boolean;
  readonly createdDate: Instant;
}
