import type { GatewayResult } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';

/** One transaction as the sandbox has it; `status` is what it answers and reports. */
export interface LedgerEntry extends Omit<GatewayResult, 'properties'> {
  readonly accountId: Uuid;
  /** Absent in ledgers of former versions. */
  readonly tenantId?: Uuid;
}

/** What is to be reported of a transaction from now on. */
export type LedgerOverride = Partial<LedgerEntry>;

/**
 * The sandbox gateway's own books, apart from the engine's records. Every call is in them before it is answered, once
 * under the id of its transaction.
 */
export interface SandboxLedger {
  find(transactionId: Uuid): LedgerEntry | undefined;
  /** In the order of their arrival. */
  ofPayment(paymentId: Uuid): readonly LedgerEntry[];
  all(): readonly LedgerEntry[];
  /** Stores the entry unless its id is known; returns the entry that counts, the first one. */
  append(entry: LedgerEntry): LedgerEntry;
  /** False if no such transaction has arrived. */
  override(transactionId: Uuid, override: LedgerOverride): boolean;
}

/** A ledger that lives as long as the process. */
export function memoryLedger(): SandboxLedger {
  const entries = new Map<Uuid, LedgerEntry>();
  const idsOfPayment = new Map<Uuid, Uuid[]>();
  return {
    find: (transactionId) => entries.get(transactionId),
    ofPayment: (paymentId) => (idsOfPayment.get(paymentId) ?? []).flatMap((id) => entries.get(id) ?? []),
    all: () => [...entries.values()],
    append(entry) {
      const { kbTransactionPaymentId: id, kbPaymentId: paymentId } = entry;
      const known = entries.get(id);
      if (known) return known;
      entries.set(id, entry);
      const ids = idsOfPayment.get(paymentId);
      if (ids) ids.push(id);
      else idsOfPayment.set(paymentId, [id]);
      return entry;
    },
    override(transactionId, override) {
      const known = entries.get(transactionId);
      if (known) entries.set(transactionId, { ...known, ...override });
      return known !== undefined;
    },
  };
}
