import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { FieldedType } from './object-type.ts';

/** A value that a user keeps under a name on an object (accounts §11); a deleted field stays, inactive. */
export interface CustomField {
  readonly recordId: number;
  readonly id: Uuid;
  readonly objectType: FieldedType;
  readonly objectId: Uuid;
  readonly name: string;
  readonly value: string;
  readonly accountRecordId: number;
  readonly isActive: boolean;
  readonly createdBy: string;
  readonly createdDate: Instant;
  readonly updatedBy: string;
  readonly updatedDate: Instant;
}
