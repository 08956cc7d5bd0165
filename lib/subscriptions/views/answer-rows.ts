import type { SystemClock } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ROWS_OF_TURN } from '../../values/limits.ts';
import type { BundleOutline, SubscriptionOutline } from './bundle-outline.ts';

/** How many rows an answer may have (platform §16), and how others get their turn while rows are counted. */
export interface RowBound {
  readonly maxRows: number;
  readonly nextTurn: SystemClock['nextTurn'];
}

/**
 * The number of rows of an answer with these bundles: each bundle and subscription is one row, and each event is one in
 * the subscription and one in the bundle.
 * @throws BillingError ANSWER_TOO_LARGE (60020) where there are more than allowed.
 */
export async function countRows(
  accountId: Uuid,
  bundles: readonly BundleOutline[],
  bound: RowBound,
): Promise<number> {
  let rows = bundles.length;
  for await (const count of rowsOf(
    bundles.flatMap(({ subscriptions }) => subscriptions),
    bound,
  )) {
    rows += count.subscriptions + 2 * count.events;
    if (rows > bound.maxRows) throw answerTooLarge(accountId, bound.maxRows);
  }
  return rows;
}

/** @throws BillingError ANSWER_TOO_LARGE (60020) where the subscription alone has more rows than an answer may have. */
export async function checkRowsOf(subscription: SubscriptionOutline, bound: RowBound): Promise<void> {
  let rows = 0;
  for await (const count of rowsOf([subscription], bound)) {
    rows += count.subscriptions + count.events;
    if (rows > bound.maxRows) throw answerTooLarge(subscription.accountId, bound.maxRows);
  }
}

/** Rows, a part at a time. */
async function* rowsOf(
  subscriptions: readonly SubscriptionOutline[],
  { nextTurn }: Pick<RowBound, 'nextTurn'>,
) {
  let count = { subscriptions: 0, events: 0 };
  for (const { events } of subscriptions) {
    count.subscriptions += 1;
    for (const _event of events()) {
      count.events += 1;
      if (count.events < ROWS_OF_TURN) continue;
      yield count;
      count = { subscriptions: 0, events: 0 };
      await nextTurn();
    }
  }
  yield count;
}

/** The error names the way out: the same records by pages, whose size does not matter. */
export function answerTooLarge(accountId: Uuid, maxRows: number): BillingError {
  return new BillingError({
    code: ErrorCode.ANSWER_TOO_LARGE,
    message:
      `One answer cannot hold what account ${accountId} has: it would be more than ${maxRows} rows ` +
      '(server.limits.rows). Read its bundles by pages, with ' +
      `GET /1.0/kb/accounts/${accountId}/bundles/pagination?offset=0&limit=10 or outlines.pageOfAccount`,
    facts: { accountId, maxRows },
  });
}
