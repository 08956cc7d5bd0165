import type { CatalogOfAccount, CatalogProvider } from '../catalog/index.ts';
import { effectiveTargetDate, type InvoicingConfigOf, verifyAccounts } from '../invoicing/index.ts';
import type { OverdueConfigOf } from '../overdue/index.ts';
import type { PaymentConfigOf } from '../payments/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { Account, CreditNote, TenantRef } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { CHECKED_RECORDS_AT_ONCE, MAX_CLOCK_SKEW_MS } from '../values/limits.ts';
import { formatDecimal, sum } from '../values/money/index.ts';
import { type Instant, localDateOf } from '../values/time/index.ts';
import { checkPayments, checkQueued } from './check-accounts.ts';
import { checkInvoices } from './check-invoices.ts';
import { checkOverdue } from './check-overdue.ts';
import { checkUsageDays } from './check-usage.ts';
import { type Breach, CheckedInvariant, type FindingOfAccount, pagesBy } from './model.ts';

/** Number of tenants or accounts that are read at a time. */
const CHECKED_TENANTS_AT_ONCE = 100;
const CHECKED_ACCOUNTS_AT_ONCE = 100;

interface OwnedRecord {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
}

interface ConfigsOf {
  readonly invoicing: InvoicingConfigOf;
  readonly payments: PaymentConfigOf;
  readonly overdue: OverdueConfigOf;
}

/**
 * Searches stored data for inconsistencies. The search only reads, takes no locks and can run while the engine is busy.
 * Each part is read from one snapshot. Memory use depends on the size of the largest account.
 */
export function dataChecks(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  catalogs: CatalogProvider,
  configOf: ConfigsOf,
): CheckOperations {
  const { checks } = storage;

  async function aheadOfClock(): Promise<Instant | null> {
    const latest = await checks.latestWork();
    return latest !== null && latest - clock.now() > MAX_CLOCK_SKEW_MS ? latest : null;
  }

  async function* allTenants(): AsyncIterable<TenantRef> {
    const limit = CHECKED_TENANTS_AT_ONCE;
    const pages = pagesBy(limit, recordIdOf, (after = 0) =>
      checks.tenantsAfter({ afterRecordId: after, limit }),
    );
    for await (const found of pages) yield* found.map(({ id, recordId }) => ({ id, recordId }));
  }

  async function* ofAccounts(
    tenant: TenantRef,
    isTimeKnown: boolean,
    done: (accounts: number) => void,
  ): AsyncIterable<Breach> {
    const limit = CHECKED_ACCOUNTS_AT_ONCE;
    const pages = pagesBy(limit, recordIdOf, (after = 0) =>
      storage.read(tenant, ({ accounts }) => accounts.findAfter({ afterRecordId: after, limit })),
    );
    for await (const accounts of pages) {
      for (const { accountId, invariant, message } of await accountsOf(tenant, accounts, isTimeKnown))
        yield { invariant, tenantId: tenant.id, accountId, message };
      done(accounts.length);
    }
  }

  async function* ofCreditNotes(tenant: TenantRef): AsyncIterable<Breach> {
    let last = 0;
    const numberOf = ({ creditNoteNumber }: CreditNote) => creditNoteNumber;
    const pages = pagesBy(CHECKED_RECORDS_AT_ONCE, numberOf, (after = 0) =>
      storage.read(tenant, ({ creditNotes }) => creditNotes.afterNumber(after, CHECKED_RECORDS_AT_ONCE)),
    );
    for await (const notes of pages) {
      for (const finding of wrongCreditNotes(notes, last)) yield { ...finding, tenantId: tenant.id };
      last = notes.at(-1)?.creditNoteNumber ?? last;
    }
  }

  async function accountsOf(
    tenant: TenantRef,
    listed: readonly Account[],
    isTimeKnown: boolean,
  ): Promise<readonly FindingOfAccount[]> {
    if (listed.length === 0) return [];
    const now = clock.now();
    const ids = listed.map(({ id }) => id);
    const catalogsOf = await catalogs.open({ tenant, now, accounts: ids });
    return storage.read(tenant, async (session) => {
      // The accounts are read again, so that everything comes from one snapshot.
      const accounts = await session.accounts.findByIds(ids);
      const lasting = [
        ...(await checkInvoices(session, accounts)),
        ...(await checkUsageDays(session, accounts)),
        ...(await checkPayments(session, accounts, await configOf.payments(session))),
      ];
      if (!isTimeKnown) return lasting;
      return [
        ...lasting,
        ...(await checkQueued(session, accounts, now)),
        ...(await checkOverdue(session, accounts, { config: await configOf.overdue(session), now })),
        ...(await coverage(session, { accounts, now, catalogOf: await catalogsOf(session, ids) })),
      ];
    });
  }

  async function coverage(
    session: ReadSession,
    {
      accounts,
      now,
      catalogOf,
    }: { readonly accounts: readonly Account[]; readonly now: Instant; readonly catalogOf: CatalogOfAccount },
  ): Promise<readonly FindingOfAccount[]> {
    const config = await configOf.invoicing(session);
    const billed = accounts.filter(({ currency }) => currency !== null);
    const states = await session.invoices.loadStates(billed.map(({ id }) => id));
    const stateOf = new Map(states.map((state) => [state.accountId, state]));
    const verified = await verifyAccounts(session, {
      catalogOf,
      config,
      accounts: billed.map((account) => {
        const state = stateOf.get(account.id) ?? null;
        const targetDate = effectiveTargetDate({
          requested: null,
          today: localDateOf(now, account.timeZone),
          maxTargetDate: state?.maxTargetDate ?? null,
          maxMonthsInFuture: config.maxMonthsInFuture,
        });
        return { account, state, targetDate };
      }),
    });
    const invariant = CheckedInvariant.COVERAGE;
    return verified.flatMap(({ account: { id: accountId }, differences, error }) => [
      ...differences.map(({ subscriptionId, expected, found }) => ({
        accountId,
        invariant,
        message: `The next run would create ${found.length} items for subscription ${subscriptionId}, which differ from the ${expected.length} items that its history requires`,
      })),
      ...(error === null
        ? []
        : [{ accountId, invariant, message: `The account cannot be evaluated: ${reasonOf(error)}` }]),
    ]);
  }

  async function* ofRecords(
    tenants: Map<number, TenantRef>,
    tenantRecordId: number | null,
  ): AsyncIterable<Breach> {
    for (const table of checks.tables) {
      let afterRecordId: number | null = 0;
      while (afterRecordId !== null) {
        const { lastRecordId, lost, unaudited } = await checks.checkRecords({
          table,
          tenantRecordId,
          afterRecordId,
          limit: CHECKED_RECORDS_AT_ONCE,
        });
        const ownerOf = await ownersOf(tenants, [...lost, ...unaudited]);
        for (const each of lost) {
          const message = `The ${each.column} of record ${each.recordId} is ${each.targetId}, which does not belong to this account`;
          yield { ...ownerOf(each), invariant: CheckedInvariant.REFERENCE, message };
        }
        for (const each of unaudited) {
          const message = `Record ${each.id} of ${each.tableName} has ${each.insertions} audit rows for its creation instead of one`;
          yield { ...ownerOf(each), invariant: CheckedInvariant.AUDIT, message };
        }
        afterRecordId = lastRecordId;
      }
    }
  }

  async function* ofQueue(tenants: ReadonlyMap<number, TenantRef>): AsyncIterable<Breach> {
    for (const { tenantRecordId, recordId } of await checks.doubledEntries(CHECKED_RECORDS_AT_ONCE)) {
      const tenantId = tenants.get(tenantRecordId)?.id;
      const message = `Queue entry ${recordId} has an outcome but is still live`;
      if (tenantId) yield { invariant: CheckedInvariant.OUTCOME, tenantId, accountId: null, message };
    }
  }

  /** Finds the tenants and accounts to which these records belong. The id of a missing tenant or account is null. */
  async function ownersOf(tenants: ReadonlyMap<number, TenantRef>, records: readonly OwnedRecord[]) {
    const known = new Map<number, Uuid>();
    for (const [tenantRecordId, own] of Map.groupBy(records, (record) => record.tenantRecordId)) {
      const tenant = tenants.get(tenantRecordId);
      if (tenant === undefined) continue;
      const recordIds = [...new Set(own.map(({ accountRecordId }) => accountRecordId))];
      const accounts = await storage.read(tenant, (session) => session.accounts.findByRecordIds(recordIds));
      for (const { id, recordId } of accounts) known.set(recordId, id);
    }
    return ({ tenantRecordId, accountRecordId }: OwnedRecord): Pick<Breach, 'tenantId' | 'accountId'> => ({
      tenantId: tenants.get(tenantRecordId)?.id ?? null,
      accountId: known.get(accountRecordId) ?? null,
    });
  }

  return {
    aheadOfClock,

    async *breaches(tenant: TenantRef | null = null, checked: (accounts: number) => void = () => undefined) {
      let total = 0;
      const reportProgress = (accounts: number) => {
        total += accounts;
        checked(total);
      };
      const tenants = new Map<number, TenantRef>();
      const isTimeKnown = (await aheadOfClock()) === null;
      for await (const each of tenant === null ? allTenants() : [tenant]) {
        tenants.set(each.recordId, each);
        yield* ofAccounts(each, isTimeKnown, reportProgress);
        yield* ofCreditNotes(each);
      }
      yield* ofRecords(tenants, tenant?.recordId ?? null);
      yield* ofQueue(tenants);
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Finds gaps in credit note numbers, and credit notes whose amounts differ from the sum of their lines (invoicing §21).
 * @param last Previous number, or 0 before the first number.
 */
function wrongCreditNotes(notes: readonly CreditNote[], last: number): readonly FindingOfAccount[] {
  return notes.flatMap(({ id, accountId, creditNoteNumber, amount, lines }, index) => {
    const expected = (notes[index - 1]?.creditNoteNumber ?? last) + 1;
    const total = sum(lines.map((line) => line.amount));
    const messages: string[] = [];
    if (creditNoteNumber !== expected) messages.push(`No credit note has the number ${expected}`);
    if (!amount.equals(total))
      messages.push(
        `Credit note ${id} has the amount ${formatDecimal(amount)}, but its lines add up to ${formatDecimal(total)}`,
      );
    return messages.map((message) => ({ accountId, invariant: CheckedInvariant.CREDIT_NOTE, message }));
  });
}

function recordIdOf({ recordId }: { readonly recordId: number }): number {
  return recordId;
}

/** Checks the stored data. */
export interface CheckOperations {
  /**
   * Returns the time of the latest stored work if the clock is behind that time by more than the allowed skew, for
   * example after a test clock was moved back. Otherwise returns null. With such a clock, due and billed work cannot
   * be checked.
   */
  aheadOfClock(): Promise<Instant | null>;

  /**
   * Yields each violation as it is found, in one tenant or in all tenants (null). If the clock is behind the stored
   * work (see `aheadOfClock`), checks that depend on the current time are skipped.
   * @param checked is called with the number of accounts checked so far.
   */
  breaches(tenant?: TenantRef | null, checked?: (accounts: number) => void): AsyncIterable<Breach>;
}
