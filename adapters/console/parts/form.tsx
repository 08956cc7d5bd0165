import { useId } from 'preact/hooks';
import { label } from '../core/index.ts';
import { texts } from '../texts.ts';

/** Values of a form by field name: text, also for amounts and dates; `true` or `false` for a checkbox. */
export type Values = Readonly<Record<string, string | boolean | null>>;

export interface Field {
  readonly name: string;
  /** Default: the label of the name. */
  readonly label?: string;
  /** Defaults to `text`. An amount or number is sent as the text that the user typed, so it stays exact. */
  readonly kind?:
    | 'text'
    | 'amount'
    | 'number'
    | 'date'
    | 'email'
    | 'password'
    | 'new-password'
    | 'checkbox'
    | 'select'
    | 'area';
  readonly isRequired?: boolean;
  readonly options?: readonly Option[];
  readonly help?: string;
  readonly placeholder?: string;
  readonly rows?: number;
}

/** A value with its label. A value alone has its own label. */
export type Option = string | readonly [value: string, label: string];

/** A field; the name of a text that may be empty; or nothing, for a field that depends on others. */
export type FieldOrName = Field | string | false;

/** A field for an amount of money. */
export function amountField(currency: string | null | undefined): Field {
  return { name: 'amount', label: texts.common.amountIn(currency ?? ''), kind: 'amount', isRequired: true };
}

function optionOf(option: Option): readonly [value: string, label: string] {
  return typeof option === 'string' ? [option, label(option)] : option;
}

/** The options of a select element. */
export function Options({ of }: { readonly of: readonly Option[] }) {
  return of.map(optionOf).map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
}

interface FieldsProps {
  readonly fields: readonly FieldOrName[];
  readonly values: Values;
  readonly change: (values: Values) => void;
}

/** The fields of a form with their labels. */
export function Fields({ fields, values, change }: FieldsProps) {
  const shown = fields.filter((field) => field !== false);
  return (
    <div class="fields">
      {shown
        .map((field) => (typeof field === 'string' ? { name: field } : field))
        .map((field) => (
          <OneField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            change={(value) => change({ ...values, [field.name]: value })}
          />
        ))}
    </div>
  );
}

interface OneFieldProps {
  readonly field: Field;
  readonly value: string | boolean;
  readonly change: (value: string | boolean) => void;
}

function OneField({ field, value, change }: OneFieldProps) {
  const id = useId();
  const help = field.help === undefined ? undefined : `${id}-help`;
  return (
    <div class={field.kind === 'checkbox' ? 'field checkbox' : 'field'}>
      <label for={id}>{field.label ?? label(field.name)}</label>
      <Control field={field} value={value} change={change} id={id} help={help} />
      {field.help !== undefined && <small id={help}>{field.help}</small>}
    </div>
  );
}

interface ControlProps extends OneFieldProps {
  readonly id: string;
  readonly help: string | undefined;
}

function Control({ field, value, change, id, help }: ControlProps) {
  const { isRequired = false, name, placeholder } = field;
  const shared = { id, name, required: isRequired, 'aria-describedby': help };
  const onText = ({ currentTarget }: EventOf<HTMLInputElement>) => change(currentTarget.value);
  const text = { ...shared, value: String(value), placeholder, onInput: onText, autocomplete: 'off' };
  switch (field.kind ?? 'text') {
    case 'checkbox': {
      const onCheck = ({ currentTarget }: EventOf<HTMLInputElement>) => change(currentTarget.checked);
      return (
        <input {...shared} required={false} type="checkbox" checked={value === true} onChange={onCheck} />
      );
    }
    case 'select': {
      const options = (field.options ?? []).map(optionOf);
      return (
        <select
          {...shared}
          value={String(options.some(([each]) => each === value) ? value : options[0]?.[0])}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        >
          <Options of={options} />
        </select>
      );
    }
    case 'area': {
      const onArea = ({ currentTarget }: EventOf<HTMLTextAreaElement>) => change(currentTarget.value);
      return <textarea {...shared} value={String(value)} rows={field.rows ?? 6} onInput={onArea} />;
    }
    case 'amount':
    case 'number':
      return <input {...text} type="text" inputMode="decimal" pattern="-?[0-9]+([.][0-9]+)?" />;
    case 'password':
      return <input {...text} type="password" autocomplete="current-password" />;
    // The browser must not fill in the password of the signed-in user.
    case 'new-password':
      return <input {...text} type="password" autocomplete="new-password" />;
    case 'date':
      return <input {...text} type="date" />;
    case 'email':
      return <input {...text} type="email" />;
    case 'text':
      return <input {...text} type="text" />;
  }
}

interface EventOf<E> {
  readonly currentTarget: E;
}

/** Returns the text of a field; undefined if it is empty. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns the text of a field; null if it is empty. */
export function textOrNull(values: Values, name: string): string | null {
  return textOf(values, name) ?? null;
}

/** Returns the texts of fields by name; null for each empty one. */
export function textsOf<N extends string>(values: Values, ...names: readonly N[]): Record<N, string | null> {
  return Object.fromEntries(names.map((name) => [name, textOrNull(values, name)])) as Record<
    N,
    string | null
  >;
}

/** Returns the text of a field that must not be empty. */
export function requiredText(values: Values, name: string): string {
  return textOf(values, name) ?? '';
}

/** Returns the number of a field; null if it is empty. */
export function numberOrNull(values: Values, name: string): number | null {
  const text = textOf(values, name);
  return text === undefined ? null : Number(text);
}
