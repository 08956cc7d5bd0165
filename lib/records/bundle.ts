import { f, type RecordOf } from '../values/fields/index.ts';

/** A group of subscriptions of one account (subscriptions §3). */
export const bundleFields = {
  recordId: f.recordId,
  id: f.id({ searched: true }),
  accountId: f.id({ searched: true }),
  accountRecordId: f.bigint(),
  externalKey: f.key({ searched: true }),
  /**
   * The bundle's former key in a form that lets another bundle use the key (subscriptions §17.1), or null while the
   * bundle has its key.
   */
  retiredKey: f.orNull(f.text({ audit: null })),
  /** Creation date of the oldest bundle that had this key. */
  originalCreatedDate: f.instant({ searched: true }),
  createdDate: f.instant({ searched: true }),
};
export interface Bundle extends RecordOf<typeof bundleFields> {}
