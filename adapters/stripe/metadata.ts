import type { GatewayTransaction } from '../../lib/ports/index.ts';
import { isUuid, type Uuid } from '../../lib/values/ids/index.ts';

/** What the objects at Stripe carry of ours: the books in which the gateway finds them again. */
export const TENANT = 'billwright_tenant';
export const ACCOUNT = 'billwright_account';
export const PAYMENT = 'billwright_payment';
export const TRANSACTION = 'billwright_transaction';
export const TYPE = 'billwright_type';
export const PAYMENT_METHOD = 'billwright_payment_method';

/** As Stripe gives it; null on objects that it has deleted. */
export type StoredMetadata = Readonly<Record<string, string>> | null | undefined;

export type FirstType = 'AUTHORIZE' | 'PURCHASE';

export function accountMetadata(tenantId: Uuid, accountId: Uuid): Record<string, string> {
  return { [TENANT]: tenantId, [ACCOUNT]: accountId };
}

/** Of the object that a transaction makes. */
export function transactionMetadata(
  tenantId: Uuid,
  { accountId, paymentId, transactionId }: GatewayTransaction,
  type: FirstType | 'REFUND',
): Record<string, string> {
  const ofAccount = accountMetadata(tenantId, accountId);
  return { ...ofAccount, [PAYMENT]: paymentId, [TRANSACTION]: transactionId, [TYPE]: type };
}

/**
 * The key under which a payment carries a transaction that changes it without an object of its own: at most 40 characters,
 * which is all that Stripe takes.
 */
export function markOf(type: 'capture' | 'void', transactionId: Uuid): string {
  return `${type}-${transactionId.replaceAll('-', '')}`;
}

/** The transactions of that type that a payment carries, with what was written of each. */
export function marksOf(
  type: 'capture' | 'void',
  metadata: StoredMetadata,
): readonly (readonly [Uuid, string])[] {
  return Object.entries(metadata ?? {}).flatMap(([key, value]) => {
    if (!key.startsWith(`${type}-`)) return [];
    const id = key.slice(type.length + 1).replace(UNHYPHENED, '$1-$2-$3-$4-$5');
    return isUuid(id) ? [[id, value] as const] : [];
  });
}

/** The id of ours that an object carries under that key; null if there is none. */
export function idIn(metadata: StoredMetadata, key: string): Uuid | null {
  const id = metadata?.[key];
  return id !== undefined && isUuid(id) ? id : null;
}

const UNHYPHENED = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
