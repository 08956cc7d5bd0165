import { createHmac } from 'node:crypto';
import type { GatewayContext, NotificationAnswer, PaymentGateway, Uuid } from '../../../lib/index.ts';

export const SIGNING_GATEWAY = 'signing';

/** A notification that has got to the gateway, and in whose name. */
export interface Received {
  readonly body: string;
  readonly tenantId: Uuid;
  readonly userName: string;
}

type Processing = (body: string, context: GatewayContext) => Promise<NotificationAnswer> | NotificationAnswer;

/** A gateway whose processor signs what it sends, with a secret for each tenant, and that has a page of its own. */
export interface SigningGateway extends PaymentGateway {
  readonly received: Received[];
  /** How often a signature was looked at. */
  readonly verified: { count: number };
  /** What is done with a notification; default: it is only taken. */
  process: Processing;
}

export function signingGateway(): SigningGateway {
  const received: Received[] = [];
  const verified = { count: 0 };
  const gateway: SigningGateway = {
    name: SIGNING_GATEWAY,
    received,
    verified,
    process: () => ({}),
    purchase: () => Promise.resolve(null),
    getPaymentInfo: () => Promise.resolve([]),
    verifyNotification: async ({ rawBody, headers }, { tenantId }) => {
      verified.count += 1;
      const text = Buffer.from(rawBody).toString('latin1');
      if (text.startsWith('{')) JSON.parse(text); // throws what holds parts of the body
      return headers['x-signature'] === signatureOf(rawBody, tenantId);
    },
    processNotification: async ({ body }, context) => {
      received.push({ body, tenantId: context.tenantId, userName: context.userName });
      return gateway.process(body, context);
    },
    buildFormDescriptor: async ({ accountId, customFields, properties }) => ({
      kbAccountId: accountId,
      formMethod: 'POST',
      formUrl: 'https://pay.example.com/form',
      formFields: Object.fromEntries(customFields.map(({ key, value }) => [key, value])),
      properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])),
    }),
  };
  return gateway;
}

/** The processor's signature over these bytes, for a tenant. */
export function signatureOf(body: Uint8Array | string, tenantId: string): string {
  return createHmac('sha256', `secret of ${tenantId}`).update(body).digest('hex');
}
