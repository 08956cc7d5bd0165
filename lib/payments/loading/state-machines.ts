import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type TenantKeyValue, TransactionType } from '../../records/index.ts';
import { paymentStateMachineKey } from '../../tenants/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { MAX_XML_ATTRIBUTES, MAX_XML_DEPTH, MAX_XML_NAME_CHARACTERS } from '../../values/limits.ts';
import { initialStateOf, type OperationTable, typeOf } from '../state/payment-state.ts';

/** Characters and elements of a tenant's payment state machine (payments §3.1); the engine's own would have 400 elements. */
const MAX_STATE_MACHINE_CHARACTERS = 1_048_576;
const MAX_STATE_MACHINE_ELEMENTS = 20_000;

/** State machines of all tenants that stay parsed. */
const MAX_CACHED_STATE_MACHINES = 500;

/** Tables of operations that a tenant has put in the place of the engine's own (§3.1), by plugin name. */
export type StateMachinesOf = ReadonlyMap<string, OperationTable>;

const NONE: StateMachinesOf = new Map();

/**
 * The payment state machines of tenants, each parsed once: the tenant's row tells the revision of its documents, so that
 * the next operation on every node follows an upload or a deletion.
 */
export class StateMachines {
  /** By key: the names of the gateways that there are. */
  readonly #names: ReadonlyMap<string, string>;
  /** By tenant, as they were at a revision. */
  readonly #kept = new Map<number, { readonly revision: number; readonly tables: StateMachinesOf }>();

  constructor(gateways: ReadonlyMap<string, unknown>) {
    this.#names = new Map([...gateways.keys()].map((name) => [paymentStateMachineKey(name), name]));
  }

  /**
   * Those in force for the session's tenant.
   * @throws BillingError PAYMENT_STATE_MACHINE_FAILURE (7036) for a stored document that cannot be read.
   */
  async of(session: ReadSession): Promise<StateMachinesOf> {
    const { stateMachineRevision: revision } = await session.revisions();
    if (revision === null) return NONE;
    const { recordId, within } = session.tenant;
    const kept = this.#kept.get(recordId);
    if (kept?.revision === revision) return kept.tables;
    const rows = await session.keyValues.find([...this.#names.keys()]);
    const tables = new Map(rows.map((row) => [this.#names.get(row.key) ?? '', parsed(row)]));
    // The host may roll back what its transaction holds, so it is not kept.
    if (within) return tables;
    this.#kept.delete(recordId);
    this.#kept.set(recordId, { revision, tables });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_CACHED_STATE_MACHINES && oldest !== undefined) this.#kept.delete(oldest);
    return tables;
  }
}

/**
 * Refuses an upload that cannot be read.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkStateMachine(text: string): void {
  try {
    readStateMachine(text);
  } catch (error) {
    throw invalidField(`The value is not a well-formed XML document: ${reasonOf(error)}`);
  }
}

function parsed({ key, value }: TenantKeyValue): OperationTable {
  try {
    return readStateMachine(value);
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.PAYMENT_STATE_MACHINE_FAILURE,
      message: `The value of the tenant's key ${key} cannot be read, nothing was attempted; upload it again: ${reasonOf(error)}`,
      facts: { key },
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why a text cannot be read as XML, as a sentence. */
export class UnreadableStateMachine extends Error {
  override readonly name = 'UnreadableStateMachine';
}

/** The state of a payment of which nothing has succeeded yet. */
const NOTHING_YET = 'BIG_BANG_INIT';
const LONGEST_REASON = 300;

interface Link {
  initialState?: string;
  finalStateMachine?: string;
  finalState?: string;
}

const linkParts = ['initialState', 'finalStateMachine', 'finalState'] as const satisfies (keyof Link)[];

/**
 * Reads a tenant's payment state machine (§3.1): operation X may start if and only if a `linkStateMachine` leads from the
 * last success state to the initial state of machine X, and X has the operation `OP_X`. What else a document says is
 * passed over; one that is no state machine lets nothing start. Does no I/O, whatever the document says.
 * @throws UnreadableStateMachine for a text that is not well-formed, or beyond the bounds of size and nesting.
 */
export function readStateMachine(text: string): OperationTable {
  const { links, operations } = new StateMachineReader().read(text);
  const allowed = new Set<string>();
  for (const { initialState, finalStateMachine, finalState } of links) {
    const type = Object.values(TransactionType).find((each) => each === finalStateMachine);
    if (type === undefined || finalState !== initialStateOf(type)) continue;
    if (operations.get(type)?.has(`OP_${type}`)) allowed.add(`${initialState} ${type}`);
  }
  return (lastSuccessStateName, operation) =>
    allowed.has(`${lastSuccessStateName ?? NOTHING_YET} ${typeOf(operation)}`);
}

/** Events of the parser, with the names of the open elements and no tree. */
class StateMachineReader {
  readonly #open: string[] = [];
  readonly #links: Link[] = [];
  readonly #operations = new Map<string, Set<string>>();
  #machine: Set<string> | undefined;
  #text = '';
  #elements = 0;
  #attributes = 0;

  read(text: string) {
    if (text.length > MAX_STATE_MACHINE_CHARACTERS)
      this.#fail(`it has more than ${MAX_STATE_MACHINE_CHARACTERS} characters`);
    const parser = new SaxesParser({ xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' });
    parser.on('error', (error) => this.#fail(error.message));
    parser.on('doctype', () => this.#fail('it has a document type declaration (<!DOCTYPE)'));
    parser.on('opentagstart', ({ name }) => this.#startTag(name));
    parser.on('attribute', ({ name }) => this.#boundAttribute(name));
    parser.on('opentag', (tag) => this.#openElement(tag));
    parser.on('text', (piece) => this.#takeText(piece));
    parser.on('cdata', (piece) => this.#takeText(piece));
    parser.on('closetag', ({ name }) => this.#closeElement(name));
    parser.write(text).close();
    return { links: this.#links, operations: this.#operations };
  }

  #startTag(name: string): void {
    this.#elements += 1;
    this.#attributes = 0;
    if (this.#elements > MAX_STATE_MACHINE_ELEMENTS)
      this.#fail(`it has more than ${MAX_STATE_MACHINE_ELEMENTS} elements`);
    if (this.#open.length >= MAX_XML_DEPTH)
      this.#fail(`its elements are nested deeper than ${MAX_XML_DEPTH}`);
    this.#boundName(name);
  }

  #boundAttribute(name: string): void {
    this.#attributes += 1;
    if (this.#attributes > MAX_XML_ATTRIBUTES)
      this.#fail(`an element has more than ${MAX_XML_ATTRIBUTES} attributes`);
    this.#boundName(name);
  }

  #boundName(name: string): void {
    if (name.length > MAX_XML_NAME_CHARACTERS)
      this.#fail(`a name is longer than ${MAX_XML_NAME_CHARACTERS} characters`);
  }

  #openElement({ name, attributes }: SaxesTagPlain): void {
    const parent = this.#open.at(-1);
    this.#open.push(name);
    this.#text = '';
    if (name === 'linkStateMachine') this.#links.push({});
    if (name === 'stateMachine') this.#machine = this.#machineNamed(attributes.name ?? '');
    if (name === 'operation' && parent === 'operations') this.#machine?.add(attributes.name ?? '');
  }

  #machineNamed(name: string): Set<string> {
    const known = this.#operations.get(name) ?? new Set();
    this.#operations.set(name, known);
    return known;
  }

  #takeText(piece: string): void {
    this.#text += piece;
  }

  #closeElement(name: string): void {
    this.#open.pop();
    if (name === 'stateMachine') this.#machine = undefined;
    const part = linkParts.find((each) => each === name);
    const link = this.#open.at(-1) === 'linkStateMachine' ? this.#links.at(-1) : undefined;
    if (part !== undefined && link !== undefined) link[part] = this.#text.trim();
    this.#text = '';
  }

  #fail(reason: string): never {
    throw new UnreadableStateMachine(reason.slice(0, LONGEST_REASON));
  }
}
