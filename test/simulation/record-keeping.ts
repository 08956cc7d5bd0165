import { type Books, billionths, by, is, type StoredRow } from './books.ts';
import type { Invariant } from './invariant.ts';

/** Invariant 5; invoicing §1.6 rule 6. */
export const committedForGood: Invariant = {
  name: 'committed invoices never change, voided ones never count',
  breaches: ({ books, earlier }) => {
    const invoiceOf = new Map(books.invoices.map((invoice) => [invoice.id, invoice]));
    const itemOf = new Map(books.invoice_items.map((item) => [item.id, item]));
    const statusOf = new Map(earlier.invoices.map(({ id, status }) => [id, status]));
    const known = new Set(earlier.invoice_items.map(({ id }) => id));
    const rewritten = earlier.invoices.flatMap((invoice) => {
      if (invoice.status === 'DRAFT') return [];
      const now = invoiceOf.get(invoice.id);
      const columns = invoice.status === 'VOID' ? Object.keys(invoice) : FIXED_OF_INVOICES;
      const became = invoice.status === 'COMMITTED' && now?.status === 'DRAFT' ? ['status'] : [];
      return [...became, ...columns.filter((column) => now?.[column] !== invoice[column])].map(
        (column) => `${column} of invoice ${invoice.id} was ${invoice[column]}, is ${now?.[column]}`,
      );
    });
    const changed = earlier.invoice_items.flatMap((item) => {
      if (statusOf.get(item.invoice_id) === 'DRAFT') return [];
      const now = itemOf.get(item.id);
      const free =
        item.item_type === 'CBA_ADJ' || item.item_type === 'CREDIT_ADJ' ? FREE_OF_CREDIT : FREE_OF_ITEMS;
      return Object.keys(item)
        .filter((column) => !free.includes(column) && now?.[column] !== item[column])
        .map((column) => `${column} of item ${item.id} was ${item[column]}, is ${now?.[column]}`);
    });
    const added = books.invoice_items.flatMap(({ id, invoice_id: invoice, item_type: type }) => {
      const status = known.has(id) ? undefined : statusOf.get(invoice);
      const isLate =
        status === 'VOID' || (status === 'COMMITTED' && type !== 'CBA_ADJ' && type !== 'ITEM_ADJ');
      return isLate ? [`${type} ${id} joined invoice ${invoice} that was ${status}`] : [];
    });
    const counted = books.coverage.flatMap(({ item_id: id }) => {
      const invoice = invoiceOf.get(itemOf.get(id ?? '')?.invoice_id ?? '');
      return invoice?.status === 'VOID' ? [`item ${id} of the void invoice ${invoice.id} covers days`] : [];
    });
    return [...rewritten, ...changed, ...added, ...counted];
  },
};

const FIXED_OF_INVOICES = [
  ...[
    'id',
    'account_id',
    'invoice_number',
    'invoice_date',
    'target_date',
    'commit_date',
    'currency',
    'is_migration',
  ],
  ...['is_parent_invoice', 'group_id', 'created_date'],
];
const FREE_OF_ITEMS = ['repairable'];
const FREE_OF_CREDIT = ['repairable', 'amount', 'description'];

/** Invariant 8. */
export const oneEventPerChange: Invariant = {
  name: 'one event per state change, in account order',
  breaches: ({ books }) => {
    const published = Map.groupBy(busEvents(books), (event) => event.what);
    const twice = [...published].flatMap(([what, events]) => {
      const most = mostPublished(books).get(what);
      return most !== undefined && events.length > most
        ? [`${what} was published ${events.length} times, not ${most}`]
        : [];
    });
    const never = mustBePublished(books).flatMap((what) =>
      published.has(what) ? [] : [`${what} was never published`],
    );
    const disorder = [...Map.groupBy(busEvents(books), ({ account }) => account).values()].flatMap((events) =>
      events.flatMap((event, index) =>
        event.at < (events[index - 1]?.at ?? 0)
          ? [`${event.what} of account ${event.account} is out of order`]
          : [],
      ),
    );
    return [...twice, ...never, ...disorder];
  },
};

interface PublishedEvent {
  readonly what: string;
  readonly account: string | null | undefined;
  readonly at: number;
}

const published = new WeakMap<Books, readonly PublishedEvent[]>();

function busEvents(books: Books): readonly PublishedEvent[] {
  const known = published.get(books);
  if (known !== undefined) return known;
  const rows = [...books.queue_entries, ...books.queue_history].filter(({ kind }) => kind === 'BUS');
  const events = rows
    .toSorted((a, b) => Number(a.record_id) - Number(b.record_id))
    .map((row) => ({ what: whatOf(row), account: row.account_record_id, at: Number(row.created_date) }));
  published.set(books, events);
  return events;
}

function whatOf({ topic, payload, record_id: recordId }: StoredRow): string {
  const facts = JSON.parse(payload ?? '{}') as Readonly<Record<string, unknown>>;
  if (topic?.startsWith('SUBSCRIPTION_') && facts.actionType === 'EFFECTIVE')
    return `${topic} ${String(facts.subscriptionId)} ${Date.parse(String(facts.effectiveDate))}`;
  if (topic === 'INVOICE_CREATION') return `${topic} ${String(facts.invoiceId)}`;
  if (topic === 'ACCOUNT_CREATION') return `${topic} ${String(facts.accountId)}`;
  return `${topic} ${recordId}`;
}

const TOPIC_OF: Readonly<Record<string, string>> = {
  CREATE: 'SUBSCRIPTION_CREATION',
  TRANSFER: 'SUBSCRIPTION_CREATION',
  CHANGE: 'SUBSCRIPTION_CHANGE',
  UNDO_CHANGE: 'SUBSCRIPTION_CHANGE',
  PHASE: 'SUBSCRIPTION_PHASE',
  CANCEL: 'SUBSCRIPTION_CANCEL',
  EXPIRED: 'SUBSCRIPTION_EXPIRED',
  BCD_CHANGE: 'SUBSCRIPTION_BCD_CHANGE',
  QUANTITY_CHANGE: 'SUBSCRIPTION_QUANTITY',
};

function eventOf({ type, subscription_id: id, effective }: StoredRow): string {
  return `${TOPIC_OF[type ?? ''] ?? type} ${id} ${effective}`;
}

const mosts = new WeakMap<Books, ReadonlyMap<string, number>>();

/** Withdrawn events may have been published before. */
function mostPublished(books: Books): ReadonlyMap<string, number> {
  const known = mosts.get(books);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  for (const event of books.subscription_events) {
    const what = eventOf(event);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  for (const { id } of books.invoices) counts.set(`INVOICE_CREATION ${id}`, 1);
  for (const { id } of books.accounts) counts.set(`ACCOUNT_CREATION ${id}`, 1);
  mosts.set(books, counts);
  return counts;
}

function mustBePublished(books: Books): readonly string[] {
  const active = by(
    books.subscription_events.filter((event) => is(event, 'is_active')),
    'subscription_id',
  );
  const happened = books.subscriptions
    .flatMap(({ id }) => beforeEnd(active(id)))
    .filter(({ effective, type }) => Number(effective) <= books.nowMs && !MARKERS.includes(String(type)));
  const committed = books.invoices.filter(({ commit_date: date }) => date !== null);
  return [
    ...happened.map(eventOf),
    ...committed.map(({ id }) => `INVOICE_CREATION ${id}`),
    ...books.accounts.map(({ id }) => `ACCOUNT_CREATION ${id}`),
  ];
}

/** Events after the end do not take effect (subscriptions §4.2 rule 1). */
function beforeEnd(events: readonly StoredRow[]): readonly StoredRow[] {
  const ends = events.filter(({ type }) => type === 'CANCEL' || type === 'EXPIRED');
  const end = Math.min(...ends.map(({ effective }) => Number(effective)));
  return events.filter(
    (event) => Number(event.effective) < end || ends.includes(event) || event.type === 'CREATE',
  );
}

const MARKERS: readonly string[] = ['UNCANCEL', 'UNDO_CHANGE'];

/** Invariant 9. */
export const auditedChanges: Invariant = {
  name: 'an audit row for each row change',
  breaches: ({ books }) => {
    const rowsOf = by(books.audit_log, 'target_id');
    return AUDITED.flatMap((audited) => {
      const { table, name } = audited;
      const facts = factsOf(audited);
      return books[table].flatMap((row) => {
        const audit = rowsOf(row.id).filter(({ table_name: of }) => of === name);
        const first = audit.filter(({ change_type: change }) => change === 'INSERT');
        const snapshot = JSON.parse(audit.at(-1)?.snapshot ?? '{}') as Readonly<Record<string, unknown>>;
        const stale = facts.filter(
          ([column, fact]) => audit.length > 0 && !isSame(snapshot[fact], row[column]),
        );
        return [
          ...(first.length === 1 ? [] : [`${name} ${row.id} was inserted ${first.length} times`]),
          ...stale.map(
            ([column, fact]) => `${column} of ${name} ${row.id} is ${row[column]}, audited ${snapshot[fact]}`,
          ),
        ];
      });
    });
  },
};

/** The history columns of each table (accounts §14.1) that the table also has. */
const AUDITED = [
  {
    table: 'accounts',
    name: 'ACCOUNT',
    same: 'external_key email name first_name_length currency parent_account_id is_payment_delegated_to_parent payment_method_id reference_time time_zone city phone notes',
    facts: { bill_cycle_day_local: 'billingCycleDayLocal', company: 'companyName', is_migrated: 'migrated' },
  },
  {
    table: 'bundles',
    name: 'BUNDLES',
    same: 'account_id original_created_date',
    facts: { updated_date: 'lastSysUpdateDate' },
  },
  {
    table: 'subscriptions',
    name: 'SUBSCRIPTIONS',
    same: 'bundle_id external_key category migrated',
    facts: { charged_through: 'chargedThroughDate' },
  },
  {
    table: 'subscription_events',
    name: 'SUBSCRIPTION_EVENTS',
    same: 'subscription_id plan_name phase_name price_list_name quantity is_active',
    facts: { sequence: 'totalOrdering', effective: 'effectiveDate', bill_cycle_day: 'billingCycleDayLocal' },
  },
  {
    table: 'blocking_states',
    name: 'BLOCKING_STATES',
    same: 'type service is_active',
    facts: {
      blocked_id: 'blockableId',
      state_name: 'state',
      is_block_change: 'blockChange',
      is_block_entitlement: 'blockEntitlement',
      is_block_billing: 'blockBilling',
      effective: 'effectiveDate',
    },
  },
  {
    table: 'invoices',
    name: 'INVOICES',
    same: 'account_id invoice_number invoice_date target_date currency status is_parent_invoice',
    facts: { is_migration: 'migrated', group_id: 'grpId' },
  },
  {
    table: 'invoice_items',
    name: 'INVOICE_ITEMS',
    same: 'invoice_id account_id child_account_id bundle_id subscription_id description product_name plan_name phase_name start_date end_date amount rate currency linked_item_id quantity catalog_effective_date',
    facts: { item_type: 'type' },
  },
  {
    table: 'payments',
    name: 'PAYMENTS',
    same: 'account_id payment_method_id external_key state_name last_success_state_name',
    facts: { payment_number: 'paymentNumber' },
  },
  {
    table: 'payment_transactions',
    name: 'PAYMENT_TRANSACTIONS',
    same: 'attempt_id payment_id transaction_type effective_date amount currency processed_amount processed_currency gateway_error_code gateway_error_msg',
    facts: { status: 'transactionStatus', external_key: 'transactionExternalKey' },
  },
  {
    table: 'payment_attempts',
    name: 'PAYMENT_ATTEMPTS',
    same: 'account_id payment_method_id payment_external_key transaction_id transaction_external_key transaction_type state_name amount currency',
    facts: {},
  },
  {
    table: 'invoice_payments',
    name: 'INVOICE_PAYMENTS',
    same: 'type invoice_id payment_id payment_date amount currency processed_currency linked_invoice_payment_id status',
    facts: { transaction_external_key: 'paymentCookieId' },
  },
  {
    table: 'payment_methods',
    name: 'PAYMENT_METHODS',
    same: 'external_key account_id plugin_name is_active',
    facts: {},
  },
  { table: 'tags', name: 'TAG', same: 'tag_definition_id object_id object_type is_active', facts: {} },
] as const satisfies readonly AuditedTable[];

interface AuditedTable {
  readonly table: keyof Books;
  readonly name: string;
  /** Columns with the same name in the history, in camel case. */
  readonly same: string;
  /** Columns with another name in the history. */
  readonly facts: Readonly<Record<string, string>>;
}

function factsOf({ same, facts }: AuditedTable): readonly (readonly [column: string, fact: string])[] {
  const camelCase = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [...same.split(' ').map((column) => [column, camelCase(column)] as const), ...Object.entries(facts)];
}

function isSame(audited: unknown, stored: string | null | undefined): boolean {
  if (audited === null || audited === undefined) return stored === null;
  if (typeof audited === 'boolean') return stored === (audited ? '1' : '0');
  if (typeof audited === 'number') return billionths(String(audited)) === billionths(stored);
  const text = String(audited);
  return text === stored || String(Date.parse(text)) === stored;
}

/** Invariant 10: rows refer only to rows of their tenant and account. */
export const noCrossing: Invariant = {
  name: 'no reference crosses tenants',
  breaches: ({ books }) =>
    REFERENCES.flatMap(({ from, column, to }) => {
      const targets = new Map(books[to].map((row) => [row.id, row]));
      return books[from].flatMap((row) => {
        const id = row[column];
        if (id === null || id === undefined) return [];
        const target = targets.get(id);
        const account = target?.account_record_id ?? (to === 'accounts' ? target?.record_id : undefined);
        const isOwn = target?.tenant_record_id === row.tenant_record_id && account === row.account_record_id;
        return isOwn ? [] : [`${column} of ${from} ${row.record_id} is ${target ? 'foreign' : 'unknown'}`];
      });
    }),
};

const REFERENCES = [
  { from: 'bundles', column: 'account_id', to: 'accounts' },
  { from: 'former_bundle_keys', column: 'bundle_id', to: 'bundles' },
  { from: 'subscriptions', column: 'bundle_id', to: 'bundles' },
  { from: 'subscriptions', column: 'account_id', to: 'accounts' },
  { from: 'subscription_events', column: 'subscription_id', to: 'subscriptions' },
  { from: 'invoices', column: 'account_id', to: 'accounts' },
  { from: 'invoice_items', column: 'invoice_id', to: 'invoices' },
  { from: 'invoice_items', column: 'subscription_id', to: 'subscriptions' },
  { from: 'invoice_items', column: 'bundle_id', to: 'bundles' },
  { from: 'invoice_items', column: 'linked_item_id', to: 'invoice_items' },
  { from: 'coverage', column: 'item_id', to: 'invoice_items' },
  { from: 'coverage', column: 'subscription_id', to: 'subscriptions' },
  { from: 'invoicing_cursors', column: 'subscription_id', to: 'subscriptions' },
  { from: 'payments', column: 'account_id', to: 'accounts' },
  { from: 'payments', column: 'payment_method_id', to: 'payment_methods' },
  { from: 'payment_transactions', column: 'payment_id', to: 'payments' },
  { from: 'invoice_payments', column: 'invoice_id', to: 'invoices' },
  { from: 'invoice_payments', column: 'payment_id', to: 'payments' },
] as const;

/** Invariant 15. */
export const futureIsQueued: Invariant = {
  name: 'every account with a future billing event has a queue entry for it',
  breaches: ({ books }) => {
    const live = new Set(
      books.queue_entries.map(({ tenant_record_id: tenant, unique_key: key }) => `${tenant} ${key}`),
    );
    const isMissing = (row: StoredRow, key: string): boolean => !live.has(`${row.tenant_record_id} ${key}`);
    const isAhead = (row: StoredRow): boolean => is(row, 'is_active') && Number(row.effective) > books.nowMs;
    return [
      ...books.subscription_events
        .filter((row) => isAhead(row) && isMissing(row, `subscription-service:subscription-events:${row.id}`))
        .map(({ id, type }) => `${type} ${id}`),
      ...books.blocking_states
        .filter((row) => isAhead(row) && isMissing(row, `entitlement-service:entitlement-events:${row.id}`))
        .map(({ id, state_name: name }) => `${name} ${id}`),
      ...books.invoicing_cursors
        .filter(
          (row) =>
            row.next_due_date !== null &&
            isMissing(row, `invoice-run:${row.account_record_id}:${row.next_due_date}`),
        )
        .map(({ subscription_id: id, next_due_date: date }) => `run of subscription ${id} on ${date}`),
    ];
  },
};

/** Invariant 16, when nothing is due. */
export const oneOutcome: Invariant = {
  name: 'every queue entry ends in exactly one outcome',
  breaches: ({ books }) => {
    const all = [...books.queue_entries, ...books.queue_history];
    const doubled = [...Map.groupBy(all, ({ record_id: id }) => id)].filter(([, rows]) => rows.length > 1);
    const undone = books.queue_entries.filter(
      ({ processing_state: state, effective_date: at }) => state !== 'AVAILABLE' || Number(at) <= books.nowMs,
    );
    const odd = books.queue_history.filter(
      ({ processing_state: state }) => !OUTCOMES.includes(String(state)),
    );
    return [
      ...doubled.map(([id]) => `entry ${id} is there twice`),
      ...undone.map(
        ({ record_id: id, topic, processing_state: state }) => `entry ${id} ${topic} is still ${state}`,
      ),
      ...odd.map(
        ({ record_id: id, topic, processing_state: state }) => `entry ${id} ${topic} ended as ${state}`,
      ),
    ];
  },
};

const OUTCOMES: readonly string[] = ['PROCESSED', 'REMOVED', 'FAILED', 'REAPED'];
