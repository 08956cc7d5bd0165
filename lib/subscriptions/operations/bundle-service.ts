import { lockAccount } from '../../accounts/lock-account.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { Bundle, CallContext, Page, PageRequest } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { holderOf } from '../create/retired-keys.ts';
import { noBundleOfKey, noSuchBundle } from '../requests/no-such-bundle.ts';
import { checkBundleKey } from '../requests/rename-request.ts';
import type { BundleView } from '../views/bundle-view.ts';
import type { BundleWindow } from '../views/outline-page.ts';
import { bundleViews, pageOfViews } from '../views/views-in-turns.ts';
import { OutlineService } from './outline-service.ts';

/** Bundles of a tenant and their keys (§17, §22). */
export class BundleService {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock'>;
  readonly #outlines: OutlineService;

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock'>,
    catalogs: CatalogProvider,
    outlines: OutlineService = new OutlineService(ports, catalogs),
  ) {
    this.#ports = ports;
    this.#outlines = outlines;
  }

  /** @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ANSWER_TOO_LARGE (60020). */
  async get(context: CallContext, bundleId: Uuid): Promise<BundleView> {
    const [view] = await this.#views(await this.#outlines.bundle(context, bundleId));
    if (view !== undefined) return view;
    throw noSuchBundle(bundleId);
  }

  /**
   * The bundle that holds the key, if the service of one of its base or standalone subscriptions has not been cancelled.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084), ANSWER_TOO_LARGE (60020).
   */
  async getByKey(context: CallContext, externalKey: string): Promise<BundleView> {
    const [view] = await this.#views(await this.#outlines.bundleByKey(context, externalKey));
    if (view !== undefined) return view;
    throw noBundleOfKey(externalKey);
  }

  /**
   * The bundle that holds the key and all that had it before, under their present keys, the oldest first.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084) if there is none, ANSWER_TOO_LARGE (60020).
   */
  async allOfKey(context: CallContext, externalKey: string): Promise<readonly BundleView[]> {
    return this.#views(await this.#outlines.allOfKey(context, externalKey));
  }

  /**
   * A window of the tenant's bundles in creation order, without prices, with the counts that pagination headers show.
   * Holds every row of the page; `outlines.page` gives them one after the other.
   */
  async page(context: CallContext, request: PageRequest): Promise<Page<BundleView>> {
    return pageOfViews(await this.#outlines.page(context, request), this.#ports.systemClock);
  }

  /**
   * A window, likewise, of the bundles whose id, account id or external key is the key, or that meet the clauses of a key
   * in operator form (http-api §8).
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  async search(context: CallContext, key: string, request: PageRequest): Promise<Page<BundleView>> {
    return pageOfViews(await this.#outlines.search(context, key, request), this.#ports.systemClock);
  }

  /**
   * Gives the bundle another key, which no bundle may hold; its own changes nothing.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS (1014),
   * MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), BUSY (60018).
   */
  async renameKey(
    context: CallContext,
    bundleId: Uuid,
    externalKey: string | null | undefined,
  ): Promise<void> {
    const key = checkBundleKey(externalKey);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const [known] = await session.subscriptions.findBundlesByIds([bundleId]);
      if (known === undefined) throw noSuchBundle(bundleId);
      await lockAccount(session, known.accountId);
      const holder = holderOf(await session.subscriptions.findBundlesByKeys([key]));
      if (holder?.id === bundleId) return;
      if (holder !== undefined) throw keyInUse(holder);
      await session.subscriptions.keepBundleKeys([bundleId]);
      await session.subscriptions.setBundleKeys([{ id: bundleId, externalKey: key, retiredKey: null }]);
    });
  }

  #views({ outlines }: BundleWindow): Promise<readonly BundleView[]> {
    return bundleViews(outlines, this.#ports.systemClock);
  }
}

function keyInUse({ id, externalKey }: Bundle): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    message: `Bundle ${id} has the key ${externalKey} already; choose another key`,
    facts: { bundleId: id, bundleExternalKey: externalKey },
  });
}
