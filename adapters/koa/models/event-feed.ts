import { type EventFeed, externalEventTypes, metaDataText } from '../../../lib/push/index.ts';
import { type FeedEvent, ObjectType } from '../../../lib/records/index.ts';
import { derivedField, maybe, model } from '../wire/model.ts';
import { enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

export const FeedEventModel = model('FeedEvent', {
  eventId: derivedField(uuid, ({ id }: FeedEvent) => id),
  cursor: text(),
  eventType: enumeration(externalEventTypes),
  accountId: maybe(text()),
  objectType: enumeration(ObjectType),
  objectId: maybe(text()),
  metaData: maybe(text(), ({ metaData }: FeedEvent) => metaDataText(metaData)),
  createdDate: timestamp,
});

/** See platform §10.6. */
export const EventFeedModel = model('EventFeed', {
  events: derivedField(listOf(FeedEventModel), ({ events }: EventFeed) => events),
  next: text(),
});
