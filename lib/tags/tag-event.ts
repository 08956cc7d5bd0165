import type { BusEventType, New, NewBusEvent, Tag } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** TAG_CREATION or TAG_DELETION (platform §10.4); it names the tagged object for handlers of the engine. */
export function tagEvent(
  type: typeof BusEventType.TAG_CREATION | typeof BusEventType.TAG_DELETION,
  tag: New<Tag>,
  of: { readonly accountId: Uuid; readonly tagDefinitionName: string },
): NewBusEvent {
  return {
    type,
    accountRecordId: tag.accountRecordId,
    payload: {
      accountId: of.accountId,
      tagId: tag.id,
      tagDefinitionId: tag.tagDefinitionId,
      objectType: tag.objectType,
      objectId: tag.objectId,
      metaData: { tagDefinitionName: of.tagDefinitionName },
    },
  };
}
