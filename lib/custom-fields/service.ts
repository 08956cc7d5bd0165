import { loadAccount, lockOwningAccount, owningAccountId } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { CustomFieldSearch, WriteSession } from '../ports/storage/index.ts';
import type {
  CustomField,
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
import { isUuid, type Uuid } from '../values/ids/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { type CustomFieldChange, changedFields } from './changed-fields.ts';
import type { CustomFieldOperations } from './custom-field-operations.ts';
import { type CustomFieldInput, newFields } from './new-fields.ts';

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
