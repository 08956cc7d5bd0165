import { eachDatabase, expect, openEngine } from '../support/index.ts';
import { invariants } from './all.ts';
import type { Books, StoredRow } from './books.ts';
import { breachesOf, type Evidence } from './invariant.ts';
import { gather } from './observe.ts';
import { live } from './program.ts';
import { Random } from './random.ts';
import { Town } from './town.ts';

type Table = Exclude<keyof Books, 'nowMs'>;
type Change = (row: StoredRow) => Partial<StoredRow>;

const broken: Readonly<Record<string, readonly ((evidence: Evidence) => Evidence)[]>> = {
  'invoice balance = items − payments + refunds, exactly': [
    changed(
      'invoices',
      () => true,
      () => ({ raw_balance: '0.01' }),
    ),
    changed(
      'invoice_payments',
      ({ status }) => status === 'SUCCESS',
      () => ({ amount: '0.01' }),
    ),
    without('invoice_items', ({ item_type: type }) => type === 'RECURRING'),
  ],
  'account balance = sum of invoice balances − credit': [
    changed(
      'invoicing_states',
      () => true,
      () => ({ account_balance: '12345.67' }),
    ),
    changed(
      'invoicing_states',
      () => true,
      () => ({ account_cba: '12345.67' }),
    ),
  ],
  'active recurring items cover each subscription day up to the charged-through date once': [
    without('invoice_items', ({ item_type: type, end_date: end }) => type === 'RECURRING' && end !== null),
    (evidence) => doubled('invoice_items', isInForce(evidence))(evidence),
    observing({ coverageDifferences: ['a subscription'] }),
  ],
  'the fixed price of a phase is billed once': [
    doubled('invoice_items', ({ item_type: type }) => type === 'FIXED', { amount: '777' }),
  ],
  'a change of seats or price keeps the end of the current period': [withLongerRests],
  'committed invoices never change, voided ones never count': [
    changed(
      'invoices',
      ({ status }) => status === 'COMMITTED',
      () => ({ invoice_number: '777' }),
    ),
    changed(
      'invoice_items',
      ({ item_type: type }) => type === 'RECURRING',
      () => ({ amount: '0.01' }),
    ),
    doubled('invoice_items', ({ item_type: type }) => type === 'RECURRING', { id: 'another' }),
    changed(
      'invoices',
      ({ status }) => status === 'COMMITTED',
      () => ({ status: 'DRAFT' }),
    ),
  ],
  'refunds never exceed captured': [
    doubled('payment_transactions', ({ status }) => status === 'SUCCESS', {
      transaction_type: 'REFUND',
      processed_amount: '999999',
    }),
  ],
  'at most one unresolved payment attempt per invoice': [
    (evidence) =>
      doubled(
        'invoice_payments',
        ({ status }) => status === 'PENDING',
      )(
        changed(
          'invoice_payments',
          () => true,
          () => ({ status: 'PENDING' }),
        )(evidence),
      ),
  ],
  'one event per state change, in account order': [
    doubled('queue_history', ({ topic }) => topic === 'INVOICE_CREATION'),
    without('queue_history', ({ topic }) => topic === 'INVOICE_CREATION'),
    without(
      'queue_history',
      ({ topic, payload }) => topic === 'SUBSCRIPTION_CREATION' && payload?.includes('EFFECTIVE') === true,
    ),
    changed(
      'queue_history',
      ({ kind, account_record_id: account }) => kind === 'BUS' && account !== null,
      () => ({ created_date: String(Number.MAX_SAFE_INTEGER) }),
    ),
  ],
  'an audit row for each row change': [
    without('audit_log', ({ table_name: name }) => name === 'SUBSCRIPTION_EVENTS'),
    changed(
      'subscription_events',
      ({ is_active: active }) => active === '1',
      () => ({ is_active: '0' }),
    ),
    changed(
      'subscriptions',
      ({ charged_through: date }) => date !== null,
      () => ({ charged_through: '1' }),
    ),
    doubled(
      'audit_log',
      ({ table_name: name, change_type: type }) => name === 'INVOICES' && type === 'INSERT',
    ),
  ],
  'no reference crosses tenants': [
    changed(
      'invoices',
      ({ tenant_record_id: tenant }) => tenant === '1',
      () => ({ tenant_record_id: '2' }),
    ),
    changed(
      'payments',
      () => true,
      () => ({ payment_method_id: 'nobody' }),
    ),
    changed(
      'subscriptions',
      () => true,
      (row) => ({ account_record_id: `${row.account_record_id}0` }),
    ),
  ],
  'entitlement state is derivable from events alone': [
    without('blocking_states', ({ state_name: name }) => name === 'ENT_STARTED'),
    (evidence) => {
      const states = [...evidence.observed.states].map(([id]) => [id, 'BLOCKED'] as const);
      return observing({ states: new Map(states) })(evidence);
    },
  ],
  'a dry run equals the next real run if nothing changes in between': [
    (evidence) => {
      const [first] = evidence.observed.foreseen;
      if (first === undefined) throw new Error('nothing was foreseen');
      return observing({ foreseen: [{ ...first, run: ['RECURRING'] }] })(evidence);
    },
  ],
  're-running a completed operation or run changes nothing': [
    observing({ changedByRepetition: ['an account'] }),
  ],
  'credit notes cover each reduction of a committed invoice once, numbered without gaps': [
    without('credit_notes', ({ reason }) => reason === 'REPAIR'),
    without('credit_notes', ({ reason }) => reason === 'ADJUSTMENT'),
    without('credit_notes', ({ reason }) => reason === 'VOID'),
    changed(
      'credit_notes',
      ({ reason }) => reason === 'VOID',
      () => ({ amount: '0.01' }),
    ),
    changed(
      'credit_notes',
      ({ reason }) => reason === 'REPAIR',
      () => ({ lines: '[]', amount: '0' }),
    ),
    changed(
      'credit_notes',
      () => true,
      () => ({ credit_note_number: '777' }),
    ),
    changed(
      'credit_notes',
      ({ reason }) => reason === 'REPAIR',
      () => ({ reason: 'ADJUSTMENT' }),
    ),
  ],
  'the residue of any split is zero': [
    changed(
      'invoice_items',
      ({ item_type: type }) => type === 'RECURRING',
      () => ({ repairable: '0.01' }),
    ),
    changed(
      'coverage',
      ({ kind }) => kind === 'RECURRING',
      () => ({ amount: '0.01' }),
    ),
    without('coverage', ({ kind }) => kind === 'RECURRING'),
  ],
  'every account with a future billing event has a queue entry for it': [
    without('queue_entries', ({ topic }) => topic === 'invoice-service:next-billing-date-queue'),
    without('queue_entries', ({ topic }) => topic === 'subscription-service:subscription-events'),
  ],
  'every queue entry ends in exactly one outcome': [
    doubled('queue_history', () => true),
    changed(
      'queue_history',
      () => true,
      () => ({ processing_state: 'IN_PROCESSING' }),
    ),
    changed(
      'queue_entries',
      () => true,
      () => ({ effective_date: '1' }),
    ),
  ],
};

eachDatabase.describe('invariant checks', (open) => {
  let evidence: Evidence;
  before(async () => {
    const engine = await openEngine(open, {
      now: '2024-01-29T15:20:11Z',
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    const town = await Town.found(engine, new Random(22), 12);
    await live(town, { days: 90, mostDaysPerStep: 8, operationsPerStep: 6 });
    evidence = await gather(town, 12);
    await engine.close();
  });

  it('find no violation in a small simulation', () => expect(breachesOf(invariants, evidence)).to.eql([]));

  it('include an example of broken data for each invariant', () =>
    expect(Object.keys(broken)).to.have.members(invariants.map(({ name }) => name)));

  for (const { name, breaches } of invariants)
    it(`detect a violation of "${name}"`, () => {
      for (const [index, breaking] of (broken[name] ?? []).entries())
        expect(breaches(breaking(evidence)), `way ${index + 1}`).to.be.an('array').that.is.not.empty;
    });
});

/** Returns true if an item of a counted invoice is not fully repaired. */
function isInForce({ books }: Evidence): (item: StoredRow) => boolean {
  const billed = books.coverage.filter(({ kind }) => kind === 'RECURRING').map((row) => row.item_id);
  return ({ id }) => billed.includes(id ?? null);
}

/** Splits each charge on its second day, with a rest that ends a day after the charge. */
function withLongerRests(evidence: Evidence): Evidence {
  const nextDay = (date: string | null | undefined): string =>
    new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return replaced(evidence, 'invoice_items', (rows) =>
    rows.flatMap((row): readonly StoredRow[] => {
      if (row.item_type !== 'RECURRING') return [row];
      const start = nextDay(row.start_date);
      const repair = {
        ...row,
        id: `${row.id} repaired`,
        item_type: 'REPAIR_ADJ',
        linked_item_id: row.id ?? null,
      };
      const rest = { ...row, id: `${row.id} rest`, end_date: nextDay(row.end_date) };
      return [row, { ...repair, start_date: start }, { ...rest, start_date: start }];
    }),
  );
}

function changed(table: Table, isSo: (row: StoredRow) => boolean, change: Change) {
  return (evidence: Evidence): Evidence => {
    const at = placeOf(evidence, table, isSo);
    return replaced(
      evidence,
      table,
      (rows) =>
        rows.map((row, index) => (index === at ? { ...row, ...change(row) } : row)) as readonly StoredRow[],
    );
  };
}

/** Removes all matching rows, at least one. */
function without(table: Table, isSo: (row: StoredRow) => boolean) {
  return (evidence: Evidence): Evidence => {
    placeOf(evidence, table, isSo);
    return replaced(evidence, table, (rows) => rows.filter((row) => !isSo(row)));
  };
}

function doubled(table: Table, isSo: (row: StoredRow) => boolean, change: Partial<StoredRow> = {}) {
  return (evidence: Evidence): Evidence => {
    const row = evidence.books[table][placeOf(evidence, table, isSo)];
    return replaced(evidence, table, (rows) => [...rows, { ...row, ...change } as StoredRow]);
  };
}

function observing(observed: Partial<Evidence['observed']>) {
  return (evidence: Evidence): Evidence => ({ ...evidence, observed: { ...evidence.observed, ...observed } });
}

function placeOf({ books }: Evidence, table: Table, isSo: (row: StoredRow) => boolean): number {
  const at = books[table].findIndex(isSo);
  if (at < 0) throw new Error(`no row of ${table} to break`);
  return at;
}

function replaced(
  evidence: Evidence,
  table: Table,
  change: (rows: readonly StoredRow[]) => readonly StoredRow[],
): Evidence {
  return { ...evidence, books: { ...evidence.books, [table]: change(evidence.books[table]) } };
}
