import { BillingError, ErrorCode, type TenantBilling, type Uuid } from '../../lib/index.ts';
import type { TestDatabase } from './databases.ts';
import { itemLines, type TestEngine } from './engine.ts';
import { entryTokens, rowsOf } from './queue-rows.ts';

/** One call of one caller. Its user token identifies its effects. */
export interface StormCall {
  readonly name: string;
  readonly make: (acme: TenantBilling) => Promise<unknown>;
}

export interface MadeCall extends StormCall {
  readonly token: Uuid;
  /** Code of the error; null = accepted. */
  readonly refused: number | null;
}

/** Errors after which a caller repeats its call, because nothing was done. */
export const COME_AGAIN: readonly (number | null)[] = [ErrorCode.BUSY, ErrorCode.VERSION_CONFLICT];

/** Number of concurrent callers. */
export const CALLERS = 50;

/**
 * Makes the calls with all callers in parallel. Only results and billing errors are accepted. If the account stays
 * locked, the caller repeats its call (subscriptions §24 rule 3), and both calls are in the result.
 */
export async function storm(engine: TestEngine, calls: readonly StormCall[]): Promise<readonly MadeCall[]> {
  const made = await inTurns(calls.length, async (index) => {
    const tries: MadeCall[] = [];
    do tries.push(await makeCall(engine, calls[index] as StormCall));
    while (COME_AGAIN.includes(tries.at(-1)?.refused ?? null));
    return tries;
  });
  return made.flat();
}

export async function makeCall(engine: TestEngine, call: StormCall): Promise<MadeCall> {
  const token = crypto.randomUUID() as Uuid;
  const acme = engine.billing.as({ tenant: engine.tenant, user: call.name, userToken: token });
  try {
    await call.make(acme);
    return { ...call, token, refused: null };
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    return { ...call, token, refused: error.code };
  }
}

export interface Effects {
  /** Returns the changed rows and the queue entries of a call, including the work that it caused. */
  readonly of: (token: Uuid) => readonly string[];
  /**
   * Returns these calls in the order of their changed rows. A call appears twice if rows of another call are between
   * its rows.
   */
  readonly orderOf: (calls: readonly MadeCall[]) => readonly MadeCall[];
}

const CHANGES = `select user_token as token, table_name, change_type from bw_audit_log order by record_id`;

export async function effectsIn(database: TestDatabase): Promise<Effects> {
  const changes = await rowsOf(database, CHANGES);
  const effects = [
    ...changes.map((row) => ({
      token: row.token,
      text: `${String(row.change_type)} ${String(row.table_name)}`,
    })),
    ...(await entryTokens(database)).map(({ token, topic }) => ({ token, text: topic })),
  ];
  const byToken = Map.groupBy(effects, ({ token }) => token);
  return {
    of: (token) => (byToken.get(token) ?? []).map(({ text }) => text),
    orderOf: (calls) => {
      const byCall = new Map<unknown, MadeCall>(calls.map((call) => [call.token, call]));
      const order = changes.flatMap(({ token }) => byCall.get(token) ?? []);
      return order.filter((call, index) => call !== order[index - 1]);
    },
  };
}

/** Calls `make` this many times, with all callers in parallel. */
export async function inTurns<T>(count: number, make: (index: number) => Promise<T>): Promise<readonly T[]> {
  const made: T[] = [];
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const worker = async (): Promise<void> => {
    for (const index of indexes) made.push(await make(index));
  };
  await Promise.all(Array.from({ length: CALLERS }, worker));
  return made;
}

/** Returns the subscriptions, events and invoices of an account without ids, so that two accounts can be compared. */
export async function storyOf(engine: TestEngine, accountId: Uuid): Promise<readonly string[]> {
  const bundles = await engine.acme.subscriptions.bundlesOfAccount(accountId);
  const events = bundles
    .flatMap(({ subscriptions }) => subscriptions)
    .flatMap(({ events, externalKey, subscriptionId, state, bundleId, bundleExternalKey }) => {
      const name = externalKey === subscriptionId ? 'unnamed' : keyOf(externalKey);
      return [
        `${name} ${state}${bundleExternalKey === bundleId ? '' : ` in ${keyOf(bundleExternalKey)}`}`,
        ...events.map(
          ({ eventType, effective, phase }) => `${name} ${eventType} ${effective.date} ${phase ?? '-'}`,
        ),
      ];
    });
  const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
  const items = invoices.map((invoice) => `${invoice.status} ${itemLines(invoice).toSorted().join(', ')}`);
  return [...events.toSorted(), ...items];
}

/** Removes the suffix that makes the key unique in its tenant. */
function keyOf(externalKey: string): string {
  return externalKey.split('@')[0] ?? externalKey;
}
