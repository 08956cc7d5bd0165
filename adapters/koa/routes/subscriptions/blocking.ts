import { BlockingStateType } from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { BlockingState } from '../../models/blocking-state.ts';
import { auditParameter } from '../../routing/audited.ts';
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
import { controlledErrors, controlledQuery } from './call-completion.ts';

type BlockedResource = Omit<ObjectResource, 'type'> & { readonly type: BlockingStateType };

const resources: readonly BlockedResource[] = [
  {
    ...accountResource,
    described: 'an account, including its bundles and subscriptions',
    type: BlockingStateType.ACCOUNT,
  },
  {
    ...bundleResource,
    described: 'a bundle, including its subscriptions',
    type: BlockingStateType.SUBSCRIPTION_BUNDLE,
  },
  { ...subscriptionResource, type: BlockingStateType.SUBSCRIPTION },
];

const blocking = {
  permission: 'entitlement:pause_resume',
  query: { requestedDate: moment, ...controlledQuery },
  fails: controlledErrors,
} as const;

/** See subscriptions §14. */
export const blockingRoutes: readonly Route[] = [
  tenantRoute('getBlockingStates', 'GET /accounts/{accountId}/block', {
    summary: 'List the blocking states of an account, its bundles and its subscriptions, past and future',
    query: {
      blockingStateTypes: choiceList(BlockingStateType),
      blockingStateSvcs: textList,
      ...auditParameter,
    },
    shows: listOf(BlockingState),
    handle({ billing, context, params, query }) {
      const { blockingStateTypes: types, blockingStateSvcs: services } = query;
      return billing.blocking.ofAccount(context, params.accountId, { types, services });
    },
  }),
  ...resources.map(additionOf),
  tenantRoute('pauseBundle', 'PUT /bundles/{bundleId}/pause', {
    ...blocking,
    summary: "Pause the service and billing of a bundle's subscriptions",
    handle: ({ billing, context, params, query }) =>
      billing.blocking.pauseBundle(context, params.bundleId, query),
  }),
  tenantRoute('resumeBundle', 'PUT /bundles/{bundleId}/resume', {
    ...blocking,
    summary: 'Resume a paused bundle',
    handle: ({ billing, context, params, query }) =>
      billing.blocking.resumeBundle(context, params.bundleId, query),
  }),
];

function additionOf({ path, idName, noun, described, type }: BlockedResource): Route {
  return tenantRoute(`add${noun}BlockingState`, `POST /${path}/{${idName}}/block`, {
    ...blocking,
    summary: `Set a service's blocking state on ${described}`,
    body: jsonBody(BlockingState),
    creates: `/accounts/{accountId}/block?blockingStateTypes=${type}`,
    fails: ['SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG', ...controlledErrors],
    async handle({ billing, context, params, query, body }) {
      const id = (params as Readonly<Record<string, Uuid>>)[idName] as Uuid;
      const { accountId } = await billing.blocking.add(context, { type, id }, { ...body, ...query });
      return { id: accountId };
    },
  });
}
