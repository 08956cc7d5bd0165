import { alike, field, model, modelWith } from '../wire/model.ts';
import { text } from '../wire/scalars.ts';
import { anyValue } from '../wire/wire-type.ts';

/** See payments §2.4 rule 2. */
export const SandboxConfiguration = modelWith('I', 'SandboxConfiguration', {
  CONFIGURE_ACTION: field(text(), 'I', { required: true }),
  ...alike(text(), 'METHODS', 'SLEEP_TIME_SEC', 'TIMES', 'PROCESSED_AMOUNT', 'PROCESSED_CURRENCY'),
  ...alike(text(), 'GATEWAY_ERROR_CODE', 'GATEWAY_ERROR', 'PAYMENT_RESPONSE', 'transactionId', 'status'),
  amount: text(),
});

export const SandboxStatus = model('SandboxStatus', { states: anyValue, sleeps: anyValue });
