import type { EInvoiceSender, EInvoiceToSend, Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  ActingComponent,
  BusEventType,
  type CallContext,
  CallOrigin,
  type CreditNote,
  type EInvoiceDelivery,
  InvoiceStatus,
  itemTypes,
  type New,
  QueueName,
} from '../../records/index.ts';
import {
  type ActivityPorts,
  batchAuthorship,
  callPlugin,
  type HandlerBatch,
  inParallel,
  isPassing,
  plainError,
  type QueueHandler,
} from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  afterSending,
  attemptEntry,
  failureEvent,
  type SendOutcome,
} from '../e-invoices/delivery-attempt.ts';
import type { EInvoiceKind } from '../e-invoices/e-invoice-file.ts';
import type { CreatedEInvoice, EInvoices } from '../review/e-invoice-service.ts';

type DeliveryPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger'> & ActivityPorts;

type Ownership = Pick<EInvoiceDelivery, 'accountId' | 'accountRecordId' | 'invoiceId' | 'creditNoteId'>;

/**
 * Queues the e-invoices of committed invoices and new credit notes (§22 rule 9), for accounts with a tax id whose
 * tenant has `org.service.invoice.eInvoice`. A document is queued only once, even if its event is redelivered.
 */
export function eInvoiceRequestHandler(
  { storage, clock, ids }: Pick<DeliveryPorts, 'storage' | 'clock' | 'ids'>,
  settingsOf: SettingsOf,
): QueueHandler {
  return {
    name: 'invoice-service:e-invoices',
    topics: [BusEventType.INVOICE_CREATION, BusEventType.INVOICE_ADJUSTMENT],
    handle: async (batch) => {
      const now = clock.now();
      const wanted = await storage.read(batch.tenant, async (session) => {
        const { 'invoice.eInvoice': setting } = await settingsOf(session);
        return setting === null
          ? []
          : newDeliveries(await documentsOf(session, batch), { setting, ids, now });
      });
      if (wanted.length === 0) return;
      const authorship = batchAuthorship(batch.entries, ActingComponent.E_INVOICES, now);
      await storage.write(batch.tenant, authorship, async (session) => {
        const inserted = new Set(await session.eInvoiceDeliveries.insertNew(wanted));
        const added = wanted.filter(({ id }) => inserted.has(id));
        session.schedule(added.map((delivery) => attemptEntry(delivery, now)));
        await batch.finish(session, batch.entries);
      });
    },
  };
}

/** Returns the issued invoices and new credit notes of business accounts. */
async function documentsOf(session: ReadSession, { entries }: HandlerBatch): Promise<readonly Ownership[]> {
  const recordIds = entries.flatMap(({ accountRecordId }) => accountRecordId ?? []);
  const accounts = await session.accounts.findByRecordIds(recordIds);
  const businesses = new Map(accounts.filter(isBusiness).map(({ recordId, id }) => [recordId, id]));
  if (businesses.size === 0) return [];
  const created = entries.filter(({ topic }) => topic === BusEventType.INVOICE_CREATION);
  const since = Math.min(...entries.map(({ createdDate }) => createdDate)) as Instant;
  const [invoices, notes] = await Promise.all([
    chargedInvoices(session, created.map(invoiceIdOf)),
    session.eInvoiceDeliveries.notesSince([...businesses.keys()], since),
  ]);
  const ofInvoices = invoices
    .filter(({ accountRecordId }) => businesses.has(accountRecordId))
    .map(({ id, accountId, accountRecordId }) => ({
      accountId,
      accountRecordId,
      invoiceId: id,
      creditNoteId: null,
    }));
  return [...ofInvoices, ...(await notesToSend(session, notes)).map(ownershipOf)];
}

function isBusiness({ taxId }: Account): boolean {
  return (taxId ?? '').trim() !== '';
}

function invoiceIdOf({ payload }: ClaimedEntry): Uuid {
  return payload.invoiceId as Uuid;
}

/**
 * Returns the COMMITTED invoices that charge something. An invoice with only credits has no e-invoice. Summaries of
 * parents are excluded, because the invoices of the children are the tax documents.
 */
async function chargedInvoices(session: ReadSession, ids: readonly Uuid[]) {
  const found = await session.invoices.findByIds(ids);
  const issued = found.filter(
    ({ status, isMigration, isParentInvoice }) =>
      status === InvoiceStatus.COMMITTED && !isMigration && !isParentInvoice,
  );
  if (issued.length === 0) return [];
  const items = await session.invoices.findItems(issued.map(({ id }) => id));
  const charged = new Set(
    items
      .filter(({ itemType, amount }) => itemTypes[itemType].kind === 'CHARGE' && amount.greaterThan(0))
      .map(({ invoiceId }) => invoiceId),
  );
  return issued.filter(({ id }) => charged.has(id));
}

/** Returns the credit notes to send. Credit notes of parents' summaries are excluded. */
async function notesToSend(session: ReadSession, notes: readonly CreditNote[]) {
  if (notes.length === 0) return [];
  const invoices = await session.invoices.findByIds(notes.map(({ invoiceId }) => invoiceId));
  const summaries = new Set(invoices.filter(({ isParentInvoice }) => isParentInvoice).map(({ id }) => id));
  return notes.filter(({ invoiceId }) => !summaries.has(invoiceId));
}

function ownershipOf({ id, accountId, accountRecordId, invoiceId }: CreditNote): Ownership {
  return { accountId, accountRecordId, invoiceId, creditNoteId: id };
}

function newDeliveries(
  documents: readonly Ownership[],
  { setting, ids, now }: { readonly setting: string; readonly ids: Ports['ids']; readonly now: Instant },
): readonly New<EInvoiceDelivery>[] {
  const [format, profile] = setting.split(':') as [EInvoiceKind['format'], EInvoiceKind['profile']];
  return documents.map((document) => ({
    ...document,
    id: ids.next(),
    format,
    profile,
    state: 'PENDING',
    attempts: 0,
    failures: 0,
    attemptedDate: null,
    nextAttemptDate: now,
    receipt: null,
    lastError: null,
    createdDate: now,
  }));
}

/** Time limit of one call to the sender, in milliseconds. */
const SENDER_TIMEOUT_MS = 30_000;

/** Maximum number of concurrent calls to the sender. Concurrent calls are for different accounts. */
const MAX_CONCURRENT_SENDINGS = 10;

interface Sending {
  readonly entry: ClaimedEntry;
  readonly delivery: EInvoiceDelivery;
}

/** Sends queued e-invoices, each at least once (§22 rule 9). Creates the document again for each attempt. */
export function eInvoiceSendHandler(
  ports: DeliveryPorts,
  {
    settingsOf,
    eInvoices,
    sender,
  }: { readonly settingsOf: SettingsOf; readonly eInvoices: EInvoices; readonly sender: EInvoiceSender },
): QueueHandler {
  const { storage, clock } = ports;

  async function outcomeOf(
    { entry, delivery }: Sending,
    batch: HandlerBatch,
    now: Instant,
  ): Promise<SendOutcome | null> {
    try {
      const created = await eInvoices.create(contextOf(batch, entry, now), delivery, delivery);
      return await sendEInvoice(toSend(batch, delivery, created));
    } catch (error) {
      if (isPassing(error)) {
        batch.failed(entry, error);
        return null;
      }
      // A billing error reports a problem that must be fixed first, such as missing fields.
      // A retry would therefore fail again.
      const isRetried = !(error instanceof BillingError);
      return { kind: 'FAILED', error: plainError(error).message, isRetried };
    }
  }

  async function sendEInvoice(eInvoice: EInvoiceToSend): Promise<SendOutcome> {
    const aborting = new AbortController();
    const plugin = { kind: 'e-invoice sender', name: sender.name, timeoutMs: SENDER_TIMEOUT_MS };
    try {
      const receipt = await callPlugin(plugin, ports, () =>
        sender.send(eInvoice, { signal: aborting.signal }),
      );
      return { kind: 'SENT', receipt: receipt == null ? null : String(receipt) };
    } catch (thrown) {
      aborting.abort();
      const { cause, message } = plainError(thrown);
      ports.logger.warn({ err: thrown, deliveryId: eInvoice.deliveryId }, 'an e-invoice was not sent');
      return { kind: 'FAILED', error: cause instanceof Error ? cause.message : message, isRetried: true };
    }
  }

  return {
    name: 'invoice-service:e-invoice-sending',
    topics: [QueueName.E_INVOICES],
    handle: async (batch) => {
      const now = clock.now();
      const { sendings, retriesMs } = await storage.read(batch.tenant, async (session) => ({
        sendings: await findPendingDeliveries(session, batch),
        retriesMs: (await settingsOf(session))['invoice.eInvoice.retries'],
      }));
      if (sendings.length === 0) return;
      const ended = await inParallel(sendings, MAX_CONCURRENT_SENDINGS, async (sending) => ({
        ...sending,
        outcome: await outcomeOf(sending, batch, now),
      }));
      const attempted = ended.flatMap(({ entry, delivery, outcome }) =>
        outcome === null
          ? []
          : { entry, delivery, after: afterSending(delivery, { startedAt: now, outcome }, retriesMs) },
      );
      if (attempted.length === 0) return;
      const authorship = batchAuthorship(batch.entries, ActingComponent.E_INVOICES, clock.now());
      await storage.write(batch.tenant, authorship, async (session) => {
        await session.eInvoiceDeliveries.update(attempted.map(({ after }) => after));
        session.schedule(
          attempted.flatMap(({ delivery, after }) =>
            after.nextAttemptDate === null
              ? []
              : attemptEntry({ ...delivery, ...after }, after.nextAttemptDate),
          ),
        );
        const failed = attempted.filter(({ after }) => after.state === 'FAILED');
        session.publish(failed.map(({ delivery, after }) => failureEvent(delivery, after)));
        await batch.finish(
          session,
          attempted.map(({ entry }) => entry),
        );
      });
    },
  };
}

/** Returns the deliveries whose next attempt these entries request. Omits outdated entries. */
async function findPendingDeliveries(
  session: ReadSession,
  { entries }: HandlerBatch,
): Promise<readonly Sending[]> {
  const ids = entries.map(({ payload }) => payload.deliveryId as Uuid);
  const found = await session.eInvoiceDeliveries.findByIds(ids);
  const deliveryOf = new Map(found.map((delivery) => [delivery.id, delivery]));
  return entries.flatMap((entry) => {
    const delivery = deliveryOf.get(entry.payload.deliveryId as Uuid);
    const isNext = delivery?.state === 'PENDING' && delivery.attempts === Number(entry.payload.attempts);
    return isNext ? [{ entry, delivery }] : [];
  });
}

function contextOf({ tenant }: HandlerBatch, { userToken }: ClaimedEntry, createdDate: Instant): CallContext {
  return {
    tenant,
    userName: ActingComponent.E_INVOICES,
    principal: null,
    reasonCode: null,
    comments: null,
    userToken,
    callOrigin: CallOrigin.INTERNAL,
    createdDate,
  };
}

function toSend(
  { tenant }: HandlerBatch,
  { id: deliveryId, accountId, invoiceId, creditNoteId, format, profile }: EInvoiceDelivery,
  { file, document }: CreatedEInvoice,
): EInvoiceToSend {
  return {
    deliveryId,
    tenantId: tenant.id,
    accountId,
    invoiceId,
    creditNoteId,
    number: document.number,
    format,
    profile,
    ...file,
    seller: document.seller.endpoint,
    buyer: document.buyer.endpoint,
  };
}
