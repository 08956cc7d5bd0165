import { trimXml, XML_CHARACTERS } from '../../../values/documents/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS, MAX_XML_TEXT_CHARACTERS } from '../../../values/limits.ts';
import { Decimal, formatDecimal } from '../../../values/money/index.ts';
import { shortened } from '../../../values/text/index.ts';
import {
  type NamedField,
  type RecordType,
  type RuleCaseType,
  recordOf,
  type ValueType,
} from '../fields/field.ts';
import { internationalPrice, phase } from '../fields/records.ts';
import { anyText, currency, decimal, int, type Scalar } from '../fields/scalar.ts';
import { quote } from '../xml/quote.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * Reads what a definition says by the tables of fields: records that have names by name, prices by currency, rule cases
 * flat. It notes what cannot be read, since perhaps no compiler has checked it; if there are problems, the result is not
 * of its type.
 */
export class DefinitionReader {
  readonly problems: Problem[] = [];

  record<T>(type: RecordType<T>, given: unknown, place: string): T {
    const values = isRecord(given) ? given : this.note(`${place}: ${shown(given)} is not an object`);
    return recordOf(type, (field) => values && this.#field(field, values[field.name], place));
  }

  note(message: string): undefined {
    if (this.problems.length < MAX_LISTED_PROBLEMS) this.problems.push({ message });
  }

  #field(field: NamedField, given: unknown, owner: string): unknown {
    const { name, place, type } = field;
    if (given === undefined || given === null) {
      const isOptional = field.unsaid !== undefined || field.absent !== undefined;
      return isOptional ? field.unsaid : this.note(`${below(owner, name)} is missing`);
    }
    if (place === 'list' || place === 'repeated') return this.#items(field, given, owner);
    return this.#value(type, given, placeOf(type, given, { owner, name }));
  }

  #items({ name, item = name, type }: NamedField, given: unknown, owner: string): unknown {
    if (type.kind === 'record' && type.fields.some((field) => field.name === 'name')) {
      if (!isRecord(given))
        return this.note(`${below(owner, name)}: ${shown(given)} is not an object by name`);
      return Object.entries(given).map(([key, each]) => {
        const place = placeOf(type, each, { owner, name: `${item} "${shortened(key)}"` });
        return this.record(type, { ...(inFull(type, each) as object), name: key }, place);
      });
    }
    if (!Array.isArray(given)) return this.note(`${below(owner, name)}: ${shown(given)} is not a list`);
    return given.map((each, index) =>
      this.#value(type, each, placeOf(type, each, { owner, name: `${name} ${index + 1}` })),
    );
  }

  #value(type: ValueType, given: unknown, place: string): unknown {
    if (type === internationalPrice) return this.#price(given, place);
    if (type.kind === 'case') return this.#case(type, given, place);
    return type.kind === 'scalar'
      ? this.#scalar(type, given, place)
      : this.record(type, inFull(type, given), place);
  }

  #scalar(type: Scalar, given: unknown, place: string): unknown {
    const text = textOf(type, given);
    if (text !== undefined && (!XML_CHARACTERS.test(text) || text.length > MAX_XML_TEXT_CHARACTERS)) {
      return this.note(`${place}: ${shown(given)} is too long, or has characters that XML has not`);
    }
    const value = text === undefined ? undefined : type.parse(type === anyText ? text : trimXml(text));
    return value === undefined ? this.note(`${place}: ${shown(given)} is not ${type.description}`) : value;
  }

  /** `0` is zero in every currency. */
  #price(given: unknown, place: string): unknown {
    if (given === 0) return { prices: [] };
    if (!isRecord(given)) return this.note(`${place}: ${shown(given)} is neither 0 nor amounts by currency`);
    const amounts = Object.entries(given).filter(([, amount]) => amount !== undefined);
    return {
      prices: amounts.map(([code, amount]) => ({
        currency: this.#scalar(currency, code, place),
        amount: amount === null ? null : this.#amount(amount, `${place}, ${shortened(code)}`),
      })),
    };
  }

  /** A number is refused, since its digits may not be those that were meant. */
  #amount(given: unknown, place: string): unknown {
    if (typeof given !== 'number') return this.#scalar(decimal, given, place);
    return this.note(`${place}: the number ${given} is not ${decimal.description}; write it as text`);
  }

  #case({ conditions, resultName, result }: RuleCaseType, given: unknown, place: string): unknown {
    if (!isRecord(given)) return this.note(`${place}: ${shown(given)} is not an object`);
    for (const name of Object.keys(given)) {
      if (name !== resultName && !(name in conditions))
        this.note(`${place}: there is no condition "${shortened(name)}" here`);
    }
    const said = Object.entries(conditions).map(([name, type]) => {
      const value = given[name] ?? null;
      return [name, value === null ? null : this.#scalar(type, value, `${place}, ${name}`)];
    });
    return {
      conditions: Object.fromEntries(said),
      result: this.#scalar(result, given[resultName], `${place}, ${resultName}`),
    };
  }
}

/** The place of a value, for messages. */
function placeOf(
  type: ValueType,
  given: unknown,
  { owner, name }: { readonly owner: string; readonly name: string },
): string {
  if (type === phase)
    return `${owner}, phase ${isRecord(given) ? shortened(String(given.type)) : shown(given)}`;
  // A phase's price is placed at the section that holds it.
  return name === 'price' ? owner : below(owner, name);
}

/** `Plan "gold"`, then what is in it. */
function below(owner: string, name: string): string {
  if (owner !== '') return `${owner}, ${name}`;
  return name.includes('"') ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
}

/** A record that may be given by just one of its fields. */
function inFull({ short, fields }: RecordType, given: unknown): unknown {
  const isFull = short === undefined || (isRecord(given) && fields.some(({ name }) => name in given));
  return isFull ? given : { [short]: given };
}

/** The text to read a scalar from; undefined for a value of another type. */
function textOf(type: Scalar, given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (typeof given === 'number' && (type === decimal || type === int)) return String(given);
  return Decimal.isDecimal(given) && type === decimal ? formatDecimal(given) : undefined;
}

function isRecord(given: unknown): given is Given {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? quote(value) : shortened(String(value));
}
