import { BlockingStateType } from '../../../../lib/records/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { BlockingState } from '../../models/blocking-state.ts';
import { created } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import {
  accountResource,
  bundleResource,
  type ObjectResource,
  subscriptionResource,
} from '../../routing/objects.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { choiceList, moment, textList } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { auditedList, auditParameter } from '../objects/audit.ts';
import { controlledErrors, controlledQuery } from './entitlement-plugins.ts';

type BlockedResource = Omit<ObjectResource, 'type'> & { readonly type: BlockingStateType };

const resources: readonly BlockedResource[] = [
  {
    ...accountResource,
    described: 'an account, and with it on its bundles and subscriptions',
    type: BlockingStateType.ACCOUNT,
  },
  {
    ...bundleResource,
    described: 'a bundle, and with it on its subscriptions',
    type: BlockingStateType.SUBSCRIPTION_BUNDLE,
  },
  { ...subscriptionResource, type: BlockingStateType.SUBSCRIPTION },
];

const permission = 'entitlement:pause_resume';
const noSuchBundle = [ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID];

/** Blocking states, pause and resume (subscriptions §14). */
export const blockingRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/block',
    operationId: 'getBlockingStates',
    summary: 'List the blocking states of an account, its bundles and its subscriptions, past and future',
    permission: 'NONE',
    query: {
      blockingStateTypes: choiceList(BlockingStateType),
      blockingStateSvcs: textList,
      ...auditParameter,
    },
    success: { status: 200, body: listOf(BlockingState) },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle(call) {
      const { blockingStateTypes: types, blockingStateSvcs: services } = call.query;
      const filter = { types, services };
      const states = await call.billing.blocking.ofAccount(call.context, call.params.accountId, filter);
      return auditedList(call, BlockingState, states);
    },
  }),
  ...resources.map(additionOf),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/bundles/{bundleId}/pause',
    operationId: 'pauseBundle',
    summary: 'Pause a bundle: stop service and billing of its subscriptions',
    permission,
    query: { requestedDate: moment, ...controlledQuery },
    fails: [...noSuchBundle, ...controlledErrors],
    handle: ({ billing, context, params, query }) =>
      billing.blocking.pauseBundle(context, params.bundleId, query),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/bundles/{bundleId}/resume',
    operationId: 'resumeBundle',
    summary: 'Resume a paused bundle',
    permission,
    query: { requestedDate: moment, ...controlledQuery },
    fails: [...noSuchBundle, ...controlledErrors],
    handle: ({ billing, context, params, query }) =>
      billing.blocking.resumeBundle(context, params.bundleId, query),
  }),
];

function additionOf({ path, idName, noun, described, type, unknown }: BlockedResource): Route {
  return tenantRoute({
    method: 'POST',
    path: `/1.0/kb/${path}/{${idName}}/block`,
    operationId: `add${noun}BlockingState`,
    summary: `Put a blocking state of a service on ${described}`,
    permission,
    query: { requestedDate: moment, ...controlledQuery },
    body: jsonBody(BlockingState),
    success: { status: 201, location: `/accounts/{accountId}/block?blockingStateTypes=${type}` },
    fails: [unknown, ErrorCode.SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG, ...controlledErrors],
    async handle({ billing, context, params, query, body }) {
      const id = (params as Readonly<Record<string, Uuid>>)[idName] as Uuid;
      const { accountId } = await billing.blocking.add(context, { type, id }, { ...body, ...query });
      return created(`/accounts/${accountId}/block?blockingStateTypes=${type}`);
    },
  });
}
