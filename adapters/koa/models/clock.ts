import { type Instant, localDateOf, type TimeZone } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { date, text, timestamp } from '../wire/scalars.ts';

/** The moment as it is in a zone. */
export interface ShownClock {
  readonly now: Instant;
  readonly timeZone: TimeZone;
}

export const Clock = model('Clock', {
  currentUtcTime: field(timestamp, 'R', { from: ({ now }: ShownClock) => now }),
  timeZone: field(text(), 'R'),
  localDate: field(date, 'R', { from: ({ now, timeZone }: ShownClock) => localDateOf(now, timeZone) }),
});
