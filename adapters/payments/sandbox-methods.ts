import type { GatewayPaymentMethod, PaymentGateway, PaymentMethodDetails } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';

/** A method as the sandbox keeps it. */
interface KeptMethod {
  readonly accountId: Uuid;
  readonly details: PaymentMethodDetails;
  readonly isDefault: boolean;
}

export type MethodMembers =
  | 'addPaymentMethod'
  | 'deletePaymentMethod'
  | 'getPaymentMethodDetail'
  | 'setDefaultPaymentMethod'
  | 'getPaymentMethods'
  | 'resetPaymentMethods'
  | 'searchPaymentMethods';

const NO_DETAILS: PaymentMethodDetails = {
  externalPaymentMethodId: null,
  isDefaultPaymentMethod: false,
  properties: [],
};

/** The payment methods of the sandbox, per tenant, as long as the process lives (payments §2.4 rule 2). */
export function sandboxMethods(): Required<Pick<PaymentGateway, MethodMembers>> {
  const tenants = new Map<Uuid, Map<Uuid, KeptMethod>>();
  const heardOf = new Set<Uuid>();
  const methodsOf = (tenantId: Uuid): Map<Uuid, KeptMethod> => {
    const known = tenants.get(tenantId) ?? new Map<Uuid, KeptMethod>();
    tenants.set(tenantId, known);
    return known;
  };
  return {
    async addPaymentMethod({ accountId, paymentMethodId, details, setDefault }, { tenantId }) {
      const methods = methodsOf(tenantId);
      heardOf.add(accountId);
      methods.set(paymentMethodId, { accountId, details, isDefault: false });
      if (setDefault) chooseDefault(methods, accountId, paymentMethodId);
    },
    async deletePaymentMethod({ paymentMethodId }, { tenantId }) {
      methodsOf(tenantId).delete(paymentMethodId);
    },
    async getPaymentMethodDetail({ paymentMethodId }, { tenantId }) {
      const kept = methodsOf(tenantId).get(paymentMethodId);
      return kept ? { ...kept.details, isDefaultPaymentMethod: kept.isDefault } : NO_DETAILS;
    },
    async setDefaultPaymentMethod({ accountId, paymentMethodId }, { tenantId }) {
      chooseDefault(methodsOf(tenantId), accountId, paymentMethodId);
    },
    /** Null for an account that it has never heard of: it may have been added in an earlier life of the process. */
    async getPaymentMethods({ accountId }, { tenantId }) {
      if (!heardOf.has(accountId)) return null;
      return ofAccount(methodsOf(tenantId), accountId).map(([id, kept]) => listed(id, kept));
    },
    async resetPaymentMethods({ accountId, paymentMethods }, { tenantId }) {
      const methods = methodsOf(tenantId);
      const before = new Map(ofAccount(methods, accountId));
      heardOf.add(accountId);
      for (const id of before.keys()) methods.delete(id);
      for (const { paymentMethodId, externalPaymentMethodId = null, isDefault = false } of paymentMethods) {
        if (paymentMethodId === undefined) continue;
        const details = before.get(paymentMethodId)?.details ?? { ...NO_DETAILS, externalPaymentMethodId };
        methods.set(paymentMethodId, { accountId, details, isDefault });
      }
    },
    async searchPaymentMethods({ searchKey, offset, limit }, { tenantId }) {
      const hits = [...methodsOf(tenantId)].filter(([id, kept]) => isFound(searchKey, id, kept));
      const rows = hits.slice(offset, offset + limit).map(([id, kept]) => listed(id, kept));
      return { rows, total: hits.length };
    },
  };
}

function ofAccount(methods: ReadonlyMap<Uuid, KeptMethod>, accountId: Uuid) {
  return [...methods].filter(([, kept]) => kept.accountId === accountId);
}

function chooseDefault(methods: Map<Uuid, KeptMethod>, accountId: Uuid, chosen: Uuid): void {
  for (const [id, kept] of ofAccount(methods, accountId)) {
    if (kept.isDefault !== (id === chosen)) methods.set(id, { ...kept, isDefault: id === chosen });
  }
}

function listed(paymentMethodId: Uuid, { details, isDefault }: KeptMethod): GatewayPaymentMethod {
  return { paymentMethodId, externalPaymentMethodId: details.externalPaymentMethodId, isDefault };
}

/** A whole id, or part of a property's value. */
function isFound(searchKey: string, id: Uuid, { accountId, details }: KeptMethod): boolean {
  const key = searchKey.toLowerCase();
  if ([id, accountId, details.externalPaymentMethodId?.toLowerCase()].includes(key)) return true;
  return details.properties.some(({ value }) => (value ?? '').toLowerCase().includes(key));
}
