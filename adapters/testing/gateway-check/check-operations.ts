import { formatDecimal, type GatewayResult, PluginStatus, type Uuid } from '../../../lib/index.ts';
import { answerFlaws, shown, valueFlaws } from './answer-flaws.ts';
import { type AskedOperation, type CalledType, type GatewayCaller, memberOfType } from './gateway-caller.ts';

/** Transactions of one payment, in their order. */
const FLOWS: readonly (readonly CalledType[])[] = [
  ['PURCHASE', 'REFUND'],
  ['AUTHORIZE', 'CAPTURE', 'REFUND'],
  ['AUTHORIZE', 'VOID'],
  ['CREDIT'],
];

/**
 * Calls every operation that the gateway offers (payments §2.1): with an answer that can be believed, which the gateway
 * still knows afterwards, and with one effect however often the same transaction is presented.
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

/** The answer to a call that nothing is wrong with; null where it is not processed, which is found. */
export async function processed(caller: GatewayCaller, asked: AskedOperation): Promise<GatewayResult | null> {
  const answer = await believed(caller, asked);
  const member = memberOfType[asked.type];
  if (answer === null || answer.status === PluginStatus.PROCESSED) return answer;
  if (answer.status === PluginStatus.PENDING) {
    caller.report.note(`${member} answers PENDING where nothing was said to make it wait`);
    return null;
  }
  const why = answer.gatewayError === undefined ? '' : ` ("${answer.gatewayError}")`;
  caller.report.wrong(
    `${member} answers ${shown(answer.status)}${why} to a plain request: give \`properties\` and \`paymentMethod\` that it accepts`,
  );
  return null;
}

/** The answer to a call, where the engine could believe it; else null, which is found. */
export async function believed(caller: GatewayCaller, asked: AskedOperation): Promise<GatewayResult | null> {
  const { report } = caller;
  const member = memberOfType[asked.type];
  const called = await caller.run(asked);
  if (called.kind === 'THROW') {
    report.wrong(
      `${member} throws "${called.message}", which leaves the outcome unknown: answer CANCELED where certainly nothing has happened, ERROR where it was declined`,
    );
    return null;
  }
  if (called.kind === 'TIMEOUT') return null;
  if (called.value === null || called.value === undefined) {
    report.wrong(`${member} answers nothing, which leaves the outcome unknown`);
    return null;
  }
  const flaws = answerFlaws(called.value, asked);
  for (const flaw of flaws) report.wrong(`${member} ${flaw}`);
  checkAmounts(caller, asked, called.value);
  return flaws.length === 0 ? called.value : null;
}

function checkAmounts(caller: GatewayCaller, { type, request }: AskedOperation, answer: GatewayResult): void {
  const { amount, currency } = request;
  const member = memberOfType[type];
  if (answer.status !== PluginStatus.PROCESSED || amount === undefined) return;
  if (answer.currency !== undefined && answer.currency !== currency)
    caller.report.note(`${member} processes ${answer.currency} where ${currency} was asked for`);
  if (answer.amount === undefined || valueFlaws(answer).length > 0) return;
  const processedAmount = Number(answer.amount);
  // Without a currency it is read as that of the request.
  const isOther = answer.currency !== undefined && answer.currency !== currency;
  if (isOther || processedAmount === Number(amount)) return;
  const sentence = `${member} processes ${processedAmount} where ${formatDecimal(amount)} was asked for`;
  if (processedAmount > Number(amount)) caller.report.wrong(sentence);
  else caller.report.note(sentence);
}

/** The same transaction id again: the same answer, and no second effect (payments §2.1 rule 2). */
async function checkRepeated(
  caller: GatewayCaller,
  asked: AskedOperation,
  first: GatewayResult,
): Promise<void> {
  const again = await believed(caller, asked);
  const member = memberOfType[asked.type];
  await checkEffects(caller, asked);
  if (again === null) return;
  if (again.status !== first.status) {
    caller.report.wrong(
      `${member} answers ${shown(again.status)} to the same transaction id, and answered ${shown(first.status)} before: it must give the outcome that it has`,
    );
  }
  checkReferences(caller, member, [first, again]);
}

/** Without books to look into, and without references, a second effect would be seen nowhere. */
function checkShown({ gateway, options, report }: GatewayCaller, answer: GatewayResult): void {
  if (gateway.capabilities?.sideEffectFree === true || options.effectsOf !== undefined) return;
  if (answer.firstPaymentReferenceId !== undefined) return;
  report.wrong(
    'Whether the same transaction id has one effect only cannot be seen, for answers have no firstPaymentReferenceId: give `effectsOf`',
  );
}

function checkReferences(
  { report }: GatewayCaller,
  member: string,
  [first, second]: readonly [GatewayResult, GatewayResult],
): void {
  const [one, other] = [first.firstPaymentReferenceId, second.firstPaymentReferenceId];
  if (one === other) return;
  report.wrong(
    `${member} has two effects where the same transaction id comes twice: the references are ${shown(one)} and ${shown(other)}`,
  );
}

async function checkEffects(caller: GatewayCaller, { type, request }: AskedOperation): Promise<void> {
  const effects = await caller.options.effectsOf?.(request.transactionId);
  if (effects === undefined) return;
  const member = memberOfType[type];
  if (effects > 1)
    caller.report.wrong(`${member} has ${effects} effects where the same transaction id comes twice`);
  if (effects < 1)
    caller.report.wrong(`${member} answers PROCESSED and has no effect in the gateway's books`);
}

/** What a gateway has answered it must be able to tell later, for recovery reads it there (payments §7.1). */
async function checkTold(
  caller: GatewayCaller,
  { type, request }: AskedOperation,
  answer: GatewayResult,
): Promise<void> {
  const told = await caller.told(request.paymentId);
  if (told === undefined || caller.gateway.capabilities?.sideEffectFree === true) return;
  const member = memberOfType[type];
  const { report } = caller;
  const found = told.filter((each) => each.kbTransactionPaymentId === request.transactionId);
  const [known, second] = found;
  if (known === undefined) {
    report.wrong(
      `getPaymentInfo does not know the transaction that ${member} has answered ${shown(answer.status)}: recovery could not find out what happened`,
    );
    return;
  }
  if (second !== undefined)
    report.wrong(
      `getPaymentInfo has the transaction of ${member} ${found.length} times: it had as many effects`,
    );
  for (const flaw of valueFlaws(known)) report.wrong(`getPaymentInfo ${flaw}`);
  if (known.status !== answer.status) {
    report.wrong(
      `getPaymentInfo gives ${shown(known.status)} for the transaction that ${member} has answered ${shown(answer.status)}`,
    );
  }
  const [later, answered] = [known.amount, answer.amount ?? request.amount];
  if (later !== undefined && answered !== undefined && Number(later) !== Number(answered))
    report.wrong(`getPaymentInfo gives the amount ${later} where ${member} has processed ${answered}`);
}

async function checkNothingElse(
  caller: GatewayCaller,
  paymentId: Uuid,
  done: readonly AskedOperation[],
): Promise<void> {
  const ids = new Set<unknown>(done.map(({ request }) => request.transactionId));
  const strange = (await caller.told(paymentId))?.filter((each) => !ids.has(each.kbTransactionPaymentId));
  if (strange === undefined || strange.length === 0) return;
  caller.report.wrong('getPaymentInfo tells of transactions of another payment than it is asked about');
}

/** A request that arrives twice at once, as networks and impatient customers have it. */
async function checkTwiceAtOnce(caller: GatewayCaller): Promise<void> {
  const asked = caller.asked('PURCHASE');
  const [one, other] = await Promise.all([caller.run(asked), caller.run(asked)]);
  await checkOneAtOnce(caller, asked);
  if (one.kind !== 'VALUE' || other.kind !== 'VALUE') return;
  const [first, second] = [one.value, other.value];
  if (first?.status !== PluginStatus.PROCESSED || second?.status !== PluginStatus.PROCESSED) return;
  checkReferences(caller, 'purchase', [first, second]);
}

async function checkOneAtOnce(caller: GatewayCaller, { request }: AskedOperation): Promise<void> {
  const told = await caller.told(request.paymentId);
  const known = told?.filter((each) => each.kbTransactionPaymentId === request.transactionId) ?? [];
  const effects = (await caller.options.effectsOf?.(request.transactionId)) ?? known.length;
  if (effects > 1)
    caller.report.wrong(`purchase has ${effects} effects where the same transaction id comes twice at once`);
}

async function checkUnknownPayment(caller: GatewayCaller): Promise<void> {
  const told = await caller.told(caller.newId());
  if (told !== undefined && told.length > 0)
    caller.report.wrong('getPaymentInfo gives transactions of a payment that was never made');
}

/** How much may be refunded is the gateway's choice where the engine's own cap is off (payments §4.3 rule 5). */
async function checkLargeRefund(caller: GatewayCaller): Promise<void> {
  if (caller.gateway.refund === undefined) return;
  const purchase = caller.asked('PURCHASE');
  const taken = await caller.run(purchase);
  if (taken.kind !== 'VALUE' || taken.value?.status !== PluginStatus.PROCESSED) return;
  const { paymentId } = purchase.request;
  const refund = await caller.run(caller.asked('REFUND', { paymentId, amount: caller.amount.times(2) }));
  if (refund.kind !== 'VALUE' || refund.value?.status !== PluginStatus.PROCESSED) return;
  caller.report.note(
    'refund accepts more than was taken: with `payment.overRefund.allowed` nothing else would stop it',
  );
}
