import {
  formatInstant,
  formatLocalDate,
  type Instant,
  localDateOf,
  type TimeZone,
} from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { date, text, timestamp } from '../wire/scalars.ts';

export const Clock = model('Clock', {
  currentUtcTime: field(timestamp, 'R'),
  timeZone: field(text(), 'R'),
  localDate: field(date, 'R'),
});

export function clockJson(now: Instant, zone: TimeZone) {
  return {
    currentUtcTime: formatInstant(now),
    timeZone: zone,
    localDate: formatLocalDate(localDateOf(now, zone)),
  };
}
