import { useId } from 'preact/hooks';
import { label } from '../core/format.ts';
import { texts } from '../texts.ts';

/** Attributes of the inputs by the kind of the field. */
const INPUTS = {
  text: { type: 'text' },
  number: { type: 'text', inputMode: 'decimal', pattern: '-?[0-9]+([.][0-9]+)?' },
  date: { type: 'date' },
  email: { type: 'email' },
  search: { type: 'search' },
  password: { type: 'password', autocomplete: 'current-password' },
  // The browser must not fill in the password of the signed-in user.
  'new-password': { type: 'password', autocomplete: 'new-password' },
} as const;

type Kind = keyof typeof INPUTS | 'checkbox' | 'select' | 'several' | 'area';

/** A value with its label. A value alone has its own label. */
export type Option = string | readonly [value: string, label: string];

interface FieldOptions {
  /** Defaults to `text`. A number is sent as the text that the user typed, so it stays exact. */
  readonly kind?: Kind;
  /** Default: the label of the name. */
  readonly label?: string;
  readonly isRequired?: boolean;
  /** The choices of `select` and `several`. The first one is the default of `select`. */
  readonly options?: readonly Option[];
  readonly help?: string | undefined;
  readonly placeholder?: string;
}

/** A field by its kind alone, `required` for a text that must not be empty, or nothing where it does not apply. */
export type Field = Kind | 'required' | FieldOptions | false;

export type Fields = Readonly<Record<string, Field>>;

type OptionValue<O> = O extends readonly [infer V, unknown] ? V : O;

type ValueOf<F> = F extends false
  ? undefined
  : F extends 'checkbox' | { readonly kind: 'checkbox' }
    ? boolean
    : F extends { readonly kind: 'several'; readonly options: readonly (infer O)[] }
      ? readonly OptionValue<O>[]
      : F extends { readonly options: readonly (infer O)[] }
        ? OptionValue<O>
        : F extends 'required' | { readonly isRequired: true }
          ? string
          : string | null;

/** The values of a form: null for an empty text, and undefined for a field that does not apply. */
export type ValuesOf<F> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** The user's current entries, by field name. */
export type Entered = Readonly<Record<string, unknown>>;

/** Returns the values of fields from what the user entered. */
export function valuesOf<F extends Fields>(fields: F, entered: Entered): ValuesOf<F> {
  const values = Object.entries(fields).map(([name, field]) => [name, fieldValue(field, entered[name])]);
  return Object.fromEntries(values) as ValuesOf<F>;
}

function fieldValue(field: Field, entered: unknown): unknown {
  if (field === false) return undefined;
  const { kind = 'text', options = [] } = optionsOf(field);
  if (kind === 'checkbox') return entered === true;
  if (kind === 'several') return entered ?? [];
  if (kind === 'select') return selectedValue(options, entered);
  const text = String(entered ?? '');
  return (kind.endsWith('password') ? text : text.trim()) || null;
}

/** Returns true if each required field has a value, and each number is one. */
export function isComplete(fields: Fields, entered: Entered): boolean {
  return Object.entries(fields).every(([name, field]) => {
    const { isRequired = false, kind } = field === false ? {} : optionsOf(field);
    const value = fieldValue(field, entered[name]);
    return value ? kind !== 'number' || !Number.isNaN(Number(value)) : !isRequired;
  });
}

function optionsOf(field: Exclude<Field, false>): FieldOptions {
  if (field === 'required') return { isRequired: true };
  return typeof field === 'string' ? { kind: field } : field;
}

const pairOf = (option: Option) => (typeof option === 'string' ? ([option, label(option)] as const) : option);

function selectedValue(options: readonly Option[], entered: unknown): string {
  const values = options.map((option) => pairOf(option)[0]);
  return values.find((each) => each === entered) ?? values[0] ?? '';
}

interface FormProps {
  readonly fields: Fields;
  readonly entered: Entered;
  readonly change: (entered: Entered) => void;
  /** True for filters of a list: in a row, and each applies when its input ends. */
  readonly isFilter?: boolean;
}

export function FormFields({ fields, entered, change, isFilter = false }: FormProps) {
  return (
    <div class={isFilter ? 'filters' : 'fields'}>
      {Object.entries(fields).map(
        ([name, field]) =>
          field && (
            <OneField
              key={name}
              name={name}
              field={optionsOf(field)}
              value={entered[name]}
              change={(value) => change({ ...entered, [name]: value })}
              isFilter={isFilter}
            />
          ),
      )}
    </div>
  );
}

interface OneFieldProps {
  readonly name: string;
  readonly field: FieldOptions;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly isFilter: boolean;
}

function OneField(props: OneFieldProps) {
  const { name, field, isFilter } = props;
  const id = useId();
  const help = field.help ? `${id}-help` : undefined;
  const control = <Control {...props} attributes={{ id, name, 'aria-describedby': help }} />;
  return (
    <div class={isFilter ? 'filter' : 'field'}>
      {field.kind === 'checkbox' && control}
      <label for={id}>{field.label ?? label(name)}</label>
      {field.kind !== 'checkbox' && control}
      {help && <small id={help}>{field.help}</small>}
    </div>
  );
}

interface ControlProps extends OneFieldProps {
  readonly attributes: {
    readonly id: string;
    readonly name: string;
    readonly 'aria-describedby': string | undefined;
  };
}

interface EventOf<E> {
  readonly currentTarget: E;
}

function Control({ attributes, field, value, change, isFilter }: ControlProps) {
  const { kind = 'text', isRequired = false, options = [], placeholder } = field;
  const onText = ({ currentTarget }: EventOf<{ readonly value: string }>) =>
    change(isFilter ? currentTarget.value.trim() : currentTarget.value);
  const shared = { ...attributes, required: isRequired };
  const text = { ...shared, value: String(value ?? ''), [isFilter ? 'onChange' : 'onInput']: onText };
  switch (kind) {
    case 'checkbox': {
      const check = ({ currentTarget }: EventOf<{ readonly checked: boolean }>) =>
        change(currentTarget.checked);
      return <input {...attributes} type="checkbox" checked={value === true} onChange={check} />;
    }
    case 'several': {
      const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
      return (
        <fieldset id={attributes.id} aria-label={field.label ?? label(attributes.name)}>
          {options.map(pairOf).map(([each, name]) => (
            <label key={each}>
              <input
                type="checkbox"
                checked={chosen.includes(each)}
                onChange={({ currentTarget: { checked } }) =>
                  change(checked ? [...chosen, each] : chosen.filter((other) => other !== each))
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
      );
    }
    case 'select':
      return (
        <select {...shared} value={selectedValue(options, value)} onChange={onText}>
          {options.map(pairOf).map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      );
    case 'area':
      return <textarea {...text} rows={6} />;
    default:
      return <input autocomplete="off" {...text} {...INPUTS[kind]} placeholder={placeholder} />;
  }
}

export function amountField(currency: string | null | undefined) {
  return { label: texts.common.amountIn(currency ?? ''), kind: 'number', isRequired: true } as const;
}
