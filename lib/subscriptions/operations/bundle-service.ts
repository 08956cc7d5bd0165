import { lockAccount, noSuchAccount } from '../../accounts/index.ts';
import { type CatalogProvider, withOverridePlans } from '../../catalog/index.ts';
import { EntitlementOperation, type Ports, type TransferBundleOptions } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Bundle, CallContext, PageRequest } from '../../records/index.ts';
import { authorshipOf, turnsOf } from '../../runtime/index.ts';
import {
  assertInvariant,
  type BillingError,
  billingError,
  ErrorCode,
  invalidField,
} from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { holdsKey } from '../create/choose-group.ts';
import {
  type CheckedTransfer,
  checkBundleKey,
  checkTransferOptions,
  checkTransferRequest,
  type TransferBundleRequest,
} from '../requests/edit-requests.ts';
import { noBundleOfKey, noSuchBundle, noSuchSubscription } from '../requests/unknown-objects.ts';
import { loadBundle, loadRunning } from '../storing/load-subscriptions.ts';
import { saveCreations, saveEdits, type TrialNotices } from '../storing/save-changes.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';
import { planTransfer } from '../transfer/transfer.ts';
import { type BundleWindow, bundleViews, type OutlinePage, pageOfViews } from '../views/outline-page.ts';
import { bundleOf, type EntitlementControl, termsOf } from './entitlement-control.ts';
import type { Outlines } from './outline-service.ts';

/** Creates the bundle operations that return all rows in memory. Entitlement plugins control the changes (§22). */
export function bundleOperations(
  ports: Pick<Ports, 'storage' | 'ids' | 'systemClock' | 'scopes'>,
  catalogs: CatalogProvider,
  {
    outlines,
    control,
    trials,
  }: {
    readonly outlines: Outlines;
    readonly control: EntitlementControl;
    readonly trials: TrialNotices;
  },
) {
  const views = async (window: Promise<BundleWindow>) => bundleViews((await window).outlines, turnsOf(ports));
  const pageViews = async (page: Promise<OutlinePage>) => pageOfViews(await page, turnsOf(ports));

  async function transfer(context: CallContext, bundleId: Uuid, checked: CheckedTransfer): Promise<Uuid> {
    const { tenant, createdDate: now } = context;
    const catalogsOf = await catalogs.open({
      tenant,
      now,
      accounts: async (session) => [
        ...(await session.subscriptions.findBundlesByIds([bundleId])).map(({ accountId }) => accountId),
        checked.accountId,
      ],
    });
    return ports.storage.write(tenant, authorshipOf(context), async (session) => {
      const { source, target, bundle } = await lockBoth(session, bundleId, checked.accountId);
      await session.catalogs.keepPlans();
      const running = await loadRunning(session, { accounts: [source], bundles: [bundle], catalogsOf });
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
        { now, nextId: () => ports.ids.next() },
      );
      await saveEdits(session, plan.ends, now);
      await saveCreations(session, [plan.begun], now);
      await trials.ofCreations(session, [plan.begun], now);
      return plan.bundleId;
    });
  }

  return {
    async get(context: CallContext, bundleId: Uuid) {
      const [view] = await views(outlines.bundle(context, bundleId));
      if (view !== undefined) return view;
      throw noSuchBundle(bundleId);
    },

    async getByKey(context: CallContext, externalKey: string) {
      const [view] = await views(outlines.bundleByKey(context, externalKey));
      if (view !== undefined) return view;
      throw noBundleOfKey(externalKey);
    },

    allOfKey: (context: CallContext, externalKey: string) => views(outlines.allOfKey(context, externalKey)),

    page: (context: CallContext, request: PageRequest) => pageViews(outlines.page(context, request)),

    search: (context: CallContext, key: string, request: PageRequest) =>
      pageViews(outlines.search(context, key, request)),

    async renameKey(context: CallContext, bundleId: Uuid, externalKey: string | null | undefined) {
      const key = checkBundleKey(externalKey);
      return control(context, {
        operation: EntitlementOperation.RENAME_KEY,
        given: { externalKey: key },
        terms: {},
        subject: bundleOf(bundleId),
        prepare: () => () =>
          ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
            const known = await loadBundle(session, bundleId);
            await lockAccount(session, known.accountId);
            const holder = (await session.subscriptions.findBundlesByKeys([key])).find(holdsKey);
            if (holder?.id === bundleId) return;
            if (holder !== undefined) throw keyInUse(holder);
            await session.subscriptions.keepBundleKeys([bundleId]);
            const renamed = { id: bundleId, externalKey: key, retiredKey: null };
            await session.subscriptions.setBundleKeys([renamed]);
          }),
        resultOf: () => null,
      });
    },

    async transfer(
      context: CallContext,
      bundleId: Uuid,
      request: TransferBundleRequest & TransferBundleOptions,
    ) {
      const asked = checkTransferRequest(request);
      const operation = EntitlementOperation.TRANSFER;
      return control(context, {
        operation,
        given: { accountId: asked.accountId },
        terms: termsOf(operation, request),
        subject: bundleOf(bundleId),
        prepare: (terms) => {
          const checked = { ...asked, ...checkTransferOptions(terms) };
          return () => transfer(context, bundleId, checked);
        },
        resultOf: (newBundleId) => ({ bundleId: newBundleId }),
      });
    },
  };
}

function keyInUse({ id, externalKey }: Bundle): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    `Bundle ${id} already has the key ${externalKey}; choose another key`,
    { bundleId: id, bundleExternalKey: externalKey },
  );
}

/** Locks both accounts in the order of their record ids, then reads the bundle. */
async function lockBoth(session: WriteSession, bundleId: Uuid, targetId: Uuid) {
  const known = await loadBundle(session, bundleId);
  if (known.accountId === targetId) {
    throw invalidField(
      `Bundle ${bundleId} already belongs to account ${targetId}; name another account to transfer it to`,
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

/** Rejects unknown subscriptions. The transfer rules later reject subscriptions of other bundles. */
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
