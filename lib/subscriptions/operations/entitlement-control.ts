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

/** Calls the host's plugins before and after operations (§22). */
export class EntitlementControl {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'> & ActivityPorts;
  readonly #plugins: readonly EntitlementPlugin[];

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'> & ActivityPorts,
    plugins: readonly EntitlementPlugin[],
  ) {
    this.#ports = ports;
    this.#plugins = plugins;
  }

  /**
   * Runs an operation under the control of the plugins.
   * @throws BillingError ENTITLEMENT_PLUGIN_API_ABORTED (8003), UNEXPECTED (60000) for a failed plugin, else as the
   * operation.
   */
  async run<Operation extends EntitlementOperation, T>(
    context: CallContext,
    controlled: Controlled<Operation, T>,
  ): Promise<T> {
    const asked = controlled.prepare(controlled.terms);
    if (this.#plugins.length === 0) return asked();
    const { operation, given } = controlled;
    const subject = await this.#ports.storage.read(context.tenant, (session) => controlled.subject(session));
    const seen = seenBy(context);
    const reached: EntitlementPlugin[] = [];
    const callOn = (terms: EntitlementTerms[Operation]) =>
      ({ operation, ...subject, given, terms }) as EntitlementCall<Operation>;
    let { terms } = controlled;
    let done: T;
    try {
      for (const plugin of [...this.#plugins]) {
        reached.push(plugin);
        terms = await this.#ask(plugin, callOn(terms), seen);
      }
      done = await (terms === controlled.terms ? asked : controlled.prepare(terms))();
    } catch (error) {
      const call = callOn(terms) as EntitlementCall;
      await this.#tell(reached, call, (plugin) => plugin.failed?.(call, plainError(error), seen));
      throw error;
    }
    const success = { ...callOn(terms), result: controlled.resultOf(done) } as EntitlementSuccess;
    await this.#tell(reached, success, (plugin) => plugin.succeeded?.(success, seen));
    return done;
  }

  async #ask<Operation extends EntitlementOperation>(
    plugin: EntitlementPlugin,
    call: EntitlementCall<Operation>,
    seen: EntitlementPluginContext,
  ): Promise<EntitlementTerms[Operation]> {
    const { operation, terms } = call;
    const { before } = plugin;
    if (before?.[operation] === undefined) return terms;
    // Copied during the call: an unreadable answer is an error of the plugin.
    const ask = async () => decide(operation, terms, ownCopy(await before[operation]?.(call, seen)));
    const decided = await callPlugin(called(plugin), this.#ports, ask);
    if ('terms' in decided) return decided.terms;
    throw 'reason' in decided
      ? abortedBy(plugin, operation, decided.reason)
      : pluginFailure(called(plugin), decided.problem);
  }

  /** Notifies all plugins concurrently; the result stands whatever they do. */
  async #tell(
    plugins: readonly EntitlementPlugin[],
    { operation, accountId, bundleId, subscriptionId }: EntitlementCall,
    tell: (plugin: EntitlementPlugin) => Promise<void> | undefined,
  ): Promise<void> {
    const { logger } = this.#ports;
    const tellOne = async (plugin: EntitlementPlugin): Promise<void> => {
      try {
        await callPlugin(called(plugin), this.#ports, async () => tell(plugin));
      } catch (error) {
        const fields = {
          err: error,
          pluginName: plugin.name,
          operation,
          accountId,
          bundleId,
          subscriptionId,
        };
        logger.error(fields, 'an entitlement plugin failed when it was told the outcome of an operation');
      }
    };
    await Promise.all(plugins.map(tellOne));
  }
}

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

function accountOf(accountId: Uuid): FindSubject {
  return async (session) => {
    await loadAccount(session, accountId);
    return { accountId, bundleId: null, subscriptionId: null };
  };
}

export function blockedOf({ type, id }: BlockedRef): FindSubject {
  switch (type) {
    case BlockingStateType.ACCOUNT:
      return accountOf(id);
    case BlockingStateType.SUBSCRIPTION_BUNDLE:
      return bundleOf(id);
    case BlockingStateType.SUBSCRIPTION:
      return subscriptionOf(id);
  }
}
