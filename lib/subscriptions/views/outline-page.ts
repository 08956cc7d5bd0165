import type { SystemClock } from '../../ports/index.ts';
import type { Bundle, Page } from '../../records/index.ts';
import type { NextTurn } from '../../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ROWS_OF_TURN } from '../../values/limits.ts';
import {
  type BundleOutline,
  type BundleView,
  bundleView,
  type SubscriptionOutline,
  subscriptionView,
} from './bundle-outline.ts';

/** Bundles in memory at the same time. */
export interface BundleWindow {
  readonly outlines: readonly BundleOutline[];
  /** Ids of the records from which the rows were created. They are used to find the audit entries of the rows. */
  readonly recordIds: readonly Uuid[];
}

/** A page of bundles, read on demand. */
export interface OutlinePage extends Pick<Page<never>, 'total' | 'max'> {
  /** Number of bundles on this page. */
  readonly returned: number;
  /**
   * The bundles in order, divided into windows. Only one window is in memory at a time. Each window is read on demand
   * from its own snapshot.
   */
  readonly windows: AsyncIterable<BundleWindow>;
}

/**
 * Yields the windows. Reads a window only after the previous one was consumed, so that a slow reader does not keep a
 * snapshot open.
 */
export async function* windowsFrom(
  first: BundleWindow,
  bundles: readonly Bundle[],
  next: (bundles: readonly Bundle[]) => Promise<BundleWindow>,
): AsyncGenerator<BundleWindow, undefined> {
  let shown = first.outlines.length;
  yield first;
  while (shown < bundles.length) {
    const window = await next(bundles.slice(shown));
    shown += window.outlines.length;
    yield window;
  }
}

/** Returns the page without the prices of its subscriptions. */
export function withoutPrices(page: OutlinePage): OutlinePage {
  return { ...page, windows: windowsWithoutPrices(page.windows) };
}

async function* windowsWithoutPrices(windows: AsyncIterable<BundleWindow>) {
  for await (const window of windows) {
    const outlines = window.outlines.map(
      (bundle): BundleOutline => ({
        ...bundle,
        subscriptions: bundle.subscriptions.map((each) => ({ ...each, prices: () => [] })),
      }),
    );
    yield { ...window, outlines };
  }
}

/** Returns the bundles with all their rows in memory. */
export const bundleViews = viewsBy(bundleView);

/** Returns the subscriptions with all their rows in memory. */
export const subscriptionViews = viewsBy(subscriptionView);

function viewsBy<O, V>(view: (outline: O) => V) {
  return async (outlines: readonly O[], nextTurn: NextTurn): Promise<readonly V[]> => {
    const views: V[] = [];
    for (const outline of outlines) {
      if (views.length > 0) await nextTurn();
      views.push(view(outline));
    }
    return views;
  };
}

/** Returns the page with all rows of its bundles in memory. */
export async function pageOfViews(
  { total, max, windows }: OutlinePage,
  nextTurn: NextTurn,
): Promise<Page<BundleView>> {
  const rows: BundleView[] = [];
  for await (const { outlines } of windows) rows.push(...(await bundleViews(outlines, nextTurn)));
  return { rows, total, max };
}

/** Limits the number of rows of a result (platform §16). While it counts, other work can run. */
export interface RowBound {
  readonly maxRows: number;
  readonly nextTurn: SystemClock['nextTurn'];
}

/**
 * Counts the rows of a result. Each bundle and each subscription is one row. Each event is two rows, because both the
 * subscription and the bundle list it.
 * @throws BillingError ANSWER_TOO_LARGE (60020) for too many rows.
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

/** Checks the number of rows of one subscription. @throws BillingError ANSWER_TOO_LARGE (60020) for too many rows. */
export async function checkRowsOf(subscription: SubscriptionOutline, bound: RowBound): Promise<void> {
  let rows = 0;
  for await (const count of rowsOf([subscription], bound)) {
    rows += count.subscriptions + count.events;
    if (rows > bound.maxRows) throw answerTooLarge(subscription.accountId, bound.maxRows);
  }
}

/** Counts rows in parts. */
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

export function answerTooLarge(accountId: Uuid, maxRows: number): BillingError {
  return billingError(
    ErrorCode.ANSWER_TOO_LARGE,
    `The response for account ${accountId} would have more than ${maxRows} rows ` +
      '(server.limits.rows). Read its bundles in pages with ' +
      `GET /1.0/kb/accounts/${accountId}/bundles/pagination?offset=0&limit=10 or outlines.pageOfAccount`,
    { accountId, maxRows },
  );
}
