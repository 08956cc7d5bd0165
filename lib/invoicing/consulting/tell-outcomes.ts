import type { Ports, SeenInvoice } from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import { inParallel } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_INVOICE_CALLS } from '../../values/limits.ts';
import type { RunResult } from '../runs/run-accounts.ts';
import type { Consultation, Consultations } from './consultation.ts';
import type { InvoicePluginCalls } from './invoice-plugin-calls.ts';
import { loadSeenInvoices } from './load-seen-invoices.ts';

/**
 * Tells the plugins what has become of the runs that they were asked about, once it is committed (§8.2 steps 9 and 15, §8.6).
 * Reads the stored invoices once for all of them, and only if a plugin wants to know. Never throws: what is done is done.
 */
export async function tellOutcomes(
  { storage, logger }: Pick<Ports, 'storage' | 'logger'>,
  consultations: Consultations,
  results: readonly RunResult[],
): Promise<void> {
  const told = results.filter((result) => wantsToKnow(consultations.calls, result));
  if (told.length === 0) return;
  try {
    await tell(consultations, told, await loadSeen(storage, consultations.of, told));
  } catch (error) {
    const accountIds = told.map(({ account }) => account.id);
    logger.error({ err: error, accountIds }, 'invoice plugins could not be told the outcome of runs');
  }
}

async function tell(
  { calls, of }: Consultations,
  told: readonly RunResult[],
  stored: ReadonlyMap<Uuid, SeenInvoice>,
): Promise<void> {
  await inParallel(told, MAX_CONCURRENT_INVOICE_CALLS, async (result) => {
    const consultation = of.get(result.account.id);
    if (consultation === undefined || consultation.kind === 'stopped') return;
    const { call, properties } = consultation;
    if (result.kind === 'failed') await calls.failed(call, properties, invoiceOf(consultation));
    const ids = result.kind === 'done' ? result.invoiceIds : null;
    if (ids?.length === 0) await calls.succeeded(call, properties, null);
    for (const id of ids ?? []) await calls.succeeded(call, properties, stored.get(id) ?? null);
  });
}

function invoiceOf(consultation: Exclude<Consultation, { kind: 'stopped' }>): SeenInvoice | null {
  return consultation.kind === 'go' ? consultation.invoice : (consultation.worked?.invoice ?? null);
}

function wantsToKnow(calls: InvoicePluginCalls, result: RunResult): boolean {
  if (result.kind === 'done') return calls.has('onSuccessCall');
  return result.kind === 'failed' && result.isWorkedOut && calls.has('onFailureCall');
}

async function loadSeen(
  storage: Pick<Storage, 'read'>,
  of: Consultations['of'],
  results: readonly RunResult[],
): Promise<ReadonlyMap<Uuid, SeenInvoice>> {
  const ids = results.flatMap((result) => (result.kind === 'done' ? result.invoiceIds : []));
  const [first] = of.values();
  return first === undefined ? new Map() : loadSeenInvoices(storage, first.call.tenant, ids);
}
