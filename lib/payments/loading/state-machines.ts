import type { ReadSession } from '../../ports/storage/index.ts';
import { type TenantKeyValue, TransactionType } from '../../records/index.ts';
import { paymentStateMachineKey } from '../../tenants/index.ts';
import { DocumentFault, decodeXml, readXmlTree, type XmlElement } from '../../values/documents/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { initialStateOf, type OperationTable, typeOf } from '../state/payment-state.ts';

/**
 * Limits of a tenant's payment state machine (payments §3.1). For comparison, the engine's own state machine has 400
 * elements.
 */
const MAX_STATE_MACHINE_CHARACTERS = 1_048_576;
const MAX_STATE_MACHINE_ELEMENTS = 20_000;

const MAX_CACHED_STATE_MACHINES = 500;

/** A tenant's own operation tables (§3.1), by plugin name. */
export type StateMachinesOf = ReadonlyMap<string, OperationTable>;

const NONE: StateMachinesOf = new Map();

/** Caches the payment state machines of tenants by the tenant's revision, so that all nodes notice an upload. */
export class StateMachines {
  readonly #names: ReadonlyMap<string, string>;
  readonly #kept = new Map<number, { readonly revision: number; readonly tables: StateMachinesOf }>();

  constructor(gateways: ReadonlyMap<string, unknown>) {
    this.#names = new Map([...gateways.keys()].map((name) => [paymentStateMachineKey(name), name]));
  }

  /**
   * Returns the tenant's operation tables.
   * @throws BillingError PAYMENT_STATE_MACHINE_FAILURE (7036) if the stored document cannot be read.
   */
  async of(session: ReadSession): Promise<StateMachinesOf> {
    const { stateMachineRevision: revision } = await session.revisions();
    if (revision === null) return NONE;
    const { recordId, within } = session.tenant;
    const kept = this.#kept.get(recordId);
    if (kept?.revision === revision) return kept.tables;
    const rows = await session.keyValues.find([...this.#names.keys()]);
    const tables = new Map(rows.map((row) => [this.#names.get(row.key) ?? '', readStoredStateMachine(row)]));
    // The value is not cached, because the host may roll back its transaction.
    if (within) return tables;
    this.#kept.delete(recordId);
    this.#kept.set(recordId, { revision, tables });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_CACHED_STATE_MACHINES && oldest !== undefined) this.#kept.delete(oldest);
    return tables;
  }
}

/**
 * Checks a document before it is stored.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if it cannot be read.
 */
export function checkStateMachine(text: string): void {
  try {
    readStateMachine(text);
  } catch (error) {
    throw invalidField(`The value is not a well-formed XML document: ${reasonOf(error)}`);
  }
}

function readStoredStateMachine({ key, value }: TenantKeyValue) {
  try {
    return readStateMachine(value);
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.PAYMENT_STATE_MACHINE_FAILURE,
      message: `The value of the tenant's key ${key} cannot be read; nothing was attempted. Upload it again: ${reasonOf(error)}`,
      facts: { key },
      cause: error,
    });
  }
}

function reasonOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

/** The state of a payment that has no successful transaction yet. */
const NOTHING_YET = 'BIG_BANG_INIT';

/**
 * Reads a tenant's payment state machine (§3.1): operation X may start if and only if a `linkStateMachine` leads from
 * the last success state to the initial state of machine X, and X has the operation `OP_X`. Other elements are ignored.
 * Does no I/O.
 * @throws DocumentFault for malformed text, or for text that exceeds the limits of size and nesting.
 */
export function readStateMachine(text: string): OperationTable {
  const elements = elementsOf(text);
  const operations = new Set(
    filterByName(elements, 'stateMachine').flatMap((machine) =>
      filterByName([...within(machine)], 'operations')
        .flatMap(({ children }) => filterByName(children, 'operation'))
        .map((operation) => `${nameOf(machine)} ${nameOf(operation)}`),
    ),
  );
  const allowed = new Set<string>();
  for (const { children } of filterByName(elements, 'linkStateMachine')) {
    const part = (name: string) => filterByName(children, name)[0]?.text;
    const type = Object.values(TransactionType).find((each) => each === part('finalStateMachine'));
    if (type === undefined || part('finalState') !== initialStateOf(type)) continue;
    if (operations.has(`${type} OP_${type}`)) allowed.add(`${part('initialState')} ${type}`);
  }
  return (lastSuccessStateName, operation) =>
    allowed.has(`${lastSuccessStateName ?? NOTHING_YET} ${typeOf(operation)}`);
}

function elementsOf(text: string) {
  if (text.length > MAX_STATE_MACHINE_CHARACTERS)
    throw new DocumentFault(`it has more than ${MAX_STATE_MACHINE_CHARACTERS} characters`, 0);
  const elements = [...within(readXmlTree(decodeXml(text)))];
  if (elements.length <= MAX_STATE_MACHINE_ELEMENTS) return elements;
  throw new DocumentFault(`it has more than ${MAX_STATE_MACHINE_ELEMENTS} elements`, 0);
}

/** Yields the element and its descendants in document order. */
function* within(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* within(child);
}

function filterByName(elements: readonly XmlElement[], name: string) {
  return elements.filter((element) => element.name === name);
}

function nameOf({ attributes }: XmlElement) {
  return attributes.get('name') ?? '';
}
