import { f, type RecordOf } from '../values/fields/index.ts';
import type { FieldedType } from './object-type.ts';
import type { PageRequest } from './page.ts';

/** A named value on an object (accounts §11). Deleted fields become inactive. */
export const customFieldFields = {
  recordId: f.recordId,
  id: f.id({ searched: true }),
  objectType: f.code<FieldedType>({ searched: true }),
  objectId: f.id({ searched: true }),
  name: f.text({ audit: 'fieldName', searched: true }),
  value: f.text({ audit: 'fieldValue', searched: true }),
  /** The record id of the account, or null for fields of a coupon, which has no account. */
  accountRecordId: f.orNull(f.bigint()),
  isActive: f.flag(),
  createdBy: f.text({ audit: null, searched: true }),
  createdDate: f.instant({ searched: true }),
  updatedBy: f.text({ audit: null, searched: true }),
  updatedDate: f.instant({ searched: true }),
};
export interface CustomField extends RecordOf<typeof customFieldFields> {}

/** A page of custom fields. */
export interface CustomFieldPageRequest extends PageRequest {
  /** If true, the fields of coupons are omitted. Defaults to false. */
  readonly withoutCoupons?: boolean | null;
}
