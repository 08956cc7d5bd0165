import { type Amount, instant, money, type ResultOf, words } from '../core/index.ts';
import { IdLink, Json, ObjectLink } from './layout.tsx';
import type { Column } from './table.tsx';

export interface OfAccount {
  readonly accountId: string;
  readonly accountName: string;
}

/** The account of each row, with its name. */
export const accountColumn = [
  'account',
  ({ accountId, accountName }) => <IdLink page="/accounts" id={accountId} label={accountName} />,
] as const satisfies Column<OfAccount>;

interface Priced {
  readonly amount: Amount;
  readonly currency: string | null;
}

export const amountColumn: Column<Priced> = [
  'amount',
  ({ amount, currency }) => money(amount, currency),
  'number',
];

export type Event = ResultOf<'events', 'list'>['events'][number] & { readonly accountName: string };

export const eventColumns: readonly Column<Event>[] = [
  ['time', ({ createdDate }) => instant(createdDate)],
  ['event', ({ eventType }) => words(eventType)],
  ['object', (event) => <ObjectLink {...event} />],
  [
    'account',
    ({ accountId, accountName }) =>
      accountId !== null && <IdLink page="/accounts" id={accountId} label={accountName} />,
  ],
  ['', ({ metaData }) => metaData !== null && <Json value={metaData} />],
];
