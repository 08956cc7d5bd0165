import { loadAccount, lockOwningAccount, owningAccountId } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { CustomFieldSearch, WriteSession } from '../ports/storage/index.ts';
import type {
  CustomField,
  Leading,
  New,
  ObjectRef,
  ObjectType,
  Page,
  PageRequest,
  WithContext,
} from '../records/index.ts';
import { BusEventType, type CallContext, customFieldFields, type FieldedType } from '../records/index.ts';
import { authorshipOf, isOperatorSearch, parseOperatorSearch } from '../runtime/index.ts';
import { searchedFields } from '../values/fields/index.ts';
import type { Given } from '../values/given/index.ts';
import { isUuid, type Uuid } from '../values/ids/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { type CustomFieldChange, type CustomFieldInput, changedFields, newFields } from './changed-fields.ts';

const searched = searchedFields(customFieldFields, { customFieldId: 'id' });

/** Custom fields of a tenant's objects (accounts §11). */
export class CustomFieldService implements CustomFieldOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>) {
    this.#ports = ports;
  }

  async add(
    context: CallContext,
    object: ObjectRef<FieldedType>,
    inputs: readonly CustomFieldInput[],
  ): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockOwningAccount(session, object);
      const existing = await session.customFields.findByObjects(object.type, [object.id]);
      const fields = newFields(inputs, existing).map(
        (pair): New<CustomField> => ({
          ...pair,
          id: this.#ports.ids.next(),
          objectType: object.type,
          objectId: object.id,
          accountRecordId: account.recordId,
          isActive: true,
          createdBy: context.userName,
          createdDate: context.createdDate,
          updatedBy: context.userName,
          updatedDate: context.createdDate,
        }),
      );
      await session.customFields.insert(fields);
      publish(session, { type: BusEventType.CUSTOM_FIELD_CREATION, fields, accountId: account.id });
    });
  }

  async modify(
    context: CallContext,
    object: ObjectRef<FieldedType>,
    changes: readonly CustomFieldChange[],
  ): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await lockOwningAccount(session, object);
      const ids = changes.flatMap(({ customFieldId }) => customFieldId ?? []);
      const named = await session.customFields.findByIds(ids);
      const existing = await session.customFields.findByObjects(object.type, [object.id]);
      const fields = changedFields({ object, changes, named, existing });
      const { userName: updatedBy, createdDate: updatedDate } = context;
      await session.customFields.updateValues(fields.map((field) => ({ ...field, updatedBy, updatedDate })));
    });
  }

  async remove(
    context: CallContext,
    object: ObjectRef<FieldedType>,
    fieldIds: readonly Uuid[],
  ): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockOwningAccount(session, object);
      const existing = await session.customFields.findByObjects(object.type, [object.id]);
      const fields = fieldIds.length === 0 ? existing : existing.filter(({ id }) => fieldIds.includes(id));
      await session.customFields.deactivate(fields);
      publish(session, { type: BusEventType.CUSTOM_FIELD_DELETION, fields, accountId: account.id });
    });
  }

  async ofObject(context: CallContext, object: ObjectRef<FieldedType>): Promise<readonly CustomField[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      await owningAccountId(session, object);
      return session.customFields.findByObjects(object.type, [object.id]);
    });
  }

  async ofAccount(
    context: CallContext,
    accountId: Uuid,
    options: { readonly objectType?: ObjectType | null } = {},
  ): Promise<readonly CustomField[]> {
    const { objectType = null } = options;
    return this.#ports.storage.read(context.tenant, async (session) => {
      const account = await loadAccount(session, accountId);
      return session.customFields.findByAccount(account.recordId, { objectType });
    });
  }

  async page(context: CallContext, request: PageRequest): Promise<Page<CustomField>> {
    return this.#ports.storage.read(context.tenant, (session) => session.customFields.page(request));
  }

  async search(context: CallContext, key: string, request: PageRequest): Promise<Page<CustomField>> {
    checkStorable('Search key', key);
    const search = searchOf(key);
    return this.#ports.storage.read(context.tenant, (session) =>
      session.customFields.search(search, request),
    );
  }

  async searchByName(
    context: CallContext,
    wanted: { readonly objectType: ObjectType; readonly name: string; readonly value?: string | null },
    request: PageRequest,
  ): Promise<Page<CustomField>> {
    const { objectType, name, value = null } = wanted;
    checkStorable('Field name', name);
    checkStorable('Field value', value);
    const search = { kind: 'name', objectType, name, value } as const;
    return this.#ports.storage.read(context.tenant, (session) =>
      session.customFields.search(search, request),
    );
  }
}

function searchOf(key: string): CustomFieldSearch {
  if (isOperatorSearch(key)) return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
  const text = key.toLowerCase();
  return { kind: 'text', id: isUuid(text) ? text : null, text };
}

function publish(
  session: WriteSession,
  change: {
    readonly type: typeof BusEventType.CUSTOM_FIELD_CREATION | typeof BusEventType.CUSTOM_FIELD_DELETION;
    readonly fields: readonly New<CustomField>[];
    readonly accountId: Uuid;
  },
): void {
  session.publish(
    change.fields.map((field) => ({
      type: change.type,
      accountRecordId: field.accountRecordId,
      payload: {
        accountId: change.accountId,
        customFieldId: field.id,
        objectType: field.objectType,
        objectId: field.objectId,
        metaData: null,
      },
    })),
  );
}

/** Fields that a tenant adds to objects. */
export interface CustomFieldOperations<C extends Leading = []> {
  /**
   * Adds fields to the object, all or none. One name may have several values.
   * @throws BillingError of the object's type when it is unknown; MISSING_OR_INVALID_FIELD (60003),
   * CUSTOM_FIELD_ALREADY_EXISTS (9000), BUSY (60018).
   */
  add(
    ...given: [...C, object: Given<ObjectRef<FieldedType>>, inputs: Given<readonly CustomFieldInput[]>]
  ): Promise<void>;

  /**
   * Changes values of the object's fields, all or none.
   * @throws BillingError of the object's type when it is unknown; MISSING_OR_INVALID_FIELD (60003),
   * CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID (9001), CUSTOM_FIELD_INVALID_UPDATE (9002) for another name or a field of another
   * object, CUSTOM_FIELD_ALREADY_EXISTS (9000) where two fields would become equal, BUSY (60018).
   */
  modify(
    ...given: [...C, object: Given<ObjectRef<FieldedType>>, changes: Given<readonly CustomFieldChange[]>]
  ): Promise<void>;

  /**
   * Removes these fields of the object, or all of them if none is named; ids that are not the object's are ignored.
   * @throws BillingError of the object's type when it is unknown, BUSY (60018).
   */
  remove(
    ...given: [...C, object: Given<ObjectRef<FieldedType>>, fieldIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /** Fields of the object in the order in which they were added. @throws BillingError of the object's type. */
  ofObject(...given: [...C, object: Given<ObjectRef<FieldedType>>]): Promise<readonly CustomField[]>;

  /**
   * Fields of the account and of all that belongs to it, of one type of objects or of all.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<{ readonly objectType?: ObjectType | null }>]
  ): Promise<readonly CustomField[]>;

  /** A window of the tenant's fields. */
  page(...given: [...C, request: PageRequest]): Promise<Page<CustomField>>;

  /**
   * A window of the fields whose id is the key, or that contain the key in their object id, object type, name or value in
   * any letter case; or that meet the clauses of a key in operator form (accounts §6.2, §11 rule 5).
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<CustomField>>;

  /** A window of the fields on objects of the type with exactly this name and, unless it is null, this value. */
  searchByName(
    ...given: [
      ...C,
      wanted: Given<{
        readonly objectType: ObjectType;
        readonly name: string;
        readonly value?: string | null;
      }>,
      request: PageRequest,
    ]
  ): Promise<Page<CustomField>>;
}
