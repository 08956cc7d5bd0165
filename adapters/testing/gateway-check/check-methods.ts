import type { PaymentMethodDetails } from '../../../lib/index.ts';
import { shown } from './answer-flaws.ts';
import { checkMethodSearch } from './check-searches.ts';
import type { GatewayCaller } from './gateway-caller.ts';

/** Adds a payment method, reads, lists, finds and deletes it, with the members that the gateway offers (payments §10). */
export async function checkMethods(caller: GatewayCaller): Promise<void> {
  await add(caller);
  await checkDetail(caller);
  await checkList(caller, { isThere: true });
  await checkMethodSearch(caller);
}

/** The end of it, once nothing is paid with it any more. */
export async function checkDeletedMethod(caller: GatewayCaller): Promise<void> {
  const { gateway, accountId, paymentMethodId } = caller;
  const question = { accountId, paymentMethodId, properties: [] };
  if (gateway.resetPaymentMethods !== undefined) {
    const paymentMethods = [{ paymentMethodId, isDefault: true }];
    await caller.value('resetPaymentMethods', async (context) =>
      gateway.resetPaymentMethods?.({ accountId, paymentMethods }, context),
    );
  }
  if (gateway.deletePaymentMethod === undefined) return;
  await caller.value('deletePaymentMethod', async (context) =>
    gateway.deletePaymentMethod?.(question, context),
  );
  await checkList(caller, { isThere: false });
}

async function add(caller: GatewayCaller): Promise<void> {
  const { gateway, accountId, paymentMethodId, options } = caller;
  const { externalPaymentMethodId = null, properties = [] } = options.paymentMethod ?? {};
  const details = { externalPaymentMethodId, isDefaultPaymentMethod: true, properties };
  const question = { accountId, paymentMethodId, properties: [] };
  if (gateway.addPaymentMethod !== undefined) {
    const request = { ...question, details, setDefault: true };
    await caller.value('addPaymentMethod', async (context) => gateway.addPaymentMethod?.(request, context));
  }
  if (gateway.setDefaultPaymentMethod !== undefined) {
    await caller.value('setDefaultPaymentMethod', async (context) =>
      gateway.setDefaultPaymentMethod?.(question, context),
    );
  }
}

async function checkDetail(caller: GatewayCaller): Promise<void> {
  const { gateway, accountId, paymentMethodId, report } = caller;
  if (gateway.getPaymentMethodDetail === undefined) return;
  const question = { accountId, paymentMethodId, properties: [] };
  const detail = await caller.call('getPaymentMethodDetail', async (context) =>
    gateway.getPaymentMethodDetail?.(question, context),
  );
  if (detail.kind === 'THROW')
    report.wrong(`getPaymentMethodDetail throws "${detail.message}" of a method that was added`);
  if (detail.kind !== 'VALUE') return;
  const flaw = detailFlaw(detail.value);
  if (flaw !== null) report.wrong(`getPaymentMethodDetail ${flaw}`);
}

function detailFlaw(detail: PaymentMethodDetails | null | undefined): string | null {
  if (typeof detail !== 'object' || detail === null) return 'gives no detail of a method that was added';
  if (typeof detail.isDefaultPaymentMethod !== 'boolean')
    return 'does not say whether the method is the default';
  return Array.isArray(detail.properties) ? null : 'gives no list of properties; an empty one will do';
}

async function checkList(caller: GatewayCaller, { isThere }: { readonly isThere: boolean }): Promise<void> {
  const { gateway, accountId, paymentMethodId, report } = caller;
  if (gateway.getPaymentMethods === undefined) return;
  const request = { accountId, refreshFromGateway: true, properties: [] };
  const listed = await caller.value('getPaymentMethods', async (context) =>
    gateway.getPaymentMethods?.(request, context),
  );
  if (listed === undefined || listed === null) return; // null = it keeps none
  if (!Array.isArray(listed)) {
    report.wrong(`getPaymentMethods gives ${shown(listed)}, which is no list`);
    return;
  }
  const found = listed.some((method) => method.paymentMethodId === paymentMethodId);
  const knowsOurs = listed.some((method) => method.paymentMethodId !== undefined);
  if (isThere && !found && (knowsOurs || listed.length === 0))
    report.wrong('getPaymentMethods does not list a method that was added: a refresh would delete it');
  if (!isThere && found)
    report.wrong('getPaymentMethods still lists a method that was deleted: a refresh would revive it');
}
