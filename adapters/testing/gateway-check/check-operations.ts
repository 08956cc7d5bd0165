import {
  formatDecimal,
  type GatewayResult,
  isCurrency,
  PluginStatus,
  parseWireDecimal,
  type Uuid,
} from '../../../lib/index.ts';
import {
  type AskedOperation,
  type Called,
  type CalledType,
  type GatewayCaller,
  memberOfType,
  shown,
} from './gateway-caller.ts';

/** Flows of transactions of one payment. */
const FLOWS: readonly (readonly CalledType[])[] = [
  ['PURCHASE', 'REFUND'],
  ['AUTHORIZE', 'CAPTURE', 'REFUND'],
  ['AUTHORIZE', 'VOID'],
  ['CREDIT'],
];

/**
 * Calls every offered operation (payments §2.1). Answers must be valid and still known afterwards, and a repeated
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
  const done: AskedOperation[] = [];
  for (const type of flow) {
    if (caller.gateway[memberOfType[type]] === undefined) return;
    const part = type === 'CAPTURE' || type === 'REFUND' ? caller.amount.div(2) : caller.amount;
    const asked = caller.asked(type, { paymentId, amount: part });
    const answer = await processed(caller, asked);
    if (answer === null) return;
    done.push(asked);
    checkShown(caller, answer);
    await checkRepeated(caller, asked, answer);
    await checkTold(caller, asked, answer);
  }
  await checkNothingElse(caller, paymentId, done);
}

/** Returns the answer to a valid call; null and a finding if it is not processed. */
export async function processed(caller: GatewayCaller, asked: AskedOperation): Promise<GatewayResult | null> {
  const answer = await believed(caller, asked);
  const { member } = asked;
  if (answer === null || answer.status === PluginStatus.PROCESSED) return answer;
  if (answer.status === PluginStatus.PENDING) {
    caller.note(`${member} answers PENDING where nothing was said to make it wait`);
    return null;
  }
  const why = answer.gatewayError === undefined ? '' : ` ("${answer.gatewayError}")`;
  caller.wrong(
    `${member} answers ${shown(answer.status)}${why} to a plain request: give \`properties\` and \`paymentMethod\` that it accepts`,
  );
  return null;
}

/** Returns the answer to a call; null and a finding if the engine would reject it. */
export async function believed(caller: GatewayCaller, asked: AskedOperation): Promise<GatewayResult | null> {
  const { member } = asked;
  const called = await caller.run(asked);
  if (called.kind === 'THROW') {
    caller.wrong(
      `${member} throws "${called.message}", which leaves the outcome unknown: answer CANCELED where certainly nothing has happened, ERROR where it was declined`,
    );
    return null;
  }
  if (called.kind === 'TIMEOUT') return null;
  if (called.value === null || called.value === undefined) {
    caller.wrong(`${member} answers nothing, which leaves the outcome unknown`);
    return null;
  }
  const flaws = answerFlaws(called.value, asked);
  for (const flaw of flaws) caller.wrong(`${member} ${flaw}`);
  checkAmounts(caller, asked, called.value);
  return flaws.length === 0 ? called.value : null;
}

function checkAmounts(
  caller: GatewayCaller,
  { member, request }: AskedOperation,
  answer: GatewayResult,
): void {
  const { amount, currency } = request;
  if (answer.status !== PluginStatus.PROCESSED || amount === undefined) return;
  if (answer.currency !== undefined && answer.currency !== currency)
    caller.note(`${member} processes ${answer.currency} where ${currency} was asked for`);
  if (answer.amount === undefined || valueFlaws(answer).length > 0) return;
  const processedAmount = Number(answer.amount);
  // Default: the currency of the request.
  const isOther = answer.currency !== undefined && answer.currency !== currency;
  if (isOther || processedAmount === Number(amount)) return;
  const sentence = `${member} processes ${processedAmount} where ${formatDecimal(amount)} was asked for`;
  if (processedAmount > Number(amount)) caller.wrong(sentence);
  else caller.note(sentence);
}

/** Repeats the transaction id, which must return the same answer without a second effect (payments §2.1 rule 2). */
async function checkRepeated(
  caller: GatewayCaller,
  asked: AskedOperation,
  first: GatewayResult,
): Promise<void> {
  const { member } = asked;
  const again = await believed(caller, asked);
  await checkEffects(caller, asked);
  if (again === null) return;
  if (again.status !== first.status) {
    caller.wrong(
      `${member} answers ${shown(again.status)} to the same transaction id, and answered ${shown(first.status)} before: it must give the outcome that it has`,
    );
  }
  checkReferences(caller, member, [first, again]);
}

/** Without `effectsOf` and references, a second effect would be invisible. */
function checkShown(caller: GatewayCaller, answer: GatewayResult): void {
  const { gateway, options } = caller;
  if (gateway.capabilities?.sideEffectFree === true || options.effectsOf !== undefined) return;
  if (answer.firstPaymentReferenceId !== undefined) return;
  caller.wrong(
    'Whether the same transaction id has one effect only cannot be seen, for answers have no firstPaymentReferenceId: give `effectsOf`',
  );
}

function checkReferences(
  caller: GatewayCaller,
  member: string,
  [first, second]: readonly [GatewayResult, GatewayResult],
): void {
  const [one, other] = [first.firstPaymentReferenceId, second.firstPaymentReferenceId];
  if (one === other) return;
  caller.wrong(
    `${member} has two effects where the same transaction id comes twice: the references are ${shown(one)} and ${shown(other)}`,
  );
}

async function checkEffects(caller: GatewayCaller, { member, request }: AskedOperation): Promise<void> {
  const effects = await caller.options.effectsOf?.(request.transactionId);
  if (effects === undefined) return;
  if (effects > 1) caller.wrong(`${member} has ${effects} effects where the same transaction id comes twice`);
  if (effects < 1) caller.wrong(`${member} answers PROCESSED and has no effect in the gateway's books`);
}

/** Checks that `getPaymentInfo` returns the answered transaction, because recovery reads it (payments §7.1). */
async function checkTold(
  caller: GatewayCaller,
  { member, request }: AskedOperation,
  answer: GatewayResult,
): Promise<void> {
  const told = await caller.told(request.paymentId);
  if (told === undefined || caller.gateway.capabilities?.sideEffectFree === true) return;
  const found = told.filter((each) => each.kbTransactionPaymentId === request.transactionId);
  const [known, second] = found;
  if (known === undefined) {
    caller.wrong(
      `getPaymentInfo does not know the transaction that ${member} has answered ${shown(answer.status)}: recovery could not find out what happened`,
    );
    return;
  }
  if (second !== undefined)
    caller.wrong(
      `getPaymentInfo has the transaction of ${member} ${found.length} times: it had as many effects`,
    );
  for (const flaw of valueFlaws(known)) caller.wrong(`getPaymentInfo ${flaw}`);
  if (known.status !== answer.status) {
    caller.wrong(
      `getPaymentInfo gives ${shown(known.status)} for the transaction that ${member} has answered ${shown(answer.status)}`,
    );
  }
  const [later, answered] = [known.amount, answer.amount ?? request.amount];
  if (later !== undefined && answered !== undefined && Number(later) !== Number(answered))
    caller.wrong(`getPaymentInfo gives the amount ${later} where ${member} has processed ${answered}`);
}

async function checkNothingElse(
  caller: GatewayCaller,
  paymentId: Uuid,
  done: readonly AskedOperation[],
): Promise<void> {
  const ids = new Set<unknown>(done.map(({ request }) => request.transactionId));
  const strange = (await caller.told(paymentId))?.filter((each) => !ids.has(each.kbTransactionPaymentId));
  if (strange === undefined || strange.length === 0) return;
  caller.wrong('getPaymentInfo tells of transactions of another payment than it is asked about');
}

/** Sends a request twice at once. */
async function checkTwiceAtOnce(caller: GatewayCaller): Promise<void> {
  const asked = caller.asked('PURCHASE');
  const [one, other] = await Promise.all([caller.run(asked), caller.run(asked)]);
  const { paymentId, transactionId } = asked.request;
  const known = (await caller.told(paymentId))?.filter(
    (each) => each.kbTransactionPaymentId === transactionId,
  );
  const effects = (await caller.options.effectsOf?.(transactionId)) ?? known?.length ?? 0;
  if (effects > 1)
    caller.wrong(`purchase has ${effects} effects where the same transaction id comes twice at once`);
  const [first, second] = [processedIn(one), processedIn(other)];
  if (first !== null && second !== null) checkReferences(caller, 'purchase', [first, second]);
}

function processedIn(called: Called<GatewayResult | null>): GatewayResult | null {
  return called.kind === 'VALUE' && called.value?.status === PluginStatus.PROCESSED ? called.value : null;
}

async function checkUnknownPayment(caller: GatewayCaller): Promise<void> {
  const told = await caller.told(caller.newId());
  if (told !== undefined && told.length > 0)
    caller.wrong('getPaymentInfo gives transactions of a payment that was never made');
}

/** Notes whether the gateway accepts a refund above the payment (payments §4.3 rule 5). */
async function checkLargeRefund(caller: GatewayCaller): Promise<void> {
  if (caller.gateway.refund === undefined) return;
  const purchase = caller.asked('PURCHASE');
  if (processedIn(await caller.run(purchase)) === null) return;
  const { paymentId } = purchase.request;
  const refund = caller.asked('REFUND', { paymentId, amount: caller.amount.times(2) });
  if (processedIn(await caller.run(refund)) === null) return;
  caller.note(
    'refund accepts more than was taken: with `payment.overRefund.allowed` nothing else would stop it',
  );
}

/** Returns the flaws of an answer, which complete sentences that begin with the member. */
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

/** Returns the invalid values of a transaction. */
function valueFlaws(answer: GatewayResult): readonly string[] {
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

function isAmount(amount: unknown): boolean {
  const parsed = amount === null ? undefined : parseWireDecimal(String(amount));
  return parsed !== undefined && !parsed.isNegative();
}
