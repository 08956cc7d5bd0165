import type { TenantBilling } from '../../../../lib/billing.ts';
import type { Caller } from '../../../../lib/index.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import { billingError, ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { SubmittedValue } from '../../../../lib/values/money/index.ts';
import { shortenText } from '../../../../lib/values/text/index.ts';
import { queries } from '../../../client/operation-calls.ts';
import { checkPermission } from '../../auth/credentials.ts';
import type { Answer } from '../../routing/answer.ts';
import { jsonBody, LINES_TYPE } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import type { RequestOf } from '../../wire/model.ts';
import { type Access, operationAccess } from './access.ts';
import { OperationCall, OperationResult } from './operation-call.ts';
import { argumentOf, typedJson } from './typed-json.ts';

type Body = RequestOf<(typeof OperationCall)['fields']>;

type OperationRequest = Pick<TenantCall<string, never, Body>, 'billing' | 'context' | 'body' | 'user'>;

const shared = {
  body: jsonBody(OperationCall),
  success: { status: 200, body: OperationResult },
  errorsWithFacts: true,
  outcomes: { 404: 'Unknown operation, or an unknown object: the error code names it' },
} as const;

/** Routes that call library operations by name, for `billwright/client` (http-api §16). */
export const operationRoutes: readonly Route[] = [
  tenantRoute('queryOperation', 'POST /queries/{group}/{query}', {
    summary: 'Call an operation of the library that changes nothing, by its group and name',
    ...shared,
    permission: 'NONE',
    author: false,
    changesNothing: true,
    outOfRotation: true,
    handle: (call) => answerOperation(call, { ...call.params, operation: call.params.query, reads: true }),
  }),
  tenantRoute('callOperation', 'POST /operations/{group}/{operation}', {
    summary: 'Call an operation of the library that changes something, by its group and name',
    ...shared,
    permission: 'NONE',
    handle: (call) => answerOperation(call, { ...call.params, reads: false }),
  }),
];

async function answerOperation(call: OperationRequest, named: Named): Promise<Answer> {
  const { billing, context, body, user } = call;
  const access = accessOf(named);
  const given = argumentsOf(body);
  for (const permission of access.needs(given)) checkPermission(user, permission);
  const input = access.limits?.(given, user) ?? given;
  const result = await operationOf(billing.as(callerOf(context)), named)(...input);
  const shown = access.shows === undefined ? result : access.shows(result, user);
  if (!isStream(shown)) return { json: typedJson(shown) };
  return { textPieces: lines(shown), headers: { 'Content-Type': LINES_TYPE } };
}

/** Returns the caller for a library call. The library creates its own context with the same author and token. */
function callerOf({
  tenant,
  userName: user,
  principal,
  reasonCode,
  comments,
  userToken,
}: CallContext): Caller {
  return {
    tenant,
    user,
    userToken,
    ...(principal !== null && { principal }),
    ...(reasonCode !== null && { reason: reasonCode }),
    ...(comments !== null && { comment: comments }),
  };
}

interface Named {
  readonly group: string;
  readonly operation: string;
  readonly reads: boolean;
}

function accessOf({ group, operation, reads }: Named): Access {
  const access = ownMember(ownMember(operationAccess, group), operation) as Access | undefined;
  const isQuery = (ownMember(queries, group) as readonly string[] | undefined)?.includes(operation);
  if (access !== undefined && isQuery === reads) return access;
  const kind = reads ? 'query' : 'operation';
  const other = access === undefined ? '' : `; it belongs to /${reads ? 'operations' : 'queries'}`;
  throw billingError(
    ErrorCode.ROUTE_NOT_FOUND,
    `There is no ${kind} ${shortenText(group)}.${shortenText(operation)}${other}`,
  );
}

function operationOf(tenant: TenantBilling, { group, operation }: Named) {
  const found = Reflect.get(Reflect.get(tenant, group), operation);
  return found as (...input: readonly unknown[]) => Promise<unknown>;
}

function ownMember(owner: unknown, name: string): unknown {
  const isOwn = typeof owner === 'object' && owner !== null && Object.hasOwn(owner, name);
  return isOwn ? Reflect.get(owner, name) : undefined;
}

function argumentsOf({ arguments: given, bytes }: Body): readonly unknown[] {
  const input = (given ?? []).map((each) => argumentOf(each as SubmittedValue));
  for (const place of bytes ?? []) {
    const text = input[place];
    if (typeof text !== 'string') throw invalidField(`Argument ${place} needs to be bytes in Base64`);
    input[place] = new Uint8Array(Buffer.from(text, 'base64'));
  }
  return input;
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function* lines(stream: AsyncIterable<unknown>): AsyncIterable<string> {
  for await (const each of stream) yield `${JSON.stringify(typedJson(each))}\n`;
}
