import { bigint, flag, id, instant, key, type RecordOf, recordId, text } from '../../values/fields/index.ts';

/** Name of the built-in gateway for checks, cash and bank transfers (payments §2.4). */
export const EXTERNAL_PAYMENT_PLUGIN = '__EXTERNAL_PAYMENT__';

export const paymentMethodFields = {
  recordId,
  id: id({ searched: true }),
  externalKey: key({ searched: true }),
  accountId: id({ searched: true }),
  accountRecordId: bigint(),
  pluginName: text({ searched: true }),
  isActive: flag(),
  createdDate: instant({ searched: true }),
};
export interface PaymentMethod extends RecordOf<typeof paymentMethodFields> {}
