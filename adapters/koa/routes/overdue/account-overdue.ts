import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { OverdueState } from '../../models/overdue-state.ts';
import { json } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { moment } from '../../wire/query.ts';
import { unaudited } from '../../wire/wire-type.ts';
import { requestedDay } from '../invoices/requested-day.ts';

export const accountOverdueRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/overdue',
    operationId: 'getOverdueAccount',
    summary:
      'Get the overdue state of an account, or with asOf the one that it would be in on that day if nothing is paid or invoiced, in dialect D with the states on the way and why',
    permission: 'NONE',
    query: { asOf: moment },
    success: { status: 200, body: OverdueState },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle(call) {
      const { billing, context, params, query, dialect } = call;
      const asOf = await requestedDay(call, params.accountId, query.asOf);
      if (asOf === null) {
        const state = await billing.overdue.ofAccount(context, params.accountId);
        return json(OverdueState.write(state, unaudited(dialect)));
      }
      const { state, steps, ...preview } = await billing.overdue.preview(context, params.accountId, asOf);
      const shownSteps = steps.map((step) => ({ ...step.state, date: step.date }));
      return json(OverdueState.write({ ...preview, ...state, asOf, steps: shownSteps }, unaudited(dialect)));
    },
  }),
];
