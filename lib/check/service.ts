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
import { type Breach, CheckedInvariant, type Finding, type FindingOfAccount } from './model.ts';

/** Tenants and accounts that a check of the stored data reads at once. */
const CHECKED_TENANTS_AT_ONCE = 100;
const CHECKED_ACCOUNTS_AT_ONCE = 100;

interface CoverageInput {
  readonly accounts: readonly Account[];
  readonly now: Instant;
  readonly catalogOf: CatalogOfAccount;
}

interface OwnedRecord {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
}

/** The settings of the areas whose rules are checked. */
interface ConfigsOf {
  readonly invoicing: InvoicingConfigOf;
  readonly payments: PaymentConfigOf;
  readonly overdue: OverdueConfigOf;
}

type CheckPorts = Pick<Ports, 'storage' | 'clock'>;

/**
 * Searches stored data for what is invalid: read-only, without locks, beside a busy engine. Each part is one
 * snapshot; memory grows with the largest account.
 */
export class CheckService {
  readonly #ports: CheckPorts;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: ConfigsOf;

  constructor(ports: CheckPorts, catalogs: CatalogProvider, configOf: ConfigsOf) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
  }

  async aheadOfClock(): Promise<Instant | null> {
    const latest = await this.#ports.storage.checks.latestWork();
    return latest !== null && latest - this.#ports.clock.now() > MAX_CLOCK_SKEW_MS ? latest : null;
  }

  async *breaches(tenant: TenantRef | null = null): AsyncIterable<Breach> {
    const tenants = new Map<number, TenantRef>();
    const isTimeKnown = (await this.aheadOfClock()) === null;
    for await (const each of tenant === null ? this.#tenants() : [tenant]) {
      tenants.set(each.recordId, each);
      yield* this.#ofAccounts(each, isTimeKnown);
      yield* this.#ofCreditNotes(each);
    }
    yield* this.#ofRecords(tenants, tenant?.recordId ?? null);
    yield* this.#ofQueue(tenants);
  }

  async *#tenants(): AsyncIterable<TenantRef> {
    let afterRecordId = 0;
    for (;;) {
      const found = await this.#ports.storage.checks.tenantsAfter({
        afterRecordId,
        limit: CHECKED_TENANTS_AT_ONCE,
      });
      yield* found.map(({ id, recordId }) => ({ id, recordId }));
      if (found.length < CHECKED_TENANTS_AT_ONCE) return;
      afterRecordId = found.at(-1)?.recordId ?? afterRecordId;
    }
  }

  async *#ofAccounts(tenant: TenantRef, isTimeKnown: boolean): AsyncIterable<Breach> {
    let afterRecordId = 0;
    for (;;) {
      const after = afterRecordId;
      const accounts = await this.#ports.storage.read(tenant, (session) =>
        session.accounts.findAfter({ afterRecordId: after, limit: CHECKED_ACCOUNTS_AT_ONCE }),
      );
      if (accounts.length > 0)
        for (const { accountId, invariant, message } of await this.#accountsOf(tenant, accounts, isTimeKnown))
          yield { invariant, tenantId: tenant.id, accountId, message };
      if (accounts.length < CHECKED_ACCOUNTS_AT_ONCE) return;
      afterRecordId = accounts.at(-1)?.recordId ?? afterRecordId;
    }
  }

  async *#ofCreditNotes(tenant: TenantRef): AsyncIterable<Breach> {
    let last = 0;
    for (;;) {
      const after = last;
      const notes = await this.#ports.storage.read(tenant, (session) =>
        session.creditNotes.afterNumber(after, CHECKED_RECORDS_AT_ONCE),
      );
      for (const finding of wrongCreditNotes(notes, after)) yield { ...finding, tenantId: tenant.id };
      if (notes.length < CHECKED_RECORDS_AT_ONCE) return;
      last = notes.at(-1)?.creditNoteNumber ?? last;
    }
  }

  async #accountsOf(
    tenant: TenantRef,
    listed: readonly Account[],
    isTimeKnown: boolean,
  ): Promise<readonly FindingOfAccount[]> {
    const now = this.#ports.clock.now();
    const ids = listed.map(({ id }) => id);
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: ids });
    return this.#ports.storage.read(tenant, async (session) => {
      // The accounts as this snapshot has them, like everything else.
      const accounts = await session.accounts.findByIds(ids);
      const lasting = [
        ...(await checkInvoices(session, accounts)),
        ...(await checkUsageDays(session, accounts)),
        ...(await checkPayments(session, accounts, await this.#configOf.payments(session))),
      ];
      if (!isTimeKnown) return lasting;
      return [
        ...lasting,
        ...(await checkQueued(session, accounts, now)),
        ...(await checkOverdue(session, accounts, { config: await this.#configOf.overdue(session), now })),
        ...(await this.#coverage(session, { accounts, now, catalogOf: await catalogsOf(session, ids) })),
      ];
    });
  }

  async #coverage(
    session: ReadSession,
    { accounts, now, catalogOf }: CoverageInput,
  ): Promise<readonly FindingOfAccount[]> {
    const config = await this.#configOf.invoicing(session);
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
        message: `the next run makes ${found.length} items for subscription ${subscriptionId}, its whole history asks for ${expected.length}, or for others`,
      })),
      ...(error === null
        ? []
        : [{ accountId, invariant, message: `cannot be evaluated: ${reasonOf(error)}` }]),
    ]);
  }

  async *#ofRecords(tenants: Map<number, TenantRef>, tenantRecordId: number | null): AsyncIterable<Breach> {
    const { checks } = this.#ports.storage;
    for (const table of checks.tables) {
      let afterRecordId: number | null = 0;
      while (afterRecordId !== null) {
        const { lastRecordId, lost, unaudited } = await checks.checkRecords({
          table,
          tenantRecordId,
          afterRecordId,
          limit: CHECKED_RECORDS_AT_ONCE,
        });
        const owners = await this.#owners(tenants, [...lost, ...unaudited]);
        for (const each of lost)
          yield {
            ...owners(each),
            invariant: CheckedInvariant.REFERENCE,
            message: `${each.column} of record ${each.recordId} is ${each.targetId}, which is not of this account`,
          };
        for (const each of unaudited)
          yield {
            ...owners(each),
            invariant: CheckedInvariant.AUDIT,
            message: `${each.tableName} ${each.id} has ${each.insertions} audit rows of its creation`,
          };
        afterRecordId = lastRecordId;
      }
    }
  }

  async *#ofQueue(tenants: ReadonlyMap<number, TenantRef>): AsyncIterable<Breach> {
    for (const entry of await this.#ports.storage.checks.doubledEntries(CHECKED_RECORDS_AT_ONCE)) {
      const tenant = tenants.get(entry.tenantRecordId);
      if (tenant === undefined) continue;
      yield {
        invariant: CheckedInvariant.OUTCOME,
        tenantId: tenant.id,
        accountId: null,
        message: `queue entry ${entry.recordId} is live and has an outcome`,
      };
    }
  }

  /** The accounts and tenants of these records; an account that does not exist has no id. */
  async #owners(tenants: ReadonlyMap<number, TenantRef>, records: readonly OwnedRecord[]) {
    const known = new Map<number, Uuid>();
    for (const [tenantRecordId, own] of Map.groupBy(records, (record) => record.tenantRecordId)) {
      const tenant = tenants.get(tenantRecordId);
      if (tenant === undefined) continue;
      const recordIds = [...new Set(own.map(({ accountRecordId }) => accountRecordId))];
      const accounts = await this.#ports.storage.read(tenant, (session) =>
        session.accounts.findByRecordIds(recordIds),
      );
      for (const { id, recordId } of accounts) known.set(recordId, id);
    }
    return ({ tenantRecordId, accountRecordId }: OwnedRecord): Pick<Breach, 'tenantId' | 'accountId'> => ({
      tenantId: tenants.get(tenantRecordId)?.id ?? null,
      accountId: known.get(accountRecordId) ?? null,
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Faults of the next credit notes, by number (invoicing §21): a gap, or an amount that is not the sum of the lines.
 * @param last the number before them; 0 = they are the first.
 */
function wrongCreditNotes(
  notes: readonly CreditNote[],
  last: number,
): readonly (Finding & { readonly accountId: CreditNote['accountId'] })[] {
  const invariant = CheckedInvariant.CREDIT_NOTE;
  return notes.flatMap(({ id, accountId, creditNoteNumber, amount, lines }, index) => {
    const expected = (notes[index - 1]?.creditNoteNumber ?? last) + 1;
    const total = sum(lines.map((line) => line.amount));
    return [
      ...(creditNoteNumber === expected
        ? []
        : [{ accountId, invariant, message: `there is no credit note with the number ${expected}` }]),
      ...(amount.equals(total)
        ? []
        : [
            {
              accountId,
              invariant,
              message: `credit note ${id} has the amount ${formatDecimal(amount)}, its lines have ${formatDecimal(total)}`,
            },
          ]),
    ];
  });
}

/** Looks in the stored data for what cannot be. */
export interface CheckOperations {
  /**
   * The time up to which stored work was done, if the clock lies before it by more than clocks differ (a test clock that
   * was moved back); else null. What is due and what is billed by now cannot be checked then.
   */
  aheadOfClock(): Promise<Instant | null>;

  /**
   * What is wrong, in one tenant or in all (null), as it is found; nothing = all is well. If the clock lies before what
   * is stored (see `aheadOfClock`), only what holds at any time is checked.
   */
  breaches(tenant?: TenantRef | null): AsyncIterable<Breach>;
}
