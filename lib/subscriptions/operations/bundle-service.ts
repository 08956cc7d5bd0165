import { lockAccount, noSuchAccount } from '../../accounts/index.ts';
import { type CatalogProvider, withOverridePlans } from '../../catalog/index.ts';
import { EntitlementOperation, type Ports, type TransferBundleOptions } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Bundle, CallContext, Page, PageRequest } from '../../records/index.ts';
import { authorshipOf, turnsOf } from '../../runtime/index.ts';
import {
  assertInvariant,
  type BillingError,
  billingError,
  ErrorCode,
  invalidField,
} from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { holderOf } from '../create/chosen-group.ts';
import {
  type CheckedTransfer,
  checkBundleKey,
  checkTransferOptions,
  checkTransferRequest,
  type TransferBundleRequest,
} from '../requests/edit-requests.ts';
import { termsOf } from '../requests/plugin-decision.ts';
import { noBundleOfKey, noSuchBundle, noSuchSubscription } from '../requests/unknown-objects.ts';
import { loadBundle, loadRunning } from '../storing/load-subscriptions.ts';
import { saveCreations, saveEdits } from '../storing/save-changes.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';
import { planTransfer } from '../transfer/transfer.ts';
import type { BundleView } from '../views/bundle-outline.ts';
import { type BundleWindow, bundleViews, pageOfViews } from '../views/outline-page.ts';
import { bundleOf, type EntitlementControl } from './entitlement-control.ts';
import type { OutlineService } from './outline-service.ts';

type BundlePorts = Pick<Ports, 'storage' | 'ids' | 'systemClock' | 'scopes'>;

export class BundleService {
  readonly #ports: BundlePorts;
  readonly #catalogs: CatalogProvider;
  readonly #outlines: OutlineService;
  readonly #control: EntitlementControl;

  constructor(
    ports: BundlePorts,
    catalogs: CatalogProvider,
    others: { readonly outlines: OutlineService; readonly control: EntitlementControl },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#outlines = others.outlines;
    this.#control = others.control;
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
    return this.#control.run(context, {
      operation: EntitlementOperation.RENAME_KEY,
      given: { externalKey: key },
      terms: {},
      subject: bundleOf(bundleId),
      prepare: () => () =>
        this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
          const known = await loadBundle(session, bundleId);
          await lockAccount(session, known.accountId);
          const holder = holderOf(await session.subscriptions.findBundlesByKeys([key]));
          if (holder?.id === bundleId) return;
          if (holder !== undefined) throw keyInUse(holder);
          await session.subscriptions.keepBundleKeys([bundleId]);
          await session.subscriptions.setBundleKeys([{ id: bundleId, externalKey: key, retiredKey: null }]);
        }),
      resultOf: () => null,
    });
  }

  async transfer(
    context: CallContext,
    bundleId: Uuid,
    request: TransferBundleRequest & TransferBundleOptions,
  ): Promise<Uuid> {
    const asked = checkTransferRequest(request);
    const operation = EntitlementOperation.TRANSFER;
    return this.#control.run(context, {
      operation,
      given: { accountId: asked.accountId },
      terms: termsOf(operation, request),
      subject: bundleOf(bundleId),
      prepare: (terms) => {
        const checked = { ...asked, ...checkTransferOptions(terms) };
        return () => this.#transfer(context, bundleId, checked);
      },
      resultOf: (newBundleId) => ({ bundleId: newBundleId }),
    });
  }

  async #transfer(context: CallContext, bundleId: Uuid, checked: CheckedTransfer): Promise<Uuid> {
    const now = context.createdDate;
    const catalogsOf = await this.#catalogs.open({
      tenant: context.tenant,
      now,
      accounts: async (session) => [
        ...(await session.subscriptions.findBundlesByIds([bundleId])).map(({ accountId }) => accountId),
        checked.accountId,
      ],
    });
    return this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const { source, target, bundle } = await lockBoth(session, bundleId, checked.accountId);
      await session.catalogs.keepPlans();
      const running = await loadRunning(session, { account: source, bundles: [bundle], catalogsOf });
      const subscriptionIds = running.map(({ subscription }) => subscription.id);
      await checkKnown(session, checked, subscriptionIds);
      const history = await session.subscriptions.findWithdrawnEvents(subscriptionIds);
      const plansOf = await withOverridePlans(session, {
        catalogOf: await catalogsOf(session, [target.id]),
        accountIds: [target.id],
        planNames: planNamesOf([...running.flatMap(({ events }) => events), ...history]),
      });
      const plan = planTransfer(
        {
          request: checked,
          source,
          target,
          bundle,
          keyCarriers: await session.subscriptions.findBundlesByKeys([bundle.externalKey]),
          running,
          history,
          catalog: plansOf(target.id),
        },
        { now, nextId: () => this.#ports.ids.next() },
      );
      await saveEdits(session, plan.ends, now);
      await saveCreations(session, [plan.begun], now);
      return plan.bundleId;
    });
  }

  #views({ outlines }: BundleWindow): Promise<readonly BundleView[]> {
    return bundleViews(outlines, turnsOf(this.#ports));
  }
}

function keyInUse({ id, externalKey }: Bundle): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    `Bundle ${id} has the key ${externalKey} already; choose another key`,
    { bundleId: id, bundleExternalKey: externalKey },
  );
}

/** Locks both accounts in record id order, then reads the bundle. */
async function lockBoth(session: WriteSession, bundleId: Uuid, targetId: Uuid) {
  const known = await loadBundle(session, bundleId);
  if (known.accountId === targetId) {
    throw invalidField(
      `Bundle ${bundleId} belongs to account ${targetId} already; name another account to transfer it to`,
      { field: 'accountId', bundleId },
    );
  }
  const locked = await session.lockAccounts([known.accountId, targetId]);
  const source = locked.find(({ id }) => id === known.accountId);
  const target = locked.find(({ id }) => id === targetId);
  if (target === undefined) throw noSuchAccount(targetId);
  const [bundle] = await session.subscriptions.findBundlesByIds([bundleId]);
  assertInvariant(source && bundle, `Bundle ${bundleId} has no account`, { bundleId });
  return { source, target, bundle };
}

/** Rejects unknown subscriptions; those of other bundles are rejected by the transfer rules. */
async function checkKnown(
  session: ReadSession,
  { externalKeys }: CheckedTransfer,
  ofBundle: readonly Uuid[],
): Promise<void> {
  const others = [...externalKeys.keys()].filter((id) => !ofBundle.includes(id));
  const found = new Set((await session.subscriptions.findByIds(others)).map(({ id }) => id));
  const unknown = others.find((id) => !found.has(id));
  if (unknown !== undefined) throw noSuchSubscription(unknown);
}
