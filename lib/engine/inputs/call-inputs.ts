import { id, must, orNull, plugins } from './input-shapes.ts';

/** A reference to a tenant. */
export const tenantRef = { id, recordId: must('count') } as const;

/** The fields of a caller that `billing.as` does not check. */
export const callerShape = {
  principal: orNull('text'),
  reason: orNull('text'),
  comment: orNull('text'),
  userToken: orNull('uuid'),
  pluginProperties: orNull(plugins.properties),
  roundsFloatNoise: orNull('flag'),
} as const;

/** The inputs of the operations that wait for background work. `settleThrough` checks its clock and end date itself. */
export const waitInputs = {
  settle: [['options?', { tenant: orNull(tenantRef), timeoutMs: orNull('number') }]],
  completion: [
    ['context', { createdDate: 'instant', tenant: must(tenantRef), userToken: id }],
    ['timeoutMs', 'number'],
    ['accountId?', 'uuid'],
  ],
  settleThrough: [
    ['clock?', 'any'],
    ['until', 'any'],
    ['options?', { timeoutMs: orNull('number') }],
  ],
} as const;

/** The inputs of the call that subscribes to events. That call checks its tenant itself. */
export const eventInputs = {
  events: {
    subscribe: [
      [
        'request',
        {
          tenant: 'any',
          types: orNull([must('text')]),
          after: orNull('text'),
          onEvent: must('function'),
        },
      ],
    ],
  },
} as const;
