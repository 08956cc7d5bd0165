import { f, type RecordOf } from '../values/fields/index.ts';

/** A group of subscriptions of one account (subscriptions §3). */
export const bundleFields = {
  recordId: f.recordId,
  id: f.id({ searched: true }),
  accountId: f.id({ searched: true }),
  accountRecordId: f.bigint(),
  externalKey: f.key({ searched: true }),
  /** The key in the form that lets another bundle use it (subscriptions §17.1); null while the bundle has the key. */
  retiredKey: f.orNull(f.text({ audit: null })),
  /** Creation of the oldest bundle with this key. */
  originalCreatedDate: f.instant({ searched: true }),
  createdDate: f.instant({ searched: true }),
};
export interface Bundle extends RecordOf<typeof bundleFields> {}
