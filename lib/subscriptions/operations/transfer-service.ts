import { noSuchAccount } from '../../accounts/index.ts';
import { type CatalogProvider, withOverridePlans } from '../../catalog/index.ts';
import type { Ports, TransferBundleOptions } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Bundle, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { assertInvariant, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type CheckedTransfer,
  checkTransferRequest,
  type TransferBundleRequest,
} from '../requests/bundle-requests.ts';
import { noSuchSubscription } from '../requests/unknown-objects.ts';
import { loadBundle, loadRunning } from '../storing/load-running.ts';
import { saveCreations, saveEdits } from '../storing/save-changes.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';
import { planTransfer } from '../transfer/transfer.ts';

/** Transfers of bundles between accounts (§17.4). */
export class TransferService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  async transfer(
    context: CallContext,
    bundleId: Uuid,
    request: TransferBundleRequest & TransferBundleOptions,
  ): Promise<Uuid> {
    const checked = checkTransferRequest(request, request);
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
}

/** Locks both accounts, which storage does in the order of record ids, and reads the bundle as it is then. */
async function lockBoth(
  session: WriteSession,
  bundleId: Uuid,
  targetId: Uuid,
): Promise<{ readonly source: Account; readonly target: Account; readonly bundle: Bundle }> {
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

/** A subscription that the tenant does not have is unknown; one of another bundle is refused by the rules of transfers. */
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
