import { bigint, id, instant, key, orNull, type RecordOf, recordId, text } from '../values/fields/index.ts';

/** A group of subscriptions of one account (subscriptions §3). */
export const bundleFields = {
  recordId,
  id: id({ searched: true }),
  accountId: id({ searched: true }),
  accountRecordId: bigint(),
  externalKey: key({ searched: true }),
  /** The key in the form that lets another bundle use it (subscriptions §17.1); null while the bundle holds it. */
  retiredKey: orNull(text({ audit: null })),
  /** Creation of the oldest bundle with this key. */
  originalCreatedDate: instant({ searched: true }),
  createdDate: instant({ searched: true }),
};
export interface Bundle extends RecordOf<typeof bundleFields> {}
