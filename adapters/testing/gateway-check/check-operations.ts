import {
  formatDecimal,
  isCurrency,
  PluginStatus,
  parseWireDecimal,
  parseWireInstant,
  type Uuid,
} from '../../../lib/index.ts';
import {
  type Called,
  type CalledType,
  formatValue,
  type GatewayAnswer,
  type GatewayCaller,
  memberOfType,
  type OperationCall,
} from './gateway-caller.ts';

/** Transaction sequences of one payment. */
const FLOWS: readonly (readonly CalledType[])[] = [
  ['PURCHASE', 'REFUND'],
  ['AUTHORIZE', 'CAPTURE', 'REFUND'],
  ['AUTHORIZE', 'VOID'],
  ['CREDIT'],
];

/**
 * Calls every offered operation (payments §2.1). Responses must be valid and later reads must return them. A repeated
 * transaction must have one effect.
 */
export async function checkOperations(caller: GatewayCaller): Promise<void> {
  for (const flow of FLOWS) await checkFlow(caller, flow);
  await checkTwiceAtOnce(caller);
  await checkUnknownPayment(caller);
  await checkLargeRefund(caller);
}

async function checkFlow(caller: GatewayCaller, flow: readonly CalledType[]): Promise<void> {
  const paymentId = caller.newId();
  const done: OperationCall[] = [];
  for (const type of flow) {
    if (caller.gateway[memberOfType[type]] === undefined) return;
    const part = type === 'CAPTURE' || type === 'REFUND' ? caller.amount.div(2) : caller.amount;
    const asked = caller.asked(type, { paymentId, amount: part });
    const answer = await expectProcessed(caller, asked);
    if (answer === null) return;
    done.push(asked);
    checkShown(caller, answer);
    await checkRepeated(caller, asked, answer);
    await checkReported(caller, asked, answer);
  }
  await checkNothingElse(caller, paymentId, done);
}

/**
 * Returns the result of a call that must be processed. If the call is not processed, adds a finding and returns null.
 */
export async function expectProcessed(
  caller: GatewayCaller,
  asked: OperationCall,
): Promise<GatewayAnswer | null> {
  const answer = await validAnswer(caller, asked);
  const { member } = asked;
  if (answer === null || answer.status === PluginStatus.PROCESSED) return answer;
  if (answer.status === PluginStatus.PENDING) {
    caller.note(`${member} returns PENDING for a plain request`);
    return null;
  }
  const why = answer.gatewayError === undefined ? '' : ` ("${answer.gatewayError}")`;
  caller.wrong(
    `${member} returns ${formatValue(answer.status)}${why} for a plain request: set \`properties\` and \`paymentMethod\` to values that the gateway accepts`,
  );
  return null;
}

/** Returns the result of a call. If the engine would reject it, adds a finding and returns null. */
export async function validAnswer(
  caller: GatewayCaller,
  asked: OperationCall,
): Promise<GatewayAnswer | null> {
  const { member } = asked;
  const called = await caller.run(asked);
  if (called.kind === 'THROW') {
    caller.wrong(
      `${member} throws "${called.message}", which leaves the outcome unknown: return CANCELED if nothing was processed, and ERROR for a decline`,
    );
    return null;
  }
  if (called.kind === 'TIMEOUT') return null;
  if (called.value === null || called.value === undefined) {
    caller.wrong(`${member} returns nothing, which leaves the outcome unknown`);
    return null;
  }
  const flaws = answerFlaws(called.value, asked);
  for (const flaw of flaws) caller.wrong(`${member} ${flaw}`);
  checkAmounts(caller, asked, called.value);
  return flaws.length === 0 ? called.value : null;
}

function checkAmounts(
  caller: GatewayCaller,
  { member, request }: OperationCall,
  answer: GatewayAnswer,
): void {
  const { amount, currency } = request;
  if (answer.status !== PluginStatus.PROCESSED || amount === undefined) return;
  if (answer.currency !== undefined && answer.currency !== currency)
    caller.note(`${member} processes ${answer.currency} instead of the requested ${currency}`);
  if (answer.amount === undefined || valueFlaws(answer).length > 0) return;
  const processedAmount = Number(answer.amount);
  // Default: the currency of the request.
  const isOther = answer.currency !== undefined && answer.currency !== currency;
  if (isOther || processedAmount === Number(amount)) return;
  const sentence = `${member} processes ${processedAmount} instead of the requested ${formatDecimal(amount)}`;
  if (processedAmount > Number(amount)) caller.wrong(sentence);
  else caller.note(sentence);
}

/**
 * Repeats a call with the same transaction id. The gateway must return the same result without a second effect
 * (payments §2.1 rule 2).
 */
async function checkRepeated(
  caller: GatewayCaller,
  asked: OperationCall,
  first: GatewayAnswer,
): Promise<void> {
  const { member } = asked;
  const again = await validAnswer(caller, asked);
  await checkEffects(caller, asked);
  if (again === null) return;
  if (again.status !== first.status) {
    caller.wrong(
      `${member} returns ${formatValue(again.status)} for a repeated transaction id, but returned ${formatValue(first.status)} before: it must return the first outcome`,
    );
  }
  checkReferences(caller, member, [first, again]);
}

/** Checks that a second effect would be visible, which requires `effectsOf` or references. */
function checkShown(caller: GatewayCaller, answer: GatewayAnswer): void {
  const { gateway, options } = caller;
  if (gateway.capabilities?.sideEffectFree === true || options.effectsOf !== undefined) return;
  if (answer.firstPaymentReferenceId !== undefined) return;
  caller.wrong(
    'Duplicate effects of a transaction id cannot be detected because results have no firstPaymentReferenceId: set `effectsOf`',
  );
}

function checkReferences(
  caller: GatewayCaller,
  member: string,
  [first, second]: readonly [GatewayAnswer, GatewayAnswer],
): void {
  const [one, other] = [first.firstPaymentReferenceId, second.firstPaymentReferenceId];
  if (one === other) return;
  caller.wrong(
    `${member} has two effects for a repeated transaction id: the references are ${formatValue(one)} and ${formatValue(other)}`,
  );
}

async function checkEffects(caller: GatewayCaller, { member, request }: OperationCall): Promise<void> {
  const effects = await caller.options.effectsOf?.(request.transactionId);
  if (effects === undefined) return;
  if (effects > 1) caller.wrong(`${member} has ${effects} effects for a repeated transaction id`);
  if (effects < 1) caller.wrong(`${member} returns PROCESSED without an effect in the gateway's ledger`);
}

/** Checks that `getPaymentInfo` returns the latest transaction, because recovery reads it (payments §7.1). */
async function checkReported(
  caller: GatewayCaller,
  { member, request }: OperationCall,
  answer: GatewayAnswer,
): Promise<void> {
  const told = await caller.told(request.paymentId);
  if (told === undefined || caller.gateway.capabilities?.sideEffectFree === true) return;
  const found = told.filter((each) => each.kbTransactionPaymentId === request.transactionId);
  const [known, second] = found;
  if (known === undefined) {
    caller.wrong(
      `getPaymentInfo does not return a transaction for which ${member} returned ${formatValue(answer.status)}: recovery could not find out its outcome`,
    );
    return;
  }
  if (second !== undefined)
    caller.wrong(
      `getPaymentInfo returns the transaction of ${member} ${found.length} times, which means ${found.length} effects`,
    );
  for (const flaw of valueFlaws(known)) caller.wrong(`getPaymentInfo ${flaw}`);
  if (known.status !== answer.status) {
    caller.wrong(
      `getPaymentInfo returns ${formatValue(known.status)} for a transaction for which ${member} returned ${formatValue(answer.status)}`,
    );
  }
  const [later, answered] = [known.amount, answer.amount ?? request.amount];
  if (later !== undefined && answered !== undefined && Number(later) !== Number(answered))
    caller.wrong(`getPaymentInfo returns the amount ${later}, but ${member} processed ${answered}`);
}

async function checkNothingElse(
  caller: GatewayCaller,
  paymentId: Uuid,
  done: readonly OperationCall[],
): Promise<void> {
  const ids = new Set<unknown>(done.map(({ request }) => request.transactionId));
  const strange = (await caller.told(paymentId))?.filter((each) => !ids.has(each.kbTransactionPaymentId));
  if (strange === undefined || strange.length === 0) return;
  caller.wrong('getPaymentInfo returns transactions of a different payment than requested');
}

/** Sends the same request twice at once. */
async function checkTwiceAtOnce(caller: GatewayCaller): Promise<void> {
  const asked = caller.asked('PURCHASE');
  const [one, other] = await Promise.all([caller.run(asked), caller.run(asked)]);
  const { paymentId, transactionId } = asked.request;
  const known = (await caller.told(paymentId))?.filter(
    (each) => each.kbTransactionPaymentId === transactionId,
  );
  const effects = (await caller.options.effectsOf?.(transactionId)) ?? known?.length ?? 0;
  if (effects > 1)
    caller.wrong(`purchase has ${effects} effects for two concurrent calls with the same transaction id`);
  const [first, second] = [findProcessedAnswer(one), findProcessedAnswer(other)];
  if (first !== null && second !== null) checkReferences(caller, 'purchase', [first, second]);
}

function findProcessedAnswer(called: Called<GatewayAnswer | null>): GatewayAnswer | null {
  return called.kind === 'VALUE' && called.value?.status === PluginStatus.PROCESSED ? called.value : null;
}

async function checkUnknownPayment(caller: GatewayCaller): Promise<void> {
  const told = await caller.told(caller.newId());
  if (told !== undefined && told.length > 0)
    caller.wrong('getPaymentInfo returns transactions for a payment that was never made');
}

/** Adds a note on whether the gateway accepts a refund that is larger than the payment (payments §4.3 rule 5). */
async function checkLargeRefund(caller: GatewayCaller): Promise<void> {
  if (caller.gateway.refund === undefined) return;
  const purchase = caller.asked('PURCHASE');
  if (findProcessedAnswer(await caller.run(purchase)) === null) return;
  const { paymentId } = purchase.request;
  const refund = caller.asked('REFUND', { paymentId, amount: caller.amount.times(2) });
  if (findProcessedAnswer(await caller.run(refund)) === null) return;
  caller.note(
    'refund accepts more than the paid amount: with `payment.overRefund.allowed`, no other check prevents this',
  );
}

/** Returns the flaws of a result. Each is a sentence that starts with the name of the field. */
export function answerFlaws(answer: GatewayAnswer, { type, request }: OperationCall): readonly string[] {
  const flaws: string[] = [];
  if (answer.kbTransactionPaymentId !== request.transactionId) {
    flaws.push(
      `returns a result for transaction ${formatValue(answer.kbTransactionPaymentId)} instead of ${request.transactionId}`,
    );
  }
  if (answer.kbPaymentId !== request.paymentId) {
    flaws.push(
      `returns a result for payment ${formatValue(answer.kbPaymentId)} instead of ${request.paymentId}`,
    );
  }
  if (answer.transactionType !== type)
    flaws.push(`returns the type ${formatValue(answer.transactionType)} instead of ${type}`);
  return [...flaws, ...valueFlaws(answer)];
}

/** Returns the invalid values of a transaction. */
function valueFlaws(answer: GatewayAnswer): readonly string[] {
  const { status, amount, currency } = answer;
  const flaws: string[] = [];
  if (status === undefined)
    flaws.push('returns no status, which leaves the outcome unknown: return one of PluginStatus');
  else if (!Object.hasOwn(PluginStatus, status))
    flaws.push(`returns the unknown status ${formatValue(status)}`);
  if (amount !== undefined && !isAmount(amount))
    flaws.push(`returns the invalid amount ${formatValue(amount)}`);
  if (currency !== undefined && !isCurrency(currency))
    flaws.push(`returns the unknown currency ${formatValue(currency)}`);
  for (const name of ['createdDate', 'effectiveDate'] as const) {
    const given: unknown = answer[name];
    if (!isInstant(given))
      flaws.push(`returns the ${name} ${formatValue(given)}, which is neither a Date nor ISO text`);
  }
  if (!Array.isArray(answer.properties))
    flaws.push('returns no list of properties; return an empty list if there are none');
  return flaws;
}

function isInstant(given: unknown): boolean {
  return (given instanceof Date || typeof given === 'string') && parseWireInstant(given) !== undefined;
}

function isAmount(amount: unknown): boolean {
  const parsed = amount === null ? undefined : parseWireDecimal(String(amount));
  return parsed !== undefined && !parsed.isNegative();
}
