import { loadAccount } from '../../accounts/index.ts';
import type {
  BlockedRef,
  EntitlementCall,
  EntitlementGiven,
  EntitlementOperation,
  EntitlementPlugin,
  EntitlementPluginContext,
  EntitlementResults,
  EntitlementSubject,
  EntitlementSuccess,
  EntitlementTerms,
  Ports,
} from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { BlockingStateType, type CallContext } from '../../records/index.ts';
import {
  type ActivityPorts,
  type CalledPlugin,
  callPlugin,
  plainError,
  pluginFailure,
} from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_ABORT_REASON_CHARACTERS } from '../../values/limits.ts';
import { decide, ownCopy } from '../requests/plugin-decision.ts';
import { loadBundle, loadSubscription } from '../storing/load-subscriptions.ts';

/** Limit of one plugin call, since the caller waits for it. */
export const ENTITLEMENT_PLUGIN_TIMEOUT_MS = 10_000;

/** Finds the subject of an operation. @throws BillingError for unknown objects. */
type FindSubject = (session: ReadSession) => Promise<EntitlementSubject>;

interface Controlled<Operation extends EntitlementOperation, T> {
  readonly operation: Operation;
  readonly terms: EntitlementTerms[Operation];
  readonly given: EntitlementGiven[Operation];
  readonly subject: FindSubject;
  /** Checks the terms and returns the work. Called again only if plugins replaced terms. */
  prepare(terms: EntitlementTerms[Operation]): () => Promise<T>;
  resultOf(done: T): EntitlementResults[Operation];
}

/**
 * Returns a function that runs an operation and calls the host's plugins before and after it (§22).
 * @throws BillingError ENTITLEMENT_PLUGIN_API_ABORTED (8003), UNEXPECTED (60000) for a failed plugin, else as the
 * operation.
 */
export function entitlementControl(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'> & ActivityPorts,
  plugins: readonly EntitlementPlugin[],
) {
  async function ask<Operation extends EntitlementOperation>(
    plugin: EntitlementPlugin,
    call: EntitlementCall<Operation>,
    seen: EntitlementPluginContext,
  ): Promise<EntitlementTerms[Operation]> {
    const { operation, terms } = call;
    const { before } = plugin;
    if (before?.[operation] === undefined) return terms;
    // Copied during the call: an unreadable answer is an error of the plugin.
    const decided = await callPlugin(called(plugin), ports, async () =>
      decide(operation, terms, ownCopy(await before[operation]?.(call, seen))),
    );
    if ('terms' in decided) return decided.terms;
    throw 'reason' in decided
      ? abortedBy(plugin, operation, decided.reason)
      : pluginFailure(called(plugin), decided.problem);
  }

  /** Notifies all plugins concurrently; the result stands whatever they do. */
  async function notify(
    reached: readonly EntitlementPlugin[],
    { operation, accountId, bundleId, subscriptionId }: EntitlementCall,
    send: (plugin: EntitlementPlugin) => Promise<void> | undefined,
  ) {
    const notifyOne = async (plugin: EntitlementPlugin) => {
      try {
        await callPlugin(called(plugin), ports, async () => send(plugin));
      } catch (err) {
        const fields = { err, pluginName: plugin.name, operation, accountId, bundleId, subscriptionId };
        ports.logger.error(
          fields,
          'an entitlement plugin failed when it was told the outcome of an operation',
        );
      }
    };
    await Promise.all(reached.map(notifyOne));
  }

  return async <Operation extends EntitlementOperation, T>(
    context: CallContext,
    controlled: Controlled<Operation, T>,
  ): Promise<T> => {
    const asked = controlled.prepare(controlled.terms);
    if (plugins.length === 0) return asked();
    const { operation, given } = controlled;
    const subject = await ports.storage.read(context.tenant, controlled.subject);
    const seen = seenBy(context);
    const reached: EntitlementPlugin[] = [];
    const callOn = (terms: EntitlementTerms[Operation]) =>
      ({ operation, ...subject, given, terms }) as EntitlementCall<Operation>;
    let { terms } = controlled;
    let done: T;
    try {
      for (const plugin of [...plugins]) {
        reached.push(plugin);
        terms = await ask(plugin, callOn(terms), seen);
      }
      done = await (terms === controlled.terms ? asked : controlled.prepare(terms))();
    } catch (error) {
      const call = callOn(terms) as EntitlementCall;
      await notify(reached, call, (plugin) => plugin.failed?.(call, plainError(error), seen));
      throw error;
    }
    const success = { ...callOn(terms), result: controlled.resultOf(done) } as EntitlementSuccess;
    await notify(reached, success, (plugin) => plugin.succeeded?.(success, seen));
    return done;
  };
}

export type EntitlementControl = ReturnType<typeof entitlementControl>;

function called({ name }: EntitlementPlugin): CalledPlugin {
  return { kind: 'entitlement plugin', name, timeoutMs: ENTITLEMENT_PLUGIN_TIMEOUT_MS };
}

function seenBy(context: CallContext): EntitlementPluginContext {
  return {
    tenantId: context.tenant.id,
    userName: context.userName,
    userToken: context.userToken,
    now: context.createdDate,
    properties: context.pluginProperties ?? [],
  };
}

function abortedBy({ name }: EntitlementPlugin, operation: EntitlementOperation, reason: string) {
  return billingError(
    ErrorCode.ENTITLEMENT_PLUGIN_API_ABORTED,
    `The entitlement plugin "${name}" aborted the operation: ${reason.slice(0, MAX_ABORT_REASON_CHARACTERS).toWellFormed()}`,
    { pluginName: name, operation },
  );
}

export function subscriptionOf(subscriptionId: Uuid): FindSubject {
  return async (session) => {
    const { accountId, bundleId } = await loadSubscription(session, subscriptionId);
    return { accountId, bundleId, subscriptionId };
  };
}

export function bundleOf(bundleId: Uuid): FindSubject {
  return async (session) => {
    const { accountId } = await loadBundle(session, bundleId);
    return { accountId, bundleId, subscriptionId: null };
  };
}

export function blockedOf({ type, id }: BlockedRef): FindSubject {
  switch (type) {
    case BlockingStateType.ACCOUNT:
      return async (session) => {
        await loadAccount(session, id);
        return { accountId: id, bundleId: null, subscriptionId: null };
      };
    case BlockingStateType.SUBSCRIPTION_BUNDLE:
      return bundleOf(id);
    case BlockingStateType.SUBSCRIPTION:
      return subscriptionOf(id);
  }
}
