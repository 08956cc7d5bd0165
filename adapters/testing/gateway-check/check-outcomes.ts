import { PluginStatus } from '../../../lib/index.ts';
import { answerFlaws, validAnswer } from './check-operations.ts';
import {
  type Called,
  formatValue,
  type GatewayAnswer,
  type GatewayCaller,
  type OperationCall,
  type ProvokedOutcome,
  type ProvokedPending,
} from './gateway-caller.ts';

/** Checks the outcomes that the gateway's author can cause: declined, unreachable and pending (payments §2.2). */
export async function checkOutcomes(caller: GatewayCaller): Promise<void> {
  const { declined, unreachable, pending } = caller.options.outcomes ?? {};
  if (declined !== undefined) await checkDeclined(caller, declined);
  if (unreachable !== undefined) await checkUnreachable(caller, unreachable);
  if (pending !== undefined) await checkPending(caller, pending);
  else if (caller.gateway.capabilities?.completeLedger === true)
    caller.note(
      'completeLedger was not tested with a pending purchase, which recovery could mistake for one that never arrived: set the option `outcomes.pending`',
    );
}

async function checkDeclined(caller: GatewayCaller, outcome: ProvokedOutcome): Promise<void> {
  const { asked, called } = await provoke(caller, outcome);
  if (called.kind === 'THROW') {
    caller.wrong(
      `purchase throws "${called.message}" when the processor declines: return ERROR, because an exception leaves the outcome unknown`,
    );
    return;
  }
  await expectStatus(
    caller,
    { asked, called },
    { status: PluginStatus.ERROR, when: 'the processor declines' },
  );
  await expectNoEffect(caller, asked, 'was declined');
  if (caller.gateway.capabilities?.completeLedger === true) await expectKnown(caller, asked, 'was declined');
}

async function checkUnreachable(caller: GatewayCaller, outcome: ProvokedOutcome): Promise<void> {
  const { asked, called } = await provoke(caller, outcome);
  if (called.kind === 'THROW') {
    caller.wrong(
      `purchase throws "${called.message}" instead of returning CANCELED: an exception leaves the outcome unknown, and the payment is not retried before recovery`,
    );
    return;
  }
  const when = 'the processor cannot be reached';
  await expectStatus(caller, { asked, called }, { status: PluginStatus.CANCELED, when });
  await expectNoEffect(caller, asked, 'could not be submitted');
}

async function checkPending(caller: GatewayCaller, outcome: ProvokedPending): Promise<void> {
  const { asked, called } = await provoke(caller, outcome);
  const expected = { status: PluginStatus.PENDING, when: 'it was made to wait' };
  if (!(await expectStatus(caller, { asked, called }, expected))) return;
  await expectKnown(caller, asked, 'is pending');
  await outcome.settle?.(asked.request.transactionId);
  const { properties = [] } = caller.options;
  const completion = { ...asked.request, properties, isCompletion: true };
  const again = await validAnswer(caller, { ...asked, request: completion });
  if (again?.status === PluginStatus.PENDING) {
    caller.wrong(
      'A pending purchase can never be completed: purchase still returns PENDING when called again after settlement',
    );
  }
  const known = (await caller.told(asked.request.paymentId))?.find(
    (each) => each.kbTransactionPaymentId === asked.request.transactionId,
  );
  if (known === undefined || (again !== null && known.status !== again.status)) {
    caller.wrong(
      `getPaymentInfo returns ${formatValue(known?.status)} for a settled pending purchase, but purchase returns ${formatValue(again?.status)}`,
    );
  }
}

interface Provoked {
  readonly asked: OperationCall;
  readonly called: Called<GatewayAnswer | null>;
}

async function provoke(caller: GatewayCaller, outcome: ProvokedOutcome): Promise<Provoked> {
  const properties = [...(caller.options.properties ?? []), ...(outcome.properties ?? [])];
  const asked = caller.asked('PURCHASE', { properties });
  await outcome.arrange?.();
  try {
    return { asked, called: await caller.run(asked) };
  } finally {
    await outcome.restore?.();
  }
}

/** Returns true if the result has the expected status. Otherwise adds a finding. */
async function expectStatus(
  caller: GatewayCaller,
  { asked, called }: Provoked,
  { status, when }: { readonly status: PluginStatus; readonly when: string },
): Promise<boolean> {
  if (called.kind === 'TIMEOUT') return false;
  if (called.kind === 'THROW')
    caller.wrong(`purchase throws "${called.message}" when ${when}: return ${status}`);
  else if (called.value === null || called.value === undefined)
    caller.wrong(`purchase returns nothing when ${when}: return ${status}`);
  else {
    for (const flaw of answerFlaws(called.value, asked)) caller.wrong(`purchase ${flaw}`);
    if (called.value.status === status) return true;
    caller.wrong(`purchase returns ${formatValue(called.value.status)} when ${when}: return ${status}`);
  }
  return false;
}

/**
 * Checks that `getPaymentInfo` returns all transactions that the gateway received. Recovery assumes that a missing
 * transaction was never received.
 */
async function expectKnown(
  caller: GatewayCaller,
  { request: { paymentId, transactionId } }: OperationCall,
  what: string,
): Promise<void> {
  const told = await caller.told(paymentId);
  if (told === undefined || told.some((each) => each.kbTransactionPaymentId === transactionId)) return;
  caller.wrong(
    caller.gateway.capabilities?.completeLedger === true
      ? `getPaymentInfo does not return a purchase that ${what}, although capabilities.completeLedger promises all transactions: recovery would assume that it never arrived, and it could be charged twice`
      : `getPaymentInfo does not return a purchase that ${what}: recovery could not find out its outcome`,
  );
}

async function expectNoEffect(
  caller: GatewayCaller,
  { request }: OperationCall,
  what: string,
): Promise<void> {
  const effects = await caller.options.effectsOf?.(request.transactionId);
  if (effects !== undefined && effects > 0) caller.wrong(`purchase has an effect although it ${what}`);
  const known = (await caller.told(request.paymentId))?.find(
    (each) => each.kbTransactionPaymentId === request.transactionId,
  );
  if (known?.status === PluginStatus.PROCESSED)
    caller.wrong(`getPaymentInfo returns PROCESSED for a purchase that ${what}`);
}
