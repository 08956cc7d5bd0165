import { bigint, code, flag, id, instant, type RecordOf, recordId, text } from '../values/fields/index.ts';
import type { FieldedType } from './object-type.ts';

/** A value that a user keeps under a name on an object (accounts §11); a deleted field stays, inactive. */
export const customFieldFields = {
  recordId,
  id: id({ searched: true }),
  objectType: code<FieldedType>({ searched: true }),
  objectId: id({ searched: true }),
  name: text({ audit: 'fieldName', searched: true }),
  value: text({ audit: 'fieldValue', searched: true }),
  accountRecordId: bigint(),
  isActive: flag(),
  createdBy: text({ audit: null, searched: true }),
  createdDate: instant({ searched: true }),
  updatedBy: text({ audit: null, searched: true }),
  updatedDate: instant({ searched: true }),
};
export interface CustomField extends RecordOf<typeof customFieldFields> {}
