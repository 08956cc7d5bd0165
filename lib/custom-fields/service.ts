import { loadAccount } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { CustomFieldSearch, WriteSession } from '../ports/storage/index.ts';
import type {
  CustomField,
  CustomFieldObjectType,
  CustomFieldPageRequest,
  Leading,
  New,
  ObjectRef,
  ObjectType,
  Page,
} from '../records/index.ts';
import { BusEventType, type CallContext, customFieldFields, type FieldedType } from '../records/index.ts';
import { authorshipOf, isOperatorSearch, parseOperatorSearch } from '../runtime/index.ts';
import { searchedFields } from '../values/fields/index.ts';
import type { HostInput } from '../values/host-values/index.ts';
import { isUuid, type Uuid } from '../values/ids/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { type CustomFieldChange, type CustomFieldInput, changedFields, newFields } from './changed-fields.ts';
import { checkExists, type FieldOwner, lockOwner } from './field-owner.ts';

const searched = searchedFields(customFieldFields, { customFieldId: 'id' });

type Fielded = ObjectRef<FieldedType>;

/** Creates the operations on the custom fields of a tenant's objects (accounts §11). */
export function customFieldOperations({ storage, ids }: Pick<Ports, 'storage' | 'ids'>) {
  const find = (context: CallContext, search: CustomFieldSearch, request: CustomFieldPageRequest) =>
    storage.read(context.tenant, (session) => session.customFields.search(search, request));

  return {
    async add(context: CallContext, object: Fielded, inputs: readonly CustomFieldInput[]): Promise<void> {
      const { userName, createdDate } = context;
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        const owner = await lockOwner(session, object);
        const existing = await session.customFields.findByObjects(object.type, [object.id]);
        const fields = newFields(inputs, existing).map(
          (pair): New<CustomField> => ({
            ...pair,
            id: ids.next(),
            objectType: object.type,
            objectId: object.id,
            accountRecordId: owner.accountRecordId,
            isActive: true,
            createdBy: userName,
            createdDate,
            updatedBy: userName,
            updatedDate: createdDate,
          }),
        );
        await session.customFields.insert(fields);
        publish(session, owner, { type: BusEventType.CUSTOM_FIELD_CREATION, fields });
      });
    },

    async modify(
      context: CallContext,
      object: Fielded,
      changes: readonly CustomFieldChange[],
    ): Promise<void> {
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        await lockOwner(session, object);
        const named = await session.customFields.findByIds(
          changes.flatMap(({ customFieldId }) => customFieldId ?? []),
        );
        const existing = await session.customFields.findByObjects(object.type, [object.id]);
        const fields = changedFields(object, changes, { named, existing });
        const { userName: updatedBy, createdDate: updatedDate } = context;
        await session.customFields.updateValues(
          fields.map((field) => ({ ...field, updatedBy, updatedDate })),
        );
      });
    },

    async remove(context: CallContext, object: Fielded, fieldIds: readonly Uuid[]): Promise<void> {
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        const owner = await lockOwner(session, object);
        const existing = await session.customFields.findByObjects(object.type, [object.id]);
        const fields = fieldIds.length === 0 ? existing : existing.filter(({ id }) => fieldIds.includes(id));
        await session.customFields.deactivate(fields);
        publish(session, owner, { type: BusEventType.CUSTOM_FIELD_DELETION, fields });
      });
    },

    ofObject: (context: CallContext, object: Fielded) =>
      storage.read(context.tenant, async (session) => {
        await checkExists(session, object);
        return session.customFields.findByObjects(object.type, [object.id]);
      }),

    ofAccount: (
      context: CallContext,
      accountId: Uuid,
      { objectType = null }: { readonly objectType?: ObjectType | null } = {},
    ) =>
      storage.read(context.tenant, async (session) => {
        const { recordId } = await loadAccount(session, accountId);
        return session.customFields.findByAccount(recordId, { objectType });
      }),

    page: (context: CallContext, request: CustomFieldPageRequest) =>
      storage.read(context.tenant, (session) => session.customFields.page(request)),

    async search(context: CallContext, key: string, request: CustomFieldPageRequest) {
      checkStorable('Search key', key);
      return find(context, searchOf(key), request);
    },

    async searchByName(
      context: CallContext,
      wanted: {
        readonly objectType: CustomFieldObjectType;
        readonly name: string;
        readonly value?: string | null;
      },
      request: CustomFieldPageRequest,
    ) {
      const { objectType, name, value = null } = wanted;
      checkStorable('Field name', name);
      checkStorable('Field value', value);
      return find(context, { kind: 'name', objectType, name, value }, request);
    },
  };
}

function searchOf(key: string): CustomFieldSearch {
  if (isOperatorSearch(key)) return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
  const text = key.toLowerCase();
  return { kind: 'text', id: isUuid(text) ? text : null, text };
}

function publish(
  session: WriteSession,
  { accountId, accountRecordId }: FieldOwner,
  {
    type,
    fields,
  }: {
    readonly type: typeof BusEventType.CUSTOM_FIELD_CREATION | typeof BusEventType.CUSTOM_FIELD_DELETION;
    readonly fields: readonly New<CustomField>[];
  },
): void {
  session.publish(
    fields.map(({ id: customFieldId, objectType, objectId }) => ({
      type,
      accountRecordId,
      payload: { accountId, customFieldId, objectType, objectId, metaData: null },
    })),
  );
}

/** Operations on fields that a tenant adds to objects. */
export interface CustomFieldOperations<C extends Leading = []> {
  /**
   * Adds fields to the object. If one field is rejected, adds none. One name may have several values.
   * @throws BillingError with the 404 code of the object's type; MISSING_OR_INVALID_FIELD (60003),
   * CUSTOM_FIELD_ALREADY_EXISTS (9000), BUSY (60018).
   */
  add(
    ...given: [
      ...C,
      object: HostInput<ObjectRef<FieldedType>>,
      inputs: HostInput<readonly CustomFieldInput[]>,
    ]
  ): Promise<void>;

  /**
   * Changes values of the object's fields. If one change is rejected, changes none.
   * @throws BillingError with the 404 code of the object's type; MISSING_OR_INVALID_FIELD (60003),
   * CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID (9001), CUSTOM_FIELD_INVALID_UPDATE (9002) for a changed name or a field of
   * another object, CUSTOM_FIELD_ALREADY_EXISTS (9000) if two fields would become equal, BUSY (60018).
   */
  modify(
    ...given: [
      ...C,
      object: HostInput<ObjectRef<FieldedType>>,
      changes: HostInput<readonly CustomFieldChange[]>,
    ]
  ): Promise<void>;

  /**
   * Removes the specified fields of the object, or all its fields by default. Ids of other objects' fields are
   * ignored.
   * @throws BillingError with the 404 code of the object's type, BUSY (60018).
   */
  remove(
    ...given: [...C, object: HostInput<ObjectRef<FieldedType>>, fieldIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /**
   * Returns the fields of the object in creation order.
   * @throws BillingError with the 404 code of the object's type.
   */
  ofObject(...given: [...C, object: HostInput<ObjectRef<FieldedType>>]): Promise<readonly CustomField[]>;

  /**
   * Returns the fields of the account and its objects, of one object type or of all types.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [
      ...C,
      accountId: Uuid | string,
      options?: HostInput<{ readonly objectType?: ObjectType | null }>,
    ]
  ): Promise<readonly CustomField[]>;

  /** Returns a page of the tenant's fields. By default, it includes the fields of coupons. */
  page(...given: [...C, request: CustomFieldPageRequest]): Promise<Page<CustomField>>;

  /**
   * Returns a page of the fields that match the key. The key is the field's id, or part of its object id, object
   * type, name or value, ignoring case. A key in operator form filters by its clauses (accounts §6.2, §11 rule 5).
   * @throws BillingError INVALID_PARAMETER (60002) for an unreadable key in operator form.
   */
  search(...given: [...C, key: string, request: CustomFieldPageRequest]): Promise<Page<CustomField>>;

  /**
   * Returns a page of the fields with exactly this object type and name. If `value` is not null, the value must match
   * too.
   */
  searchByName(
    ...given: [
      ...C,
      wanted: HostInput<{
        readonly objectType: CustomFieldObjectType;
        readonly name: string;
        readonly value?: string | null;
      }>,
      request: CustomFieldPageRequest,
    ]
  ): Promise<Page<CustomField>>;
}
