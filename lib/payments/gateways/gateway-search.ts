import type { GatewayPage, GatewayResult, PaymentGateway, Ports } from '../../ports/index.ts';
import type { CallContext, PageRequest, PluginProperty } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { failureOf } from '../claims/gateway-reply.ts';
import { callGateway } from './call-gateway.ts';

interface Searching {
  /** One that offers it. */
  readonly gateway: PaymentGateway;
  readonly searchKey: string;
  readonly request: PageRequest;
  readonly properties: readonly PluginProperty[];
  readonly timeoutMs: number;
}

/** Payments that a gateway has found in its own books: our ids, each once, in its order, and how many there are in all. */
export interface FoundByGateway {
  readonly paymentIds: readonly Uuid[];
  readonly total: number;
}

/**
 * Searches the payments of one gateway (§2.1); what is no answer to that is an error, since a search that leaves out what
 * there is would be believed.
 * @throws BillingError PAYMENT_PLUGIN_SEARCH_PAYMENTS (7105) when it fails.
 */
export async function searchPaymentsOfGateway(
  { systemClock }: Pick<Ports, 'systemClock'>,
  context: CallContext,
  { gateway, searchKey, request, properties, timeoutMs }: Searching,
): Promise<FoundByGateway> {
  const { userName, userToken, createdDate: now } = context;
  const limit = Math.abs(request.limit);
  const search = { searchKey, offset: request.offset, limit, properties };
  const { reply } = await callGateway(
    [search, { tenantId: context.tenant.id, userName, userToken, now }],
    async (asking, as) => claimedPage(await gateway.searchPayments?.(asking, as), limit),
    { timeoutMs, systemClock },
  );
  const found = reply.kind === 'VALUE' ? reply.value : null;
  if (found !== null) return found;
  throw new BillingError({
    code: ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENTS,
    message: `Payment plugin "${gateway.name}" could not search payments: ${failureOf(reply)}`,
    facts: { pluginName: gateway.name },
  });
}

/** What is a page at all, of at most as many hits as were asked for; null = it is none. */
function claimedPage(page: GatewayPage<GatewayResult> | undefined, limit: number): FoundByGateway | null {
  if (!Array.isArray(page?.rows) || !Number.isSafeInteger(page.total) || page.total < 0) return null;
  const ids = page.rows.slice(0, limit).flatMap((row: Partial<GatewayResult> | null) => {
    const id = row?.kbPaymentId;
    return typeof id === 'string' && isUuid(id) ? [id] : [];
  });
  return { paymentIds: [...new Set(ids)], total: page.total };
}
