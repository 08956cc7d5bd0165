import type { JsonNode } from '../../values/documents/index.ts';
import { type Decimal, parseWireDecimal } from '../../values/money/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { Findings } from './findings.ts';
import { WrittenRecord, type WrittenValue, wholeNumberOf } from './written.ts';

/** The value of a member of an object or of a list, read as bodies are: scalars of another type are converted (http-api §9 rule 6). */
export class JsonValue implements WrittenValue {
  readonly label: string;
  readonly at: number;
  readonly #node: JsonNode;
  readonly #findings: Findings;

  constructor(node: JsonNode, label: string, findings: Findings) {
    this.#node = node;
    this.label = label;
    this.at = node.offset;
    this.#findings = findings;
  }

  text(): string | undefined {
    switch (this.#node.kind) {
      case 'string':
        return this.#node.value;
      case 'number':
        return this.#node.literal;
      case 'boolean':
        return String(this.#node.value);
      default:
        return this.#refuse('a text');
    }
  }

  wholeNumber(): number | undefined {
    return wholeNumberOf(this.#scalar()) ?? this.#refuse('a whole number of 32 bits');
  }

  amount(): Decimal | undefined {
    return parseWireDecimal(this.#scalar()) ?? this.#refuse('a decimal number');
  }

  flag(): boolean | undefined {
    if (this.#node.kind === 'boolean') return this.#node.value;
    return (
      WRITTEN_FLAGS.get(this.#node.kind === 'string' ? this.#node.value : '') ?? this.#refuse('true or false')
    );
  }

  items(): readonly WrittenValue[] {
    if (this.#node.kind !== 'array') return this.#refuse('a list') ?? [];
    return this.#node.items.map((item) => new JsonValue(item, this.label, this.#findings));
  }

  /** Its members by their names; those that are null or an empty text count as absent (http-api §9 rules 6 and 7). */
  record(): WrittenRecord | undefined {
    if (this.#node.kind !== 'object') return this.#refuse('an object');
    const parts = this.#node.members
      .filter(({ value }) => value.kind !== 'null' && !(value.kind === 'string' && value.value === ''))
      .map(
        ({ name, value }) =>
          [name, new JsonValue(value, `Property "${shortened(name)}"`, this.#findings)] as const,
      );
    return new WrittenRecord(this, parts, this.#findings);
  }

  /** A number, or the text that holds one. */
  #scalar(): string {
    if (this.#node.kind === 'number') return this.#node.literal;
    return this.#node.kind === 'string' ? this.#node.value : '';
  }

  #refuse(description: string): undefined {
    this.#findings.add(this.at, `${this.label}: ${shown(this.#node)} is not ${description}`);
  }
}

const WRITTEN_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function shown(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return 'an object';
    case 'array':
      return 'a list';
    case 'string':
      return `"${shortened(node.value)}"`;
    case 'number':
      return shortened(node.literal);
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
  }
}
