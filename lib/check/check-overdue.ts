import {
  billingSnapshot,
  CLEAR_STATE_NAME,
  enterableStates,
  evaluateOverdue,
  loadOverdueFacts,
  nextCheckDate,
  type OverdueConfig,
  type OverdueFacts,
} from '../overdue/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { ACCOUNT_SERVICE, type Account, CLOSED_STATE_NAME, QueueName } from '../records/index.ts';
import { SystemKey } from '../tenants/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { formatLocalDate, type Instant } from '../values/time/index.ts';
import { CheckedInvariant, type FindingOfAccount } from './model.ts';

interface OverdueRules {
  readonly config: OverdueConfig;
  /**
   * Time at which the tenant uploaded its configuration. Since that time, accounts have been moved to this
   * configuration one by one (overdue §1.2 rule 4). The value is null if there was no upload.
   */
  readonly since: Instant | null;
  readonly now: Instant;
}

/** Checks the stored overdue data of these accounts. An account with debts must have a check in the queue. */
export async function checkOverdue(
  session: ReadSession,
  accounts: readonly Account[],
  { config, now }: Pick<OverdueRules, 'config' | 'now'>,
): Promise<readonly FindingOfAccount[]> {
  const stored = await session.overdue.findAccounts(accounts.map(({ id }) => id));
  const owners = new Set(stored.filter((each) => each.isInvoicingOffOwned).map(({ accountId }) => accountId));
  const states = enterableStates(config);
  const everOverdue = new Set(stored.map(({ accountId }) => accountId));
  const checked = states.length > 0 ? accounts : accounts.filter(({ id }) => everOverdue.has(id));
  const responses = states.some(({ condition }) => condition.responses !== null);
  const facts = await loadOverdueFacts(session, checked, { at: now, responses });
  const wrong = facts.filter(({ account }) => owners.has(account.id)).flatMap(wronglyOwned);
  if (states.length === 0) return [...wrong, ...(await stuckAccounts(session, facts))];
  const [uploaded] = await session.keyValues.find([SystemKey.OVERDUE_CONFIG]);
  const rules = { config, now, since: uploaded?.createdDate ?? null };
  return [...wrong, ...(await missingChecks(session, facts, rules))];
}

/**
 * Finds an AUTO_INVOICING_OFF tag with the wrong owner. Overdue may own it only while the tag exists and the state
 * blocks billing (overdue §5.1 step 7).
 */
function wronglyOwned({ account, hasInvoicingOff, prev }: OverdueFacts): readonly FindingOfAccount[] {
  const flaws = [
    ...(hasInvoicingOff ? [] : ['the account does not have the tag']),
    ...(prev?.isBlockBilling ? [] : [`its state ${prev?.stateName ?? 'clear'} does not block billing`]),
  ];
  if (flaws.length === 0) return [];
  const message = `Overdue recorded that it added AUTO_INVOICING_OFF, but ${flaws.join(' and ')}`;
  return [{ accountId: account.id, invariant: CheckedInvariant.OVERDUE, message }];
}

/** Finds accounts that remain in an overdue state although no state has a condition (overdue §1.2 rule 5). */
async function stuckAccounts(
  session: ReadSession,
  facts: readonly OverdueFacts[],
): Promise<readonly FindingOfAccount[]> {
  const stuck = facts.filter(({ prev }) => shownName(prev?.stateName) !== shownName());
  return (await withoutEntry(session, stuck)).map(({ account, prev }) =>
    notQueued(
      account,
      `The queue has no entry to change the overdue state from ${shownName(prev?.stateName)} to clear`,
    ),
  );
}

async function withoutEntry<F extends Pick<OverdueFacts, 'account'>>(
  session: ReadSession,
  facts: readonly F[],
): Promise<readonly F[]> {
  const recordIds = facts.map(({ account }) => account.recordId);
  const topics = [QueueName.OVERDUE_CHECK, QueueName.OVERDUE_REFRESH];
  const queued = await session.checks.queuedAccounts(topics, recordIds);
  return facts.filter(({ account }) => !queued.has(account.recordId));
}

function notQueued({ id: accountId }: Account, message: string): FindingOfAccount {
  return { accountId, invariant: CheckedInvariant.QUEUED, message };
}

/** Finds accounts that need an overdue check but have none in the queue (overdue §6). */
async function missingChecks(
  session: ReadSession,
  facts: readonly OverdueFacts[],
  rules: OverdueRules,
): Promise<readonly FindingOfAccount[]> {
  const due = facts.flatMap((each) => {
    const message = describeMissingCheck(each, rules.config);
    return message === null ? [] : [{ ...each, message }];
  });
  const without = await withoutEntry(session, due);
  const queuedPayers = await payersWithEntry(session, without);
  const missing = without.filter(({ payerId }) => !queuedPayers.has(payerId));
  const checked = await findAccountsCheckedSince(session, missing, rules);
  return missing
    .filter(({ account }) => checked.has(account.id))
    .map(({ account, message }) => notQueued(account, message));
}

/**
 * Returns the paying parents that have a check in the queue. The check of a parent also covers its children (overdue §8
 * rule 1).
 */
async function payersWithEntry(
  session: ReadSession,
  facts: readonly OverdueFacts[],
): Promise<ReadonlySet<Uuid>> {
  const payerIds = facts.flatMap(({ account, payerId }) => (payerId === account.id ? [] : payerId));
  if (payerIds.length === 0) return new Set();
  const payers = await session.accounts.findByIds([...new Set(payerIds)]);
  const recordIds = payers.map(({ recordId }) => recordId);
  const queued = await session.checks.queuedAccounts([QueueName.OVERDUE_REFRESH], recordIds);
  return new Set(payers.filter(({ recordId }) => queued.has(recordId)).map(({ id }) => id));
}

/** Returns a description of the missing queue entry, or null if no overdue check is due. */
function describeMissingCheck(facts: OverdueFacts, config: OverdueConfig): string | null {
  const { unpaid, lastPaymentResponse, tags, today, prev, exemptBy } = facts;
  const snapshot = billingSnapshot(unpaid, { lastPaymentResponse, tags, today });
  const next = exemptBy === null ? evaluateOverdue(config, snapshot, today) : null;
  const [from, to] = [shownName(prev?.stateName), shownName(next?.name)];
  if (from !== to) return `The queue has no entry to change the overdue state from ${from} to ${to}`;
  const date = exemptBy === null ? nextCheckDate({ config, snapshot, next, today }) : null;
  return date === null ? null : `The queue has no entry for the overdue check on ${formatLocalDate(date)}`;
}

function shownName(stateName: string = CLEAR_STATE_NAME): string {
  return stateName === CLEAR_STATE_NAME ? 'clear' : stateName;
}

/**
 * Returns the accounts that have been checked since the upload because an invoice became unpaid or the account entered
 * a state. Excludes closed accounts, because their checks may have been removed when the accounts were closed.
 */
async function findAccountsCheckedSince(
  session: ReadSession,
  facts: readonly OverdueFacts[],
  { since, now }: OverdueRules,
): Promise<ReadonlySet<Uuid>> {
  if (facts.length === 0) return new Set();
  const ids = facts.map(({ account }) => account.id);
  const closing = await session.subscriptions.findLatestBlockingStates(ids, {
    service: ACCOUNT_SERVICE,
    at: now,
  });
  const closed = new Set(
    closing.filter(({ stateName }) => stateName === CLOSED_STATE_NAME).map(({ blockedId }) => blockedId),
  );
  const invoices = await session.invoices.findByIds(
    facts.flatMap(({ unpaid }) => unpaid.map(({ invoiceId }) => invoiceId)),
  );
  const isAfter = (at: Instant) => since === null || at > since;
  const recent = new Set(invoices.filter(({ createdDate }) => isAfter(createdDate)).map(({ id }) => id));
  return new Set(
    facts
      .filter(({ account, unpaid, prev }) => {
        const isKnown = unpaid.some(({ invoiceId }) => recent.has(invoiceId));
        return !closed.has(account.id) && (isKnown || (prev !== null && isAfter(prev.createdDate)));
      })
      .map(({ account }) => account.id),
  );
}
