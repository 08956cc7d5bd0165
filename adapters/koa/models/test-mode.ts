import { type Instant, localDateOf, type TimeZone } from '../../../lib/values/time/index.ts';
import { alike, derivedField, field, model, modelWith } from '../wire/model.ts';
import { date, text, timestamp } from '../wire/scalars.ts';
import { anyValue } from '../wire/wire-type.ts';

export interface ShownClock {
  readonly now: Instant;
  readonly timeZone: TimeZone;
}

export const Clock = model('Clock', {
  currentUtcTime: derivedField(timestamp, ({ now }: ShownClock) => now),
  timeZone: text(),
  localDate: derivedField(date, ({ now, timeZone }: ShownClock) => localDateOf(now, timeZone)),
});

/** See payments §2.4 rule 2. */
export const SandboxConfiguration = modelWith('I', 'SandboxConfiguration', {
  CONFIGURE_ACTION: field(text(), 'I', { required: true }),
  ...alike(text(), 'METHODS', 'SLEEP_TIME_SEC', 'TIMES', 'PROCESSED_AMOUNT', 'PROCESSED_CURRENCY'),
  ...alike(text(), 'GATEWAY_ERROR_CODE', 'GATEWAY_ERROR', 'PAYMENT_RESPONSE', 'transactionId', 'status'),
  amount: text(),
});

export const SandboxStatus = model('SandboxStatus', { states: anyValue, sleeps: anyValue });
