import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { GatewayResult } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { type Decimal, decimal, formatDecimal } from '../../lib/values/money/index.ts';

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

/** A line of the ledger: an arrival, or a changed report. Amounts are text. */
type Line =
  | { readonly kind: 'ENTRY'; readonly entry: LedgerEntry & { readonly amount?: Decimal } }
  | { readonly kind: 'OVERRIDE'; readonly transactionId: Uuid; readonly override: LedgerOverride };

const NEWLINE = 0x0a;
/** Only the owner may read who pays whom. */
const OWNER_ONLY = 0o600;

/**
 * A ledger in a file of JSON lines that is only appended to. It survives the death of the process, and several processes
 * may share it. A line that a dying process left unfinished is ignored.
 */
export function fileLedger(path: string): SandboxLedger & { close(): void } {
  const file = openSync(path, 'a+', OWNER_ONLY);
  const known = memoryLedger();
  let readTo = 0;

  /** Reads what this or another process has appended since the last read. */
  const refresh = (): void => {
    const { size } = fstatSync(file);
    if (size <= readTo) return;
    const bytes = Buffer.alloc(size - readTo);
    const count = readSync(file, bytes, 0, bytes.length, readTo);
    const end = bytes.subarray(0, count).lastIndexOf(NEWLINE) + 1;
    readTo += end;
    for (const text of bytes.subarray(0, end).toString('utf8').split('\n')) apply(known, readLine(text));
  };
  const write = (line: Line): void => {
    refresh();
    // Ends the unfinished line of a process that died, so that ours begins on a new line.
    const prefix = fstatSync(file).size > readTo ? '\n' : '';
    writeSync(file, `${prefix}${JSON.stringify(line, plainAmount)}\n`);
    refresh();
  };
  return {
    find(transactionId) {
      refresh();
      return known.find(transactionId);
    },
    ofPayment(paymentId) {
      refresh();
      return known.ofPayment(paymentId);
    },
    all() {
      refresh();
      return known.all();
    },
    append(entry) {
      refresh();
      const first = known.find(entry.kbTransactionPaymentId);
      if (first) return first;
      write({ kind: 'ENTRY', entry });
      return known.find(entry.kbTransactionPaymentId) ?? entry;
    },
    override(transactionId, override) {
      refresh();
      if (!known.find(transactionId)) return false;
      write({ kind: 'OVERRIDE', transactionId, override });
      return true;
    },
    close: () => closeSync(file),
  };
}

function apply(known: SandboxLedger, line: Line | null): void {
  if (line?.kind === 'ENTRY') known.append(line.entry);
  else if (line?.kind === 'OVERRIDE') known.override(line.transactionId, line.override);
}

function readLine(text: string): Line | null {
  try {
    return text === '' ? null : (JSON.parse(text, exactAmount) as Line);
  } catch {
    return null; // unfinished: its process died while writing it, before it had answered
  }
}

/** JSON.stringify has already turned the decimal into text by its own toJSON; the plain form has no exponent. */
function plainAmount(this: unknown, key: string, value: unknown): unknown {
  return key === 'amount' && typeof value === 'string' ? formatDecimal(decimal(value)) : value;
}

function exactAmount(key: string, value: unknown): unknown {
  return key === 'amount' && typeof value === 'string' ? decimal(value) : value;
}
