import { lockAccount } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { Bundle, CallContext, Page, PageRequest } from '../../records/index.ts';
import { authorshipOf, turnsOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { holderOf } from '../create/bundle-choice.ts';
import { checkBundleKey } from '../requests/bundle-requests.ts';
import { noBundleOfKey, noSuchBundle } from '../requests/unknown-objects.ts';
import { loadBundle } from '../storing/load-running.ts';
import type { BundleView } from '../views/bundle-outline.ts';
import { type BundleWindow, bundleViews, pageOfViews } from '../views/outline-page.ts';
import { OutlineService } from './outline-service.ts';

/** Bundles of a tenant and their keys (§17, §22). */
export class BundleService {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;
  readonly #outlines: OutlineService;

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
    catalogs: CatalogProvider,
    outlines: OutlineService = new OutlineService(ports, catalogs),
  ) {
    this.#ports = ports;
    this.#outlines = outlines;
  }

  async get(context: CallContext, bundleId: Uuid): Promise<BundleView> {
    const [view] = await this.#views(await this.#outlines.bundle(context, bundleId));
    if (view !== undefined) return view;
    throw noSuchBundle(bundleId);
  }

  async getByKey(context: CallContext, externalKey: string): Promise<BundleView> {
    const [view] = await this.#views(await this.#outlines.bundleByKey(context, externalKey));
    if (view !== undefined) return view;
    throw noBundleOfKey(externalKey);
  }

  async allOfKey(context: CallContext, externalKey: string): Promise<readonly BundleView[]> {
    return this.#views(await this.#outlines.allOfKey(context, externalKey));
  }

  async page(context: CallContext, request: PageRequest): Promise<Page<BundleView>> {
    return pageOfViews(await this.#outlines.page(context, request), turnsOf(this.#ports));
  }

  async search(context: CallContext, key: string, request: PageRequest): Promise<Page<BundleView>> {
    return pageOfViews(await this.#outlines.search(context, key, request), turnsOf(this.#ports));
  }

  async renameKey(
    context: CallContext,
    bundleId: Uuid,
    externalKey: string | null | undefined,
  ): Promise<void> {
    const key = checkBundleKey(externalKey);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const known = await loadBundle(session, bundleId);
      await lockAccount(session, known.accountId);
      const holder = holderOf(await session.subscriptions.findBundlesByKeys([key]));
      if (holder?.id === bundleId) return;
      if (holder !== undefined) throw keyInUse(holder);
      await session.subscriptions.keepBundleKeys([bundleId]);
      await session.subscriptions.setBundleKeys([{ id: bundleId, externalKey: key, retiredKey: null }]);
    });
  }

  #views({ outlines }: BundleWindow): Promise<readonly BundleView[]> {
    return bundleViews(outlines, turnsOf(this.#ports));
  }
}

function keyInUse({ id, externalKey }: Bundle): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    message: `Bundle ${id} has the key ${externalKey} already; choose another key`,
    facts: { bundleId: id, bundleExternalKey: externalKey },
  });
}
