import { BillingError, ErrorCode, type TenantBilling, type Uuid } from '../../lib/index.ts';
import type { TestDatabase } from './databases.ts';
import { itemLines, type TestEngine } from './engine.ts';
import { entryTokens, rowsOf } from './queue-rows.ts';

/** One call of one caller, told apart from all others by its user token. */
export interface StormCall {
  readonly name: string;
  readonly make: (acme: TenantBilling) => Promise<unknown>;
}

export interface MadeCall extends StormCall {
  readonly token: Uuid;
  /** Code of the refusal; null = accepted. */
  readonly refused: number | null;
}

/** What a caller is told who is to come again: nothing was done. */
export const COME_AGAIN: readonly (number | null)[] = [ErrorCode.BUSY, ErrorCode.VERSION_CONFLICT];

/** Callers that are at work at one time. */
export const CALLERS = 50;

/**
 * Makes the calls, as many at once as there are callers; anything but an answer or a refusal fails. One for which the
 * account was busy too long is made again, as its caller is told to (subscriptions §24 rule 3): both are in the result.
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
  /** The changed rows and the queue entries that a call is behind, by itself or by the work that it caused. */
  readonly of: (token: Uuid) => readonly string[];
  /** These calls in the order of the rows that they changed; a call whose rows others stand between is there twice. */
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

/** Makes so many, as many at once as there are callers. */
export async function inTurns<T>(count: number, make: (index: number) => Promise<T>): Promise<readonly T[]> {
  const made: T[] = [];
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const worker = async (): Promise<void> => {
    for (const index of indexes) made.push(await make(index));
  };
  await Promise.all(Array.from({ length: CALLERS }, worker));
  return made;
}

/** The subscriptions of an account with their events, and its invoices: without ids, so that two accounts compare. */
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

/** Without what makes the key unique in its tenant. */
function keyOf(externalKey: string): string {
  return externalKey.split('@')[0] ?? externalKey;
}
