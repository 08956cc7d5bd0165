import type { Page } from '../../records/index.ts';
import type { NextTurn } from '../../runtime/index.ts';
import { type BundleOutline, bundleView } from './bundle-outline.ts';
import type { BundleView } from './bundle-view.ts';
import type { OutlinePage } from './outline-page.ts';

/** The bundles with all their rows in memory. */
export async function bundleViews(
  outlines: readonly BundleOutline[],
  nextTurn: NextTurn,
): Promise<readonly BundleView[]> {
  const views: BundleView[] = [];
  for (const outline of outlines) {
    if (views.length > 0) await nextTurn();
    views.push(bundleView(outline));
  }
  return views;
}

/** The page with all rows of its bundles in memory. */
export async function pageOfViews(
  { total, max, windows }: OutlinePage,
  nextTurn: NextTurn,
): Promise<Page<BundleView>> {
  const rows: BundleView[] = [];
  for await (const { outlines } of windows) rows.push(...(await bundleViews(outlines, nextTurn)));
  return { rows, total, max };
}
