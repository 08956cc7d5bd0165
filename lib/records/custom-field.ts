import { bigint, code, flag, id, instant, type RecordOf, recordId, text } from '../values/fields/index.ts';
import type { FieldedType } from './object-type.ts';

/** A named value on an object (accounts §11); deleted fields become inactive. */
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
