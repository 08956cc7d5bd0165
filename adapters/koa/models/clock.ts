import { type Instant, localDateOf, type TimeZone } from '../../../lib/values/time/index.ts';
import { model, shown } from '../wire/model.ts';
import { date, text, timestamp } from '../wire/scalars.ts';

export interface ShownClock {
  readonly now: Instant;
  readonly timeZone: TimeZone;
}

export const Clock = model('Clock', {
  currentUtcTime: shown(timestamp, ({ now }: ShownClock) => now),
  timeZone: text(),
  localDate: shown(date, ({ now, timeZone }: ShownClock) => localDateOf(now, timeZone)),
});
