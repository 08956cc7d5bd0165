import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** Wire name of the built-in gateway for cheques, cash and bank transfers (payments §2.4). */
export const EXTERNAL_PAYMENT_PLUGIN = '__EXTERNAL_PAYMENT__';

export interface PaymentMethod {
  readonly recordId: number;
  readonly id: Uuid;
  readonly externalKey: string;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly pluginName: string;
  readonly isActive: boolean;
  readonly createdDate: Instant;
}
