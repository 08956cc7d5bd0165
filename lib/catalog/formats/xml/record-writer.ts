import type { RuleCase } from '../../model/catalog-model.ts';
import type { NamedField, RecordType, RuleCaseType, ValueType } from '../fields/field.ts';
import type { XmlText } from './xml-text.ts';

/** Writes values of the model by the tables of fields: each is of the type that is given with it. */
export class RecordWriter {
  readonly #xml: XmlText;

  constructor(xml: XmlText) {
    this.#xml = xml;
  }

  field(field: NamedField, value: unknown): void {
    if (field.place === 'list')
      this.#xml.list(field.element, value as List, (item) => this.item(field, item));
    else if (field.place === 'repeated') for (const item of value as List) this.item(field, item);
    else if (value !== null) this.item(field, value);
    else if (field.isNillable) this.#xml.empty(field.element, { 'xsi:nil': 'true' });
  }

  /** One of a list, or the value of another field. */
  item({ item, element, type }: NamedField, value: unknown): void {
    this.#element(item ?? element, type, value);
  }

  #element(name: string, type: ValueType, value: unknown): void {
    if (type.kind === 'scalar') this.#xml.leaf(name, type.write(value));
    else if (type.kind === 'record') this.#record(name, type, value);
    else this.#xml.element(name, {}, () => this.#case(type, value as RuleCase<object, string>));
  }

  #record(name: string, type: RecordType, value: unknown): void {
    const { children } = type;
    const attributes: Record<string, string> = {};
    for (const [constant, scalar] of type.constants) attributes[constant] = scalar.write('');
    for (const field of type.attributes) {
      if (field.type.kind === 'scalar') attributes[field.element] = field.type.write(valueIn(value, field));
    }
    const isEmpty = children.every(
      (field) => field.place === 'repeated' && listIn(value, field).length === 0,
    );
    if (isEmpty) this.#xml.empty(name, attributes);
    else
      this.#xml.element(name, attributes, () => {
        for (const field of children) this.field(field, valueIn(value, field));
      });
  }

  #case({ resultName }: RuleCaseType, { conditions, result }: RuleCase<object, string>): void {
    for (const [condition, value] of Object.entries(conditions)) {
      if (typeof value === 'string') this.#xml.leaf(condition, value);
    }
    this.#xml.leaf(resultName, result);
  }
}

type List = readonly unknown[];

export function valueIn(record: unknown, { name }: NamedField): unknown {
  return (record as Readonly<Record<string, unknown>>)[name];
}

export function listIn(record: unknown, field: NamedField): List {
  return valueIn(record, field) as List;
}
