import { TransactionType } from '../../../lib/index.ts';

/** A payment state and an operation that it allows. */
export type StateLink = readonly [fromState: string, machine: TransactionType];

const prefixOf = (machine: string) => (machine === 'AUTHORIZE' ? 'AUTH' : machine);

/** A payment state machine for upload, with these links only. */
export function stateMachineDocument(links: readonly StateLink[]): string {
  const machines = Object.values(TransactionType).map((type) => {
    const states = ['INIT', 'PENDING', 'SUCCESS', 'FAILED', 'ERRORED'].map(
      (state) => `<state name="${prefixOf(type)}_${state}"/>`,
    );
    const transition = `<transition><initialState>${prefixOf(type)}_INIT</initialState><operation>OP_${type}</operation><operationResult>SUCCESS</operationResult><finalState>${prefixOf(type)}_SUCCESS</finalState></transition>`;
    return `<stateMachine name="${type}"><states>${states.join('')}</states><transitions>${transition}</transitions><operations><operation name="OP_${type}"/></operations></stateMachine>`;
  });
  const linked = links.map(
    ([from, machine]) =>
      `<linkStateMachine><initialStateMachine>ANY</initialStateMachine><initialState>${from}</initialState><finalStateMachine>${machine}</finalStateMachine><finalState>${prefixOf(machine)}_INIT</finalState></linkStateMachine>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<stateMachineConfig xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="StateMachineConfig.xsd">
<stateMachines><stateMachine name="BIG_BANG"><states><state name="BIG_BANG_INIT"/></states><transitions/><operations><operation name="OP_DUMMY"/></operations></stateMachine>${machines.join('\n')}</stateMachines>
<linkStateMachines>${linked.join('\n')}</linkStateMachines></stateMachineConfig>`;
}
