import {
  BlockingStateType,
  BusEventType,
  type NewBusEvent,
  ObjectType,
  type OutwardEventType,
} from '../records/index.ts';
import { InvariantError } from '../values/errors/index.ts';
import { stringifyExactJson } from '../values/money/index.ts';

/** The public form of an event. The order of its fields is fixed (platform §10.2 rule 3). */
export interface ExternalEvent {
  readonly eventType: BusEventType;
  readonly accountId: string | null;
  readonly objectType: ObjectType;
  readonly objectId: string | null;
  /** Data of the event as JSON text. */
  readonly metaData: string | null;
}

type Payload = NewBusEvent['payload'];

/** Describes how a payload is converted to the fields of a push. */
interface Form {
  readonly objectType: ObjectType | ((payload: Payload) => ObjectType);
  /** Name of the payload field that contains the id of the object. */
  readonly id: string;
  readonly metaData: (payload: Payload) => unknown;
}

const none = (): null => null;
const readMetaData = ({ metaData }: Payload): unknown => metaData ?? null;

const account: Form = { objectType: ObjectType.ACCOUNT, id: 'accountId', metaData: none };
const subscription: Form = {
  objectType: ObjectType.SUBSCRIPTION,
  id: 'subscriptionId',
  metaData: ({ actionType, bundleExternalKey, subscriptionChangeUndo }) => ({
    actionType,
    bundleExternalKey,
    subscriptionChangeUndo,
  }),
};
const redemption: Form = {
  objectType: ({ subscriptionId }) =>
    subscriptionId === null ? ObjectType.ACCOUNT : ObjectType.SUBSCRIPTION,
  id: 'objectId',
  metaData: readMetaData,
};
const entitlement: Form = { ...subscription, metaData: none };
const blocking: Form = { objectType: blockedType, id: 'blockedId', metaData: none };
const invoice: Form = { objectType: ObjectType.INVOICE, id: 'invoiceId', metaData: none };
const invoicePayment: Form = { ...invoice, metaData: readMetaData };
const payment: Form = { objectType: ObjectType.PAYMENT, id: 'paymentId', metaData: readMetaData };
const tag: Form = { objectType: ObjectType.TAG, id: 'tagId', metaData: readMetaData };
const customField: Form = { objectType: ObjectType.CUSTOM_FIELD, id: 'customFieldId', metaData: none };
const tenantValue: Form = { objectType: ObjectType.TENANT_KVS, id: 'objectId', metaData: readMetaData };

/** Public forms of events by type, or null for internal types. */
const forms: Readonly<
  Record<OutwardEventType, Form> & Record<Exclude<BusEventType, OutwardEventType>, null>
> = {
  [BusEventType.ACCOUNT_CREATION]: account,
  [BusEventType.ACCOUNT_CHANGE]: account,
  [BusEventType.SUBSCRIPTION_CREATION]: subscription,
  [BusEventType.SUBSCRIPTION_CHANGE]: subscription,
  [BusEventType.SUBSCRIPTION_PHASE]: subscription,
  [BusEventType.SUBSCRIPTION_CANCEL]: subscription,
  [BusEventType.SUBSCRIPTION_UNCANCEL]: subscription,
  [BusEventType.SUBSCRIPTION_EXPIRED]: subscription,
  [BusEventType.SUBSCRIPTION_BCD_CHANGE]: subscription,
  [BusEventType.SUBSCRIPTION_QUANTITY]: subscription,
  [BusEventType.USAGE_THRESHOLD]: { ...subscription, metaData: readMetaData },
  [BusEventType.TRIAL_ENDING]: { ...subscription, metaData: readMetaData },
  [BusEventType.COUPON_REDEEMED]: redemption,
  [BusEventType.COUPON_ENDED]: redemption,
  [BusEventType.FEATURE_CHANGE]: { ...account, metaData: readMetaData },
  [BusEventType.QUOTA_THRESHOLD]: { ...account, metaData: readMetaData },
  [BusEventType.ENTITLEMENT_CREATION]: entitlement,
  [BusEventType.ENTITLEMENT_CANCEL]: entitlement,
  [BusEventType.BUNDLE_PAUSE]: blocking,
  [BusEventType.BUNDLE_RESUME]: blocking,
  [BusEventType.BLOCKING_STATE]: { ...blocking, metaData: readMetaData },
  [BusEventType.OVERDUE_CHANGE]: { ...account, metaData: readMetaData },
  [BusEventType.INVOICE_CREATION]: invoice,
  [BusEventType.INVOICE_ADJUSTMENT]: invoice,
  [BusEventType.INVOICE_NOTIFICATION]: { ...invoice, metaData: readMetaData },
  [BusEventType.INVOICE_PAYMENT_SUCCESS]: invoicePayment,
  [BusEventType.INVOICE_PAYMENT_FAILED]: invoicePayment,
  [BusEventType.E_INVOICE_FAILED]: { ...invoice, metaData: readMetaData },
  [BusEventType.PAYMENT_SUCCESS]: payment,
  [BusEventType.PAYMENT_FAILED]: payment,
  [BusEventType.TAG_CREATION]: tag,
  [BusEventType.TAG_DELETION]: tag,
  [BusEventType.CUSTOM_FIELD_CREATION]: customField,
  [BusEventType.CUSTOM_FIELD_DELETION]: customField,
  [BusEventType.TENANT_CONFIG_CHANGE]: tenantValue,
  [BusEventType.TENANT_CONFIG_DELETION]: tenantValue,
  [BusEventType.BROADCAST_SERVICE]: {
    objectType: ObjectType.SERVICE_BROADCAST,
    id: 'objectId',
    metaData: readMetaData,
  },
  [BusEventType.PAYMENT_UNRESOLVED]: null,
  [BusEventType.CHILD_INVOICE_CHANGE]: null,
  [BusEventType.NULL_INVOICE]: null,
};

export function isOutward(type: BusEventType): type is OutwardEventType {
  return forms[type] !== null;
}

/**
 * Returns the events up to the first event of an unknown type. That event and all later ones must wait for a newer node
 * (platform §15 rule 5).
 */
export function knownEvents<E extends Pick<NewBusEvent, 'type'>>(events: readonly E[]): readonly E[] {
  const unknown = events.findIndex((event) => !isKnown(event));
  return unknown < 0 ? events : events.slice(0, unknown);
}

export function isKnown({ type }: Pick<NewBusEvent, 'type'>): boolean {
  return externalEventTypes[type] !== undefined;
}

export const externalEventTypes: Readonly<Record<string, OutwardEventType>> = Object.fromEntries(
  Object.values(BusEventType)
    .filter(isOutward)
    .map((type) => [type, type]),
);

/** Returns the public form of a bus event (platform §10.4) with its `metaData`, or null for an internal event. */
export function outwardForm({
  type,
  payload,
}: Pick<NewBusEvent, 'type' | 'payload'>): (Omit<ExternalEvent, 'metaData'> & { metaData: unknown }) | null {
  const form = forms[type];
  if (form === null) return null;
  return {
    eventType: type,
    accountId: textOf(type, payload, 'accountId'),
    objectType: typeof form.objectType === 'function' ? form.objectType(payload) : form.objectType,
    objectId: textOf(type, payload, form.id),
    metaData: form.metaData(payload),
  };
}

export function externalEvent(event: Pick<NewBusEvent, 'type' | 'payload'>): ExternalEvent | null {
  const form = outwardForm(event);
  return form === null ? null : { ...form, metaData: metaDataText(form.metaData) };
}

export function metaDataText(metaData: unknown): string | null {
  return metaData === null ? null : stringifyExactJson(metaData);
}

/** Returns the body of a push. It has exactly five fields. */
export function pushBody({ eventType, accountId, objectType, objectId, metaData }: ExternalEvent): string {
  return JSON.stringify({ eventType, accountId, objectType, objectId, metaData });
}

function blockedType({ blockingType }: Payload): ObjectType {
  switch (blockingType) {
    case BlockingStateType.ACCOUNT:
      return ObjectType.ACCOUNT;
    case BlockingStateType.SUBSCRIPTION:
      return ObjectType.SUBSCRIPTION;
    case BlockingStateType.SUBSCRIPTION_BUNDLE:
      return ObjectType.BUNDLE;
    default:
      throw new InvariantError('A blocking state blocks an account, a bundle or a subscription', {
        blockingType,
      });
  }
}

function textOf(type: BusEventType, payload: Payload, member: string): string | null {
  const value = payload[member];
  if (typeof value === 'string' || value === null) return value;
  throw new InvariantError(`A bus event ${type} has no ${member}`, { type });
}
