import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { GatewayResult } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { type Decimal, decimal, formatDecimal } from '../../lib/values/money/index.ts';

/** A transaction of the sandbox gateway. Both the call and later reads return its `status`. */
export interface LedgerEntry extends Omit<GatewayResult, 'properties'> {
  readonly kbPaymentId: Uuid;
  readonly kbTransactionPaymentId: Uuid;
  readonly amount?: Decimal;
  readonly accountId: Uuid;
  /** The tenant. The field is absent in ledgers that older versions wrote. */
  readonly tenantId?: Uuid;
}

/** Changes to the reported state of a transaction. */
export type LedgerOverride = Partial<LedgerEntry>;

/** The ledger of the sandbox gateway. Each call is recorded once, under its transaction id, before it returns. */
export interface SandboxLedger {
  find(transactionId: Uuid): LedgerEntry | undefined;
  ofPayment(paymentId: Uuid): readonly LedgerEntry[];
  all(): readonly LedgerEntry[];
  /** Stores the entry if its id is not known yet. Returns the first entry with this id. */
  append(entry: LedgerEntry): LedgerEntry;
  /** Changes the reported state. Returns false for an unknown transaction. */
  override(transactionId: Uuid, override: LedgerOverride): boolean;
}

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

/** A line of the ledger file. It contains a call or a change to a reported state, with amounts as text. */
type Line =
  | { readonly kind: 'ENTRY'; readonly entry: LedgerEntry }
  | { readonly kind: 'OVERRIDE'; readonly transactionId: Uuid; readonly override: LedgerOverride };

const NEWLINE = 0x0a;
/** File mode of the ledger. Only the owner may read payment data. */
const OWNER_ONLY = 0o600;

/**
 * Returns a ledger that is a file of JSON lines. Lines are only appended, and several processes can share the file. A
 * line that a crash left incomplete is ignored.
 */
export function fileLedger(path: string): SandboxLedger & { close(): void } {
  const file = openSync(path, 'a+', OWNER_ONLY);
  const known = memoryLedger();
  let readTo = 0;

  /** Reads the lines that processes have appended since the last read. */
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
    // If a crash has left an unfinished line, this line feed ends it.
    const prefix = fstatSync(file).size > readTo ? '\n' : '';
    writeSync(file, `${prefix}${JSON.stringify(line, plainAmount)}\n`);
    refresh();
  };
  const read = (): SandboxLedger => {
    refresh();
    return known;
  };
  return {
    find: (transactionId) => read().find(transactionId),
    ofPayment: (paymentId) => read().ofPayment(paymentId),
    all: () => read().all(),
    append(entry) {
      const first = read().find(entry.kbTransactionPaymentId);
      if (first) return first;
      write({ kind: 'ENTRY', entry });
      return known.find(entry.kbTransactionPaymentId) ?? entry;
    },
    override(transactionId, override) {
      if (!read().find(transactionId)) return false;
      write({ kind: 'OVERRIDE', transactionId, override });
      return true;
    },
    close: () => closeSync(file),
  };
}

function apply(known: SandboxLedger, line: Line | null) {
  if (line?.kind === 'ENTRY') known.append(line.entry);
  else if (line?.kind === 'OVERRIDE') known.override(line.transactionId, line.override);
}

function readLine(text: string) {
  try {
    return text === '' ? null : (JSON.parse(text, exactAmount) as Line);
  } catch {
    return null; // The line is unfinished: its process crashed while writing, before it responded.
  }
}

/**
 * Formats amounts without exponents. A replacer for JSON.stringify, which has already called the decimal's `toJSON`.
 */
function plainAmount(this: unknown, key: string, value: unknown) {
  return key === 'amount' && typeof value === 'string' ? formatDecimal(decimal(value)) : value;
}

function exactAmount(key: string, value: unknown) {
  return key === 'amount' && typeof value === 'string' ? decimal(value) : value;
}
