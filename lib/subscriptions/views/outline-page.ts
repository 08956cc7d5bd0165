import type { Bundle, Page } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { BundleOutline } from './bundle-outline.ts';

/** Bundles that are in memory at the same time. */
export interface BundleWindow {
  readonly outlines: readonly BundleOutline[];
  /** Ids of the records that the rows are made from, whose audit the rows may show. */
  readonly recordIds: readonly Uuid[];
}

/** A page of bundles that is read while it is shown. */
export interface OutlinePage extends Pick<Page<never>, 'total' | 'max'> {
  /** Bundles on this page. */
  readonly returned: number;
  /**
   * The bundles in their order, as many at a time as are in memory together. Those of one window are from one snapshot;
   * further windows are read when they are asked for.
   */
  readonly windows: AsyncIterable<BundleWindow>;
}

/** Each window is read when the one before it has been shown; no snapshot is kept open for a slow reader. */
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

/** The page without the prices of its subscriptions. */
export function withoutPrices(page: OutlinePage): OutlinePage {
  return { ...page, windows: windowsWithoutPrices(page.windows) };
}

async function* windowsWithoutPrices(
  windows: AsyncIterable<BundleWindow>,
): AsyncGenerator<BundleWindow, undefined> {
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
