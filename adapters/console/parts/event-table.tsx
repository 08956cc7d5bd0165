import { instant, shortId, words } from '../core/index.ts';
import { texts } from '../texts.ts';
import { IdLink } from './layout.tsx';
import type { Column } from './table.tsx';

const pages: Readonly<Record<string, string>> = {
  ACCOUNT: '/accounts',
  INVOICE: '/invoices',
  PAYMENT: '/payments',
  SUBSCRIPTION: '/subscriptions',
};

/** The kind of an object, with a link to its page if it has one. */
export function ObjectLink(props: { readonly type: string; readonly id: string | null }) {
  const { type, id } = props;
  const page = pages[type];
  if (id === null) return <>{words(type)}</>;
  const label = `${words(type)} ${shortId(id)}`;
  return page === undefined ? <span title={id}>{label}</span> : <IdLink page={page} id={id} label={label} />;
}

/** Data of an object as JSON, folded until the user opens it. */
export function Json(props: { readonly value: unknown; readonly title?: string }) {
  return (
    <details>
      <summary>{props.title ?? texts.operations.data}</summary>
      <pre>{JSON.stringify(props.value, null, 2)}</pre>
    </details>
  );
}

/** An event of the feed, as far as tables show it. */
export interface ShownEvent {
  readonly id: string;
  readonly eventType: string;
  readonly accountId: string | null;
  readonly accountName: string;
  readonly objectType: string;
  readonly objectId: string | null;
  readonly metaData: unknown;
  readonly createdDate: Date;
}

/** Columns of a table of events. */
export const eventColumns: readonly Column<ShownEvent>[] = [
  { title: texts.operations.time, cell: ({ createdDate }) => instant(createdDate) },
  { title: texts.operations.event, cell: ({ eventType }) => words(eventType) },
  {
    title: texts.operations.object,
    cell: ({ objectType, objectId }) => <ObjectLink type={objectType} id={objectId} />,
  },
  {
    title: texts.operations.account,
    cell: ({ accountId, accountName }) =>
      accountId !== null && <IdLink page="/accounts" id={accountId} label={accountName} />,
  },
  {
    title: texts.operations.data,
    cell: ({ metaData }) => metaData !== null && <Json value={metaData} title={texts.operations.show} />,
  },
];

/** Types of events, for filters. */
export const eventTypes = [
  'ACCOUNT_CREATION',
  'ACCOUNT_CHANGE',
  'SUBSCRIPTION_CREATION',
  'SUBSCRIPTION_CHANGE',
  'SUBSCRIPTION_PHASE',
  'SUBSCRIPTION_CANCEL',
  'SUBSCRIPTION_UNCANCEL',
  'SUBSCRIPTION_EXPIRED',
  'SUBSCRIPTION_BCD_CHANGE',
  'SUBSCRIPTION_QUANTITY',
  'TRIAL_ENDING',
  'ENTITLEMENT_CREATION',
  'ENTITLEMENT_CANCEL',
  'BUNDLE_PAUSE',
  'BUNDLE_RESUME',
  'BLOCKING_STATE',
  'OVERDUE_CHANGE',
  'INVOICE_CREATION',
  'INVOICE_ADJUSTMENT',
  'INVOICE_NOTIFICATION',
  'INVOICE_PAYMENT_SUCCESS',
  'INVOICE_PAYMENT_FAILED',
  'E_INVOICE_FAILED',
  'PAYMENT_SUCCESS',
  'PAYMENT_FAILED',
  'USAGE_THRESHOLD',
  'QUOTA_THRESHOLD',
  'FEATURE_CHANGE',
  'COUPON_REDEEMED',
  'COUPON_ENDED',
  'TAG_CREATION',
  'TAG_DELETION',
  'CUSTOM_FIELD_CREATION',
  'CUSTOM_FIELD_DELETION',
  'TENANT_CONFIG_CHANGE',
  'TENANT_CONFIG_DELETION',
  'BROADCAST_SERVICE',
] as const;

export type EventType = (typeof eventTypes)[number];

/** The type in a filter of the URL; undefined for all types. */
export function eventTypeOf(text: string | null): EventType | undefined {
  return eventTypes.find((type) => type === text);
}
