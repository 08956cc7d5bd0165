import { f, type RecordOf } from '../../values/fields/index.ts';

/** Name of the built-in gateway for payments by check, cash and bank transfer (payments §2.4). */
export const EXTERNAL_PAYMENT_PLUGIN = '__EXTERNAL_PAYMENT__';

export const paymentMethodFields = {
  recordId: f.recordId,
  id: f.id({ searched: true }),
  externalKey: f.key({ searched: true }),
  accountId: f.id({ searched: true }),
  accountRecordId: f.bigint(),
  pluginName: f.text({ searched: true }),
  isActive: f.flag(),
  createdDate: f.instant({ searched: true }),
};
export interface PaymentMethod extends RecordOf<typeof paymentMethodFields> {}
