import type { ReadSession } from '../../ports/storage/index.ts';
import type { TenantKeyValue } from '../../records/index.ts';
import { paymentStateMachineKey } from '../../tenants/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CACHED_STATE_MACHINES } from '../../values/limits.ts';
import type { OperationTable } from '../state/payment-state.ts';
import { readStateMachine } from '../state/state-machine.ts';

/** Tables of operations that tenants have put in the place of the engine's own (§3.1), by plugin name. */
export type StateMachinesOf = ReadonlyMap<string, OperationTable>;

/**
 * The payment state machines of tenants. Which document is in force is read at every operation, so that upload and
 * deletion act at once; a document is parsed once.
 */
export class StateMachines {
  /** By the id of the stored value, which never changes. */
  readonly #parsed = new Map<Uuid, OperationTable>();

  /**
   * Those in force for these plugins, in one statement.
   * @throws BillingError PAYMENT_STATE_MACHINE_FAILURE (7036) for a stored document that cannot be read.
   */
  async of(session: ReadSession, pluginNames: readonly string[]): Promise<StateMachinesOf> {
    if (pluginNames.length === 0) return new Map();
    const byKey = new Map(pluginNames.map((name) => [paymentStateMachineKey(name), name]));
    const rows = await session.keyValues.find([...byKey.keys()]);
    return new Map(rows.map((row) => [byKey.get(row.key) ?? '', this.#tableOf(row)]));
  }

  #tableOf(row: TenantKeyValue): OperationTable {
    const known = this.#parsed.get(row.id);
    if (known !== undefined) return known;
    const table = parsed(row);
    this.#parsed.set(row.id, table);
    const [oldest] = this.#parsed.keys();
    if (this.#parsed.size > MAX_CACHED_STATE_MACHINES && oldest !== undefined) this.#parsed.delete(oldest);
    return table;
  }
}

/**
 * Refuses an upload that cannot be read.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkStateMachine(text: string): void {
  try {
    readStateMachine(text);
  } catch (error) {
    throw invalidField(`The value is not a well-formed XML document: ${reasonOf(error)}`);
  }
}

function parsed({ key, value }: TenantKeyValue): OperationTable {
  try {
    return readStateMachine(value);
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.PAYMENT_STATE_MACHINE_FAILURE,
      message: `The value of the tenant's key ${key} cannot be read, nothing was attempted; upload it again: ${reasonOf(error)}`,
      facts: { key },
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
