import { useId } from 'preact/hooks';
import { label } from '../core/format.ts';
import { texts } from '../texts.ts';

/** Attributes of the inputs by the kind of the field. */
const INPUTS = {
  text: { type: 'text' },
  amount: { type: 'text', inputMode: 'decimal', pattern: '-?[0-9]+([.][0-9]+)?' },
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

export interface FieldOptions {
  /** Defaults to `text`. An amount is sent as the text that the user typed, so it stays exact. */
  readonly kind?: Kind;
  /** Default: the label of the name. */
  readonly label?: string;
  readonly isRequired?: boolean;
  /** The choices of `select` and `several`. The first one is the default of `select`. */
  readonly options?: readonly Option[];
  readonly help?: string | undefined;
  readonly placeholder?: string;
  readonly rows?: number;
  readonly size?: number;
}

/** A field by its kind alone, `required` for a text that must not be empty, or nothing where it does not apply. */
export type Field = Kind | 'required' | FieldOptions | false;

/** The fields of a form by name. */
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

/** What the user has entered so far, by field name. */
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
  if (kind === 'select') return chosenOf(options, entered);
  const text = String(entered ?? '');
  return (kind.endsWith('password') ? text : text.trim()) || null;
}

function optionsOf(field: Exclude<Field, false>): FieldOptions {
  if (field === 'required') return { isRequired: true };
  return typeof field === 'string' ? { kind: field } : field;
}

const pairOf = (option: Option) => (typeof option === 'string' ? ([option, label(option)] as const) : option);

function chosenOf(options: readonly Option[], entered: unknown): string {
  const values = options.map((option) => pairOf(option)[0]);
  return values.find((each) => each === entered) ?? values[0] ?? '';
}

interface FormProps {
  readonly fields: Fields;
  readonly entered: Entered;
  readonly change: (entered: Entered) => void;
}

/** The fields of a form with their labels. */
export function FormFields({ fields, entered, change }: FormProps) {
  return (
    <div class="fields">
      {Object.entries(fields).map(
        ([name, field]) =>
          field && (
            <OneField
              key={name}
              name={name}
              field={optionsOf(field)}
              value={entered[name]}
              change={(value) => change({ ...entered, [name]: value })}
            />
          ),
      )}
    </div>
  );
}

interface ControlProps {
  readonly name: string;
  readonly field: FieldOptions;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

function OneField(props: ControlProps) {
  const { name, field } = props;
  const id = useId();
  const help = field.help ? `${id}-help` : undefined;
  return (
    <div class={field.kind === 'checkbox' ? 'field checkbox' : 'field'}>
      <label for={id}>{field.label ?? label(name)}</label>
      <Control {...props} attributes={{ id, name, 'aria-describedby': help }} />
      {help && <small id={help}>{field.help}</small>}
    </div>
  );
}

/** A field whose value applies when the input ends, such as a filter of a list. */
export function FilterField(props: Omit<ControlProps, 'field'> & { readonly field: Field }) {
  const id = useId();
  if (props.field === false) return null;
  const field = optionsOf(props.field);
  return (
    <label class="filter" for={id}>
      {field.label ?? label(props.name)}
      <Control {...props} field={field} attributes={{ id }} isLate />
    </label>
  );
}

interface Attributes {
  readonly id: string;
  readonly name?: string;
  readonly 'aria-describedby'?: string | undefined;
}

interface EventOf<E> {
  readonly currentTarget: E;
}

function Control(props: ControlProps & { readonly attributes: Attributes; readonly isLate?: boolean }) {
  const { field, value, change, isLate = false } = props;
  const { kind = 'text', isRequired = false, options = [], rows = 6, placeholder, size } = field;
  const shared = { ...props.attributes, required: isRequired };
  const onText = ({ currentTarget }: EventOf<{ readonly value: string }>) => change(currentTarget.value);
  const text = { ...shared, value: String(value ?? ''), [isLate ? 'onChange' : 'onInput']: onText };
  switch (kind) {
    case 'checkbox':
      return (
        <input
          {...props.attributes}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => change(currentTarget.checked)}
        />
      );
    case 'several':
      return <Several {...props} options={options} chosen={Array.isArray(value) ? value : []} />;
    case 'select':
      return (
        <select {...shared} value={chosenOf(options, value)} onChange={onText}>
          {options.map(pairOf).map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      );
    case 'area':
      return <textarea {...text} rows={rows} />;
    default:
      return <input autocomplete="off" {...text} {...INPUTS[kind]} placeholder={placeholder} size={size} />;
  }
}

interface SeveralProps extends Pick<ControlProps, 'change'> {
  readonly attributes: Attributes;
  readonly options: readonly Option[];
  readonly chosen: readonly unknown[];
}

/** Checkboxes for values of which any number can be chosen. */
function Several({ attributes, options, chosen, change }: SeveralProps) {
  return (
    <fieldset id={attributes.id}>
      {options.map(pairOf).map(([value, name]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) =>
              change([...chosen.filter((each) => each !== value), ...(currentTarget.checked ? [value] : [])])
            }
          />{' '}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** A field for an amount of money. */
export function amountField(currency: string | null | undefined) {
  return { label: texts.common.amountIn(currency ?? ''), kind: 'amount', isRequired: true } as const;
}
