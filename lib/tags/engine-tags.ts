import { systemDefinition } from '../control-tags/index.ts';
import type { IdGenerator } from '../ports/index.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  type New,
  type NewBusEvent,
  type ObjectRef,
  ObjectType,
  type Tag,
  type TaggedType,
} from '../records/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';

type Tagged = Pick<Account, 'id' | 'recordId'>;

interface NewSystemTag {
  readonly definitionId: Uuid;
  readonly ids: IdGenerator;
  /** The reason for the audit row. */
  readonly reasonOf?: (objectId: Uuid) => string;
}

/**
 * Adds a system tag to accounts, with the engine as author. The caller must have locked the accounts. Existing tags
 * stay unchanged.
 */
export async function addEngineTag(
  session: WriteSession,
  accounts: readonly Tagged[],
  tag: NewSystemTag,
): Promise<void> {
  const objects = accounts.map(({ id, recordId }) => ({
    type: ObjectType.ACCOUNT,
    id,
    accountId: id,
    accountRecordId: recordId,
  }));
  await addSystemTag(session, objects, tag);
}

interface TaggedObject extends ObjectRef<TaggedType> {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
}

/** Adds a system tag to objects, with the engine as author. The caller must have locked their accounts. */
export async function addSystemTag(
  session: WriteSession,
  objects: readonly TaggedObject[],
  tag: NewSystemTag,
): Promise<void> {
  if (objects.length === 0) return;
  const added = await session.tags.insert(
    objects.map(({ type, id, accountRecordId }) => ({
      id: tag.ids.next(),
      objectType: type,
      objectId: id,
      tagDefinitionId: tag.definitionId,
      accountRecordId,
      isActive: true,
      createdDate: session.authorship.createdDate,
    })),
    ({ objectId }) => tag.reasonOf?.(objectId) ?? null,
  );
  const tagDefinitionName = nameOf(tag.definitionId);
  const owners = new Map(objects.map(({ id, accountId }) => [id, accountId]));
  session.publish(
    added.map((each) =>
      tagEvent(BusEventType.TAG_CREATION, each, {
        accountId: owners.get(each.objectId) ?? each.objectId,
        tagDefinitionName,
      }),
    ),
  );
}

/**
 * Removes a system tag from accounts and returns the ids of the accounts that had the tag. The caller must have locked
 * the accounts.
 */
export async function removeEngineTag(
  session: WriteSession,
  accounts: readonly Tagged[],
  definitionId: Uuid,
): Promise<readonly Uuid[]> {
  const ids = accounts.map(({ id }) => id);
  const all = await session.tags.findByObjects(ObjectType.ACCOUNT, ids, { includeDeleted: false });
  const tags = all.filter(({ tagDefinitionId }) => tagDefinitionId === definitionId);
  if (tags.length === 0) return [];
  await session.tags.deactivate(tags);
  const tagDefinitionName = nameOf(definitionId);
  session.publish(
    tags.map((each) =>
      tagEvent(BusEventType.TAG_DELETION, each, { accountId: each.objectId, tagDefinitionName }),
    ),
  );
  return tags.map(({ objectId }) => objectId);
}

function nameOf(definitionId: Uuid): string {
  const definition = systemDefinition(definitionId);
  assertInvariant(definition, 'The engine can set only system tags', { definitionId });
  return definition.name;
}

/**
 * Returns the event TAG_CREATION or TAG_DELETION (platform §10.4). The event contains the tagged object for the
 * engine's handlers.
 */
export function tagEvent(
  type: typeof BusEventType.TAG_CREATION | typeof BusEventType.TAG_DELETION,
  tag: New<Tag>,
  { accountId, tagDefinitionName }: { readonly accountId: Uuid; readonly tagDefinitionName: string },
): NewBusEvent {
  const { id: tagId, tagDefinitionId, objectType, objectId, accountRecordId } = tag;
  const metaData = { tagDefinitionName };
  return {
    type,
    accountRecordId,
    payload: { accountId, tagId, tagDefinitionId, objectType, objectId, metaData },
  };
}
