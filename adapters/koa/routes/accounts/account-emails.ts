import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { AccountEmail } from '../../models/account.ts';
import { created, json } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

const fails = [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID];

/** Secondary addresses of an account (accounts §15). */
export const accountEmailRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/emails',
    operationId: 'getEmails',
    summary: 'List the secondary addresses of an account',
    permission: 'NONE',
    success: { status: 200, body: listOf(AccountEmail) },
    fails,
    async handle({ billing, context, params, dialect }) {
      const emails = await billing.accounts.emails(context, params.accountId);
      return json(emails.map((email) => AccountEmail.write(email, unaudited(dialect))));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/accounts/{accountId}/emails',
    operationId: 'addEmail',
    summary: 'Add a secondary address to an account; one that is there already changes nothing',
    permission: 'account:add_emails',
    body: jsonBody(AccountEmail),
    success: { status: 201, location: '/accounts/{accountId}/emails' },
    fails,
    async handle({ billing, context, params, body }) {
      const { id } = await billing.getAccount(context, params.accountId);
      checkSameAccount(body.accountId, id);
      await billing.accounts.addEmail(context, id, body.email ?? '');
      return created(`/accounts/${params.accountId}/emails`);
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/accounts/{accountId}/emails/{email}',
    operationId: 'removeEmail',
    summary: 'Remove a secondary address from an account; one that is not there changes nothing',
    permission: 'account:delete_emails',
    fails,
    handle: ({ billing, context, params }) =>
      billing.accounts.removeEmail(context, params.accountId, params.email),
  }),
];

function checkSameAccount(inBody: Uuid | null | undefined, inPath: Uuid): void {
  if (inBody === inPath) return;
  throw invalidField(`AccountEmailJson accountId ${inBody} is not the account of the path, ${inPath}`, {
    field: 'accountId',
  });
}
