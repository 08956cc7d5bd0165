import { isPaidByParent } from '../accounts/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { Account } from '../records/index.ts';
import { InvoiceStatus } from '../records/index.ts';
import type { CarriedTags } from '../tags/control-tags.ts';
import { SystemTag } from '../tags/system-definitions.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { type Draft, draftOf } from './draft.ts';

/** Which invoice a run writes to (§8.3). */
export interface Drafting {
  /** Whether what the run makes is a DRAFT: AUTO_INVOICING_DRAFT. */
  readonly isDraft: boolean;
  /** Whether the account's oldest DRAFT takes the items if there is one: AUTO_INVOICING_REUSE_DRAFT. */
  readonly reusesDraft: boolean;
  /** The one DRAFT that takes the items, or null. */
  readonly draftId: Uuid | null;
}

/** A run that makes a COMMITTED invoice. */
export const COMMITTING: Drafting = { isDraft: false, reusesDraft: false, draftId: null };

/** What an account's tags say. */
export function draftingOf(tags: CarriedTags, accountId: Uuid): Drafting {
  const isDraft = tags.has(accountId, SystemTag.AUTO_INVOICING_DRAFT);
  const reusesDraft = tags.has(accountId, SystemTag.AUTO_INVOICING_REUSE_DRAFT);
  return isDraft || reusesDraft ? { isDraft, reusesDraft, draftId: null } : COMMITTING;
}

/** The invoice that a run adds its items to. */
export interface RunInvoice {
  readonly status: typeof InvoiceStatus.DRAFT | typeof InvoiceStatus.COMMITTED;
  /** null = a new one. */
  readonly draft: Draft | null;
  /** Whether the parent of the account pays it. */
  readonly isPaidByParent: boolean;
}

export const NEW_COMMITTED: RunInvoice = {
  status: InvoiceStatus.COMMITTED,
  draft: null,
  isPaidByParent: false,
};

export interface DraftingRequest {
  readonly account: Pick<Account, 'id' | 'parentAccountId' | 'isPaymentDelegatedToParent'>;
  readonly drafting?: Drafting;
}

/**
 * The invoice of each run by account id; two statements where drafts may be reused, none otherwise. An account whose
 * named draft cannot be used is left to `runInvoiceOf`, which says why.
 * @param areAllWanted all drafts of the accounts that reuse them, the oldest first: those of runs to come.
 */
export async function loadDrafts(
  session: ReadSession,
  requests: readonly DraftingRequest[],
  { areAllWanted = false }: { readonly areAllWanted?: boolean } = {},
): Promise<ReadonlyMap<Uuid, readonly Draft[]>> {
  const oldest = requests.filter(({ drafting }) => drafting?.reusesDraft).map(({ account }) => account.id);
  const named = requests.flatMap(({ drafting }) => drafting?.draftId ?? []);
  const found = [
    ...(oldest.length === 0 ? [] : await session.invoices.findDrafts(oldest)),
    ...(named.length === 0 ? [] : await session.invoices.findByIds(named)),
  ];
  if (found.length === 0) return new Map();
  const wanted = areAllWanted ? found : firstOfEach(found, named);
  const items = await session.invoices.findItems(wanted.map(({ id }) => id));
  const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const drafts = wanted.map((invoice): Draft => ({ invoice, items: itemsOf.get(invoice.id) ?? [] }));
  return Map.groupBy(drafts, ({ invoice }) => invoice.accountId);
}

/** Of the invoices in the order of their creation the oldest of each account, and those that are named. */
function firstOfEach(
  found: readonly Draft['invoice'][],
  named: readonly Uuid[],
): readonly Draft['invoice'][] {
  const first = new Map([...found].reverse().map((invoice) => [invoice.accountId, invoice.id]));
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]));
  return [...byId.values()].filter(({ id, accountId }) => named.includes(id) || first.get(accountId) === id);
}

/**
 * The invoice of one account's run among the loaded drafts.
 * @throws BillingError of `draftOf` for a named one, INVOICE_INVALID_STATUS (4023) where that is a summary of children.
 */
export function runInvoiceOf(
  { account, drafting = COMMITTING }: DraftingRequest,
  drafts: ReadonlyMap<Uuid, readonly Draft[]>,
): RunInvoice {
  const status = drafting.isDraft ? InvoiceStatus.DRAFT : InvoiceStatus.COMMITTED;
  const own = drafts.get(account.id) ?? [];
  if (drafting.draftId === null) {
    const [oldest = null] = drafting.reusesDraft ? own : [];
    return { status, draft: oldest, isPaidByParent: isPaidByParent(account) };
  }
  const draft = own.find(({ invoice }) => invoice.id === drafting.draftId);
  const invoice = draftOf(draft?.invoice, { id: drafting.draftId, accountId: account.id });
  if (invoice.isParentInvoice) throw isSummary(invoice.id);
  return { status, draft: { invoice, items: draft?.items ?? [] }, isPaidByParent: isPaidByParent(account) };
}

function isSummary(invoiceId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_INVALID_STATUS,
    message: `Invoice ${invoiceId} sums up the invoices of child accounts: a run cannot add to it`,
    facts: { invoiceId },
  });
}
