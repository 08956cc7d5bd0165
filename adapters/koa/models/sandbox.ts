import { field, model } from '../wire/model.ts';
import { text } from '../wire/scalars.ts';
import { anyValue } from '../wire/wire-type.ts';

/** How the sandbox gateway is to answer from now on (payments §2.4 rule 2); numbers may be given as text. */
export const SandboxConfiguration = model('SandboxConfiguration', {
  CONFIGURE_ACTION: field(text(), 'I', { required: true }),
  METHODS: field(text(), 'I'),
  SLEEP_TIME_SEC: field(text(), 'I'),
  TIMES: field(text(), 'I'),
  PROCESSED_AMOUNT: field(text(), 'I'),
  PROCESSED_CURRENCY: field(text(), 'I'),
  GATEWAY_ERROR_CODE: field(text(), 'I'),
  GATEWAY_ERROR: field(text(), 'I'),
  PAYMENT_RESPONSE: field(text(), 'I'),
  transactionId: field(text(), 'I'),
  status: field(text(), 'I'),
  amount: field(text(), 'I'),
});

/** The actions and delays in force, by method. */
export const SandboxStatus = model('SandboxStatus', {
  states: field(anyValue, 'R'),
  sleeps: field(anyValue, 'R'),
});
