import type { BundleOutline, BundleWindow, OutlinePage } from '../../../../lib/subscriptions/index.ts';
import { Bundle } from '../../models/subscription.ts';
import { type Answer, streamedPage } from '../../routing/answer.ts';
import { type LazyList, lazyList } from '../../wire/json-pieces.ts';
import { type AuditedCall, renderingOf } from '../objects/audit.ts';

type BundleJson = ReturnType<typeof Bundle.write>;

/** A page of bundles, read and written while it is sent. */
export function bundlePage(
  call: AuditedCall & { readonly query: { readonly offset: number; readonly limit: number } },
  { windows, returned, total, max }: OutlinePage,
): Answer {
  const { offset, limit } = call.query;
  return streamedPage(windowsJson(call, windows), { offset, limit, returned, total, max });
}

async function* windowsJson(
  call: AuditedCall,
  windows: AsyncIterable<BundleWindow>,
): AsyncGenerator<Iterable<BundleJson>, undefined> {
  for await (const window of windows) yield bundlesJson(call, window);
}

/** The bundles with the audit that the call asks for, each made when it is written. */
export async function bundlesJson(
  call: AuditedCall,
  { outlines, recordIds }: BundleWindow,
): Promise<LazyList<BundleJson>> {
  const rendering = await renderingOf(call, recordIds);
  return lazyList(outlines, (bundle: BundleOutline) => Bundle.write(bundle, rendering));
}
