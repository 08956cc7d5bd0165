import { TimeUnit } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, int } from '../wire/scalars.ts';

/** A duration. A duration without an end has the unit UNLIMITED. */
export const Duration = model('Duration', {
  unit: field(enumeration(TimeUnit), 'W', { required: true }),
  number: field(int(), 'W', { required: true }),
});
