import type { ComboPaymentInput } from '../../../../lib/payments/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { ComboPaymentTransaction } from '../../models/hosted-page.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { textList } from '../../wire/query.ts';
import { comboFailures, makingNeeds, partiesOf, propertiesOf } from './combo.ts';
import { inputOf } from './payment-operations.ts';
import { outcomeOf, paymentFailures, paymentOutcomes } from './payment-outcome.ts';

/** A payment together with its account and payment method (payments §11). */
export const comboPaymentRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/payments/combo',
    operationId: 'createComboPayment',
    summary:
      'Authorize, purchase or credit, on an account and a payment method that are made if they are not there',
    permission: 'payment:trigger',
    needsFor: makingNeeds,
    query: { controlPluginName: textList },
    body: jsonBody(ComboPaymentTransaction),
    success: { status: 201, location: '/payments/{paymentId}' },
    fails: [...new Set([...paymentFailures, ...comboFailures, ErrorCode.PRECONDITION_FAILED])],
    outcomes: paymentOutcomes,
    async handle(call) {
      const { query, body } = call;
      const transaction = body.transaction ?? {};
      const asked = inputOf(transaction, { ...query, pluginProperty: [] });
      const properties = [...propertiesOf(body.transactionPluginProperties), ...asked.properties];
      const { transactionType, amount } = transaction;
      // What is missing is told once account and method were looked for.
      const given = { transactionType, amount } as Pick<ComboPaymentInput, 'transactionType' | 'amount'>;
      const input = { ...asked, ...partiesOf(call, body), properties, ...given };
      return outcomeOf(await call.billing.payments.combo(call.context, input));
    },
  }),
];
