import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { TransactionType } from '../../records/index.ts';
import {
  MAX_STATE_MACHINE_CHARACTERS,
  MAX_STATE_MACHINE_ELEMENTS,
  MAX_XML_ATTRIBUTES,
  MAX_XML_DEPTH,
  MAX_XML_NAME_CHARACTERS,
} from '../../values/limits.ts';
import { initialStateOf, type OperationTable, typeOf } from './payment-state.ts';

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
