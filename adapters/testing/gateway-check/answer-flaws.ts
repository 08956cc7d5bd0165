import { type GatewayResult, isCurrency, PluginStatus, parseWireDecimal } from '../../../lib/index.ts';
import type { AskedOperation } from './gateway-caller.ts';

/** Why the engine could not believe an answer, each in the words after the name of the member. */
export function answerFlaws(answer: GatewayResult, { type, request }: AskedOperation): readonly string[] {
  const flaws: string[] = [];
  if (answer.kbTransactionPaymentId !== request.transactionId) {
    flaws.push(
      `answers for transaction ${shown(answer.kbTransactionPaymentId)} where it was asked about ${request.transactionId}`,
    );
  }
  if (answer.kbPaymentId !== request.paymentId) {
    flaws.push(
      `answers for payment ${shown(answer.kbPaymentId)} where it was asked about ${request.paymentId}`,
    );
  }
  if (answer.transactionType !== type)
    flaws.push(`answers with the type ${shown(answer.transactionType)} where ${type} was asked for`);
  return [...flaws, ...valueFlaws(answer)];
}

/** What cannot be read of what a gateway tells of a transaction. */
export function valueFlaws(answer: GatewayResult): readonly string[] {
  const { status, amount, currency } = answer;
  const flaws: string[] = [];
  if (status === undefined)
    flaws.push('gives no status, so that nobody knows what happened: give one of PluginStatus');
  else if (!Object.hasOwn(PluginStatus, status))
    flaws.push(`gives the status ${shown(status)}, which does not exist`);
  if (amount !== undefined && !isAmount(amount))
    flaws.push(`gives the amount ${shown(amount)}, which cannot be read`);
  if (currency !== undefined && !isCurrency(currency))
    flaws.push(`gives the currency ${shown(currency)}, which does not exist`);
  for (const name of ['createdDate', 'effectiveDate'] as const) {
    if (!Number.isFinite(answer[name]))
      flaws.push(`gives the ${name} ${shown(answer[name])}, which is no instant in milliseconds`);
  }
  if (!Array.isArray(answer.properties)) flaws.push('gives no list of properties; an empty one will do');
  return flaws;
}

export function shown(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}

function isAmount(amount: unknown): boolean {
  const parsed = amount === null ? undefined : parseWireDecimal(String(amount));
  return parsed !== undefined && !parsed.isNegative();
}
