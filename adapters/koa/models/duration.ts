import { TimeUnit } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, int } from '../wire/scalars.ts';

/** The unit is UNLIMITED for an open end. */
export const Duration = model('Duration', {
  unit: field(enumeration(TimeUnit), 'W', { required: true }),
  number: field(int(), 'W', { required: true }),
});
