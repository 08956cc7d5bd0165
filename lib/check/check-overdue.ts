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
import type { FindingOfAccount } from './model.ts';
import { CheckedInvariant } from './model.ts';

/** The configuration by which accounts are looked at. */
interface OverdueRules {
  readonly config: OverdueConfig;
  /** When the tenant uploaded it, from when on accounts meet it one by one (overdue §1.2 rule 4); null: it did not. */
  readonly since: Instant | null;
  readonly now: Instant;
}

/** Checks what overdue keeps of these accounts, and that those which owe something are looked at again. */
export async function checkOverdue(
  session: ReadSession,
  accounts: readonly Account[],
  { config, now }: Pick<OverdueRules, 'config' | 'now'>,
): Promise<readonly FindingOfAccount[]> {
  const kept = await session.overdue.findAccounts(accounts.map(({ id }) => id));
  const owners = new Set(kept.filter((each) => each.isInvoicingOffOwned).map(({ accountId }) => accountId));
  const looksAtAll = enterableStates(config).length > 0;
  const everOverdue = new Set(kept.map(({ accountId }) => accountId));
  const lookedAt = looksAtAll ? accounts : accounts.filter(({ id }) => everOverdue.has(id));
  const responses = enterableStates(config).some(({ condition }) => condition.responses !== null);
  const facts = await loadOverdueFacts(session, lookedAt, { at: now, responses });
  const wrong = facts.filter(({ account }) => owners.has(account.id)).flatMap(wronglyOwned);
  if (!looksAtAll) return [...wrong, ...(await leftOvers(session, facts))];
  const [uploaded] = await session.keyValues.find([SystemKey.OVERDUE_CONFIG]);
  const rules = { config, now, since: uploaded?.createdDate ?? null };
  return [...wrong, ...(await missingLooks(session, facts, rules))];
}

/** Overdue owns the tag as long as it is there and the state blocks billing (overdue §5.1 rule 7). */
function wronglyOwned({ account, hasInvoicingOff, prev }: OverdueFacts): readonly FindingOfAccount[] {
  const flaws = [
    ...(hasInvoicingOff ? [] : ['the account does not carry it']),
    ...(prev?.isBlockBilling ? [] : [`its state ${prev?.stateName ?? 'clear'} does not block billing`]),
  ];
  if (flaws.length === 0) return [];
  const message = `overdue keeps that it has added AUTO_INVOICING_OFF, but ${flaws.join(' and ')}`;
  return [{ accountId: account.id, invariant: CheckedInvariant.OVERDUE, message }];
}

/** Where no state has a condition, nobody stays in one (overdue §1.2 rule 5), such as after a start with another default. */
async function leftOvers(
  session: ReadSession,
  facts: readonly OverdueFacts[],
): Promise<readonly FindingOfAccount[]> {
  const left = facts.filter(({ prev }) => shownName(prev?.stateName) !== shownName());
  const recordIds = left.map(({ account }) => account.recordId);
  const topics = [QueueName.OVERDUE_CHECK, QueueName.OVERDUE_REFRESH];
  const queued = await session.checks.queuedAccounts(topics, recordIds);
  return left
    .filter(({ account }) => !queued.has(account.recordId))
    .map(({ account, prev }) => ({
      accountId: account.id,
      invariant: CheckedInvariant.QUEUED,
      message: `the queue has no entry that takes it from overdue state ${shownName(prev?.stateName)} to clear`,
    }));
}

/** Finds accounts not in their state, or without the queue entry of their check (overdue §6). */
async function missingLooks(
  session: ReadSession,
  facts: readonly OverdueFacts[],
  rules: OverdueRules,
): Promise<readonly FindingOfAccount[]> {
  const waiting = facts.flatMap((each) => {
    const message = missedBy(each, rules.config);
    return message === null ? [] : [{ facts: each, message }];
  });
  const recordIds = waiting.map(({ facts: { account } }) => account.recordId);
  const topics = [QueueName.OVERDUE_CHECK, QueueName.OVERDUE_REFRESH];
  const queued = await session.checks.queuedAccounts(topics, recordIds);
  const without = waiting.filter(({ facts: { account } }) => !queued.has(account.recordId));
  const awaited = await payersLookedAt(
    session,
    without.map((each) => each.facts),
  );
  const missing = without.filter(({ facts: { payerId } }) => !awaited.has(payerId));
  const lookedAt = await lookedAtSince(
    session,
    missing.map((each) => each.facts),
    rules,
  );
  return missing
    .filter(({ facts: { account } }) => lookedAt.has(account.id))
    .map(({ facts: { account }, message }) => ({
      accountId: account.id,
      invariant: CheckedInvariant.QUEUED,
      message,
    }));
}

/** Those who pay for others and are to be looked at themselves: the others come next (overdue §8 rule 1). */
async function payersLookedAt(
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

/** What is wrong with an account that nothing in the queue looks at; null: nothing. */
function missedBy(facts: OverdueFacts, config: OverdueConfig): string | null {
  const { unpaid, lastPaymentResponse, tags, today, prev, exemptBy } = facts;
  const snapshot = billingSnapshot(unpaid, { lastPaymentResponse, tags, today });
  const next = exemptBy === null ? evaluateOverdue(config, snapshot, today) : null;
  const [from, to] = [shownName(prev?.stateName), shownName(next?.name)];
  if (from !== to) return `the queue has no entry that takes it from overdue state ${from} to ${to}`;
  const date = exemptBy === null ? nextCheckDate({ config, snapshot, next, today }) : null;
  return date === null ? null : `the queue has no entry for the overdue check on ${formatLocalDate(date)}`;
}

function shownName(stateName: string = CLEAR_STATE_NAME): string {
  return stateName === CLEAR_STATE_NAME ? 'clear' : stateName;
}

/**
 * Accounts known to have been checked since the upload: something became unpaid, or they entered a state. Closing an
 * account may have removed its check.
 */
async function lookedAtSince(
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
