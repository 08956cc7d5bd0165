import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type CheckedRequest, type CreateSubscriptionRequest, checkCreateRequest } from './create-request.ts';

/** Subscriptions to create in one bundle: a base with add-ons, add-ons for a bundle that has a base, or standalone ones. */
export type CreateBundleRequest = readonly (CreateSubscriptionRequest | null)[];

/** Requests for one bundle that passed the checks. */
export interface CheckedGroup {
  readonly bundleId: Uuid | null;
  readonly bundleExternalKey: string | null;
  /** At least one, in the order of the request. */
  readonly members: readonly CheckedRequest[];
}

export interface CheckedGroups {
  readonly accountId: Uuid;
  readonly groups: readonly CheckedGroup[];
}

/** A single creation as a group of one. */
export function groupOf(request: CheckedRequest): CheckedGroup {
  const { bundleId, bundleExternalKey } = request;
  return { bundleId, bundleExternalKey, members: [request] };
}

/**
 * Checks the requests of one call by themselves and against each other (§6.1). Callers compare the messages, so they are
 * fixed (http-api §12).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), ACCOUNT_DOES_NOT_EXIST_FOR_ID
 * (3002) for an element without account.
 */
export function checkCreateGroups(
  groups: readonly (CreateBundleRequest | null | undefined)[],
): CheckedGroups {
  const checked = groups.map(checkGroup);
  const accountIds = checked.flatMap(({ members }) => members.map(({ accountId }) => accountId));
  const [accountId] = accountIds;
  if (accountId === undefined) throw invalidField('SubscriptionJson body should be specified');
  if (accountIds.some((other) => other !== accountId)) throw notTheSame('accountId');
  return { accountId, groups: checked };
}

/** The error of a call for several subscriptions whose account does not exist; the message is fixed. */
export function noSuchAccountOfGroup(accountId: Uuid | null): BillingError {
  return new BillingError({
    code: ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
    message: `Object id=${accountId} type=ACCOUNT doesn't exist!`,
    facts: { accountId },
  });
}

function checkGroup(requests: CreateBundleRequest | null | undefined): CheckedGroup {
  if (!requests || requests.length === 0) throw invalidField('SubscriptionJson body should be specified');
  const members = requests.map((request) => {
    if (request && !request.accountId) throw noSuchAccountOfGroup(null);
    return checkCreateRequest(request);
  });
  const bundleIds = members.map(({ bundleId }) => bundleId);
  const first = bundleIds.findIndex((bundleId) => bundleId !== null);
  const bundleId = bundleIds[first] ?? null;
  if (first >= 0 && bundleIds.slice(first).some((other) => other !== bundleId)) throw notTheSame('bundleId');
  const keys = new Set(members.flatMap(({ bundleExternalKey }) => bundleExternalKey ?? []));
  if (keys.size > 1) throw notTheSame('externalKey');
  const [bundleExternalKey = null] = keys;
  return { bundleId, bundleExternalKey, members };
}

function notTheSame(field: string): BillingError {
  return invalidField(`SubscriptionJson ${field} should be the same for each element`, { field });
}

/** The keys by which bundles are looked for; where an id is given, that is used instead. */
export function requestedKeys(groups: readonly CheckedGroup[]): readonly string[] {
  const keys = groups.flatMap(({ bundleId, bundleExternalKey }) =>
    bundleId === null ? (bundleExternalKey ?? []) : [],
  );
  return [...new Set(keys)];
}
