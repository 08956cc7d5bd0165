import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  CallOrigin,
  QueueName,
  type ToldInvoice,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { DAY_MS, QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds, type Instant, type LocalDate, localDateOf, UTC } from '../../values/time/index.ts';
import { invoiceNotificationEvent, noticedDate } from '../evaluation/run-entries.ts';
import type { InvoiceView } from '../invoices/invoice-view.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import type { DryRunService } from './dry-run-service.ts';

/** A run to come whose invoice is to be foreseen. */
interface Ahead {
  readonly entry: ClaimedEntry;
  readonly account: Account;
  readonly targetDate: LocalDate;
}

interface Foreseen extends Ahead {
  /** null = there will be none. */
  readonly invoice: InvoiceView | null;
}

interface NoticeTools {
  readonly configOf: InvoicingConfigOf;
  readonly dryRuns: DryRunService;
}

/**
 * Reports invoices some time before they come (§8.1): what a dry run foresees on that day, once for each account and date,
 * and only if something will be owed. Takes no lock, as a dry run does.
 */
export function invoiceNoticeHandler(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  { configOf, dryRuns }: NoticeTools,
): QueueHandler {
  return {
    name: 'invoice-service:notice',
    topics: [QueueName.INVOICE_NOTIFICATIONS],
    handle: async (batch) => {
      const { tenant, entries } = batch;
      const now = clock.now();
      const ahead = await storage.read(tenant, (session) => loadAhead(session, entries, configOf));
      const foreseen = await foresee(ahead, { batch, now, dryRuns });
      const owing = foreseen.filter(({ invoice }) => invoice?.balance.greaterThan(0) === true);
      if (owing.length === 0) return;
      const authorship = batchAuthorship(entries, ActingComponent.NEXT_BILLING_DATE, now);
      await storage.write(tenant, authorship, async (session) => {
        const rows = owing.map((each) => toldInvoice(each, now));
        const isNew = new Set((await session.invoices.tellInvoices(rows)).map(keyOf));
        const told = owing.filter((each) => isNew.has(keyOf(toldInvoice(each, now))));
        session.publish(told.flatMap(eventsOf));
        await batch.finish(
          session,
          owing.map(({ entry }) => entry),
        );
      });
    },
  };
}

/** The runs to come, without accounts that automatic runs pass over. */
async function loadAhead(
  session: ReadSession,
  entries: readonly ClaimedEntry[],
  configOf: InvoicingConfigOf,
): Promise<readonly Ahead[]> {
  const [{ isAutomatic, noticeLeadMs }, accounts] = await Promise.all([
    configOf(session),
    session.accounts.findByRecordIds(entries.flatMap((entry) => entry.accountRecordId ?? [])),
  ]);
  if (!isAutomatic || noticeLeadMs === 0) return [];
  const tags = await effectsOnAccounts(
    session,
    accounts.map(({ id }) => id),
  );
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  return entries.flatMap((entry): readonly Ahead[] => {
    const account = accountOf.get(entry.accountRecordId ?? 0);
    const targetDate = noticedDate(entry.payload);
    if (account === undefined || targetDate === null) return [];
    if (tags.has(account.id, TagEffect.PARKS, TagEffect.STOPS_INVOICING)) return [];
    return [{ entry, account, targetDate }];
  });
}

/** Dry runs all invoices at once, so that a batch costs the same for any number of accounts. */
async function foresee(
  ahead: readonly Ahead[],
  {
    batch,
    now,
    dryRuns,
  }: { readonly batch: HandlerBatch; readonly now: Instant; readonly dryRuns: DryRunService },
): Promise<readonly Foreseen[]> {
  const [first] = ahead;
  if (first === undefined) return [];
  const context = {
    tenant: batch.tenant,
    userName: ActingComponent.NEXT_BILLING_DATE,
    principal: null,
    reasonCode: null,
    comments: null,
    userToken: first.entry.userToken,
    callOrigin: CallOrigin.INTERNAL,
    createdDate: now,
  };
  const byAccount = Map.groupBy(ahead, ({ account }) => account.id);
  const asked = [...byAccount].map(([accountId, own]) => ({
    accountId,
    dates: own.map(({ targetDate }) => targetDate),
  }));
  const found = await dryRuns.ofAccounts(context, asked);
  return [...byAccount].flatMap(([accountId, own]) => {
    const answer = found.get(accountId);
    if (answer === undefined) return [];
    if ('views' in answer)
      return own.map((each, index) => ({ ...each, invoice: answer.views[index] ?? null }));
    for (const { entry } of own) batch.failed(entry, answer.error);
    return [];
  });
}

function toldInvoice({ account, targetDate }: Ahead, now: Instant): ToldInvoice {
  return { accountRecordId: account.recordId, targetDate, createdDate: now };
}

function keyOf({ accountRecordId, targetDate }: ToldInvoice): string {
  return `${accountRecordId} ${targetDate}`;
}

function eventsOf({ account, targetDate, invoice }: Foreseen) {
  if (invoice === null) return [];
  const { balance: amountOwed, currency } = invoice;
  return [invoiceNotificationEvent(account, { targetDate, amountOwed, currency })];
}

/** A date is not over everywhere when it is in UTC, and its run may be some hours late (invoicing §8.1). */
const TOLD_INVOICE_OVER_MS = 2 * DAY_MS;

/** Forgets some of the dates that were told of and are over for that long: no run to come asks for them again (§8.1). */
export async function purgeToldInvoices(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  retentionMs: number,
): Promise<void> {
  const before = localDateOf(addMilliseconds(clock.now(), -retentionMs - TOLD_INVOICE_OVER_MS), UTC);
  await storage.system.purgeToldInvoices(before, QUEUE_PURGE_SIZE);
}
