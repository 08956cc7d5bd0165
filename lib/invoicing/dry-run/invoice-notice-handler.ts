import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  CallOrigin,
  QueueName,
  type TenantRef,
  type ToldInvoice,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, inParallel, type QueueHandler } from '../../runtime/index.ts';
import { MAX_CONCURRENT_NOTICES } from '../../values/limits.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { invoiceNotificationEvent, noticedDate } from '../evaluation/invoice-notice.ts';
import type { InvoiceView } from '../invoices/invoice-view.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import { DryRunType } from './dry-run-request.ts';
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

/**
 * Tells of invoices some time before they come (§8.1): what a dry run foresees on that day, once for each account and date,
 * and only if something will be owed. Takes no lock, as a dry run does.
 */
export class InvoiceNoticeHandler implements QueueHandler {
  readonly name = 'invoice-service:notice';
  readonly topics = [QueueName.INVOICE_NOTIFICATIONS];
  readonly #ports: Pick<Ports, 'storage' | 'clock'>;
  readonly #configOf: InvoicingConfigOf;
  readonly #dryRuns: DryRunService;

  constructor(
    ports: Pick<Ports, 'storage' | 'clock'>,
    { configOf, dryRuns }: { readonly configOf: InvoicingConfigOf; readonly dryRuns: DryRunService },
  ) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#dryRuns = dryRuns;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const { storage, clock } = this.#ports;
    const { tenant, entries } = batch;
    const now = clock.now();
    const ahead = await storage.read(tenant, (session) => this.#ahead(session, entries));
    const foreseen: Foreseen[] = [];
    await inParallel(ahead, MAX_CONCURRENT_NOTICES, async (each) => {
      try {
        foreseen.push({ ...each, invoice: await this.#foresee(each, { tenant, now }) });
      } catch (error) {
        batch.failed(each.entry, error);
      }
    });
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
  }

  /** Leaves out accounts that automatic runs pass over. */
  async #ahead(session: ReadSession, entries: readonly ClaimedEntry[]): Promise<readonly Ahead[]> {
    const [{ isAutomatic, noticeLeadMs }, accounts] = await Promise.all([
      this.#configOf(session),
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

  #foresee(
    { entry, account, targetDate }: Ahead,
    { tenant, now }: { readonly tenant: TenantRef; readonly now: Instant },
  ): Promise<InvoiceView | null> {
    const context = {
      tenant,
      userName: ActingComponent.NEXT_BILLING_DATE,
      principal: null,
      reasonCode: null,
      comments: null,
      userToken: entry.userToken,
      callOrigin: CallOrigin.INTERNAL,
      createdDate: now,
    };
    return this.#dryRuns.dryRun(context, {
      accountId: account.id,
      dryRunType: DryRunType.TARGET_DATE,
      targetDate,
    });
  }
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
