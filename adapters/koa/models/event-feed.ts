import { type EventFeed, externalEventTypes, metaDataText } from '../../../lib/push/index.ts';
import { type FeedEvent, ObjectType } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

/** What a push of the event has, with its id and its place in the feed. */
export const FeedEventModel = model('FeedEvent', {
  eventId: field(uuid, 'R', { from: ({ id }: FeedEvent) => id }),
  cursor: field(text(), 'R'),
  eventType: field(enumeration(externalEventTypes), 'R'),
  accountId: field(text(), 'R', { nullable: true }),
  objectType: field(enumeration(ObjectType), 'R'),
  objectId: field(text(), 'R', { nullable: true }),
  metaData: field(text(), 'R', {
    nullable: true,
    from: ({ metaData }: FeedEvent) => metaDataText(metaData),
  }),
  createdDate: field(timestamp, 'R'),
});

/** Events in their order, and where to read on (platform §10.6). */
export const EventFeedModel = model('EventFeed', {
  events: field(listOf(FeedEventModel), 'R', { from: ({ events }: EventFeed) => events }),
  next: field(text(), 'R'),
});
