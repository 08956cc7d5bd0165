import { useId } from 'preact/hooks';

/** Values of a form by field name: text, also for amounts and dates; `true` or `false` for a checkbox. */
export type Values = Readonly<Record<string, string | boolean>>;

export interface Field {
  readonly name: string;
  readonly label: string;
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
  /** Options of a select: value and label. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly help?: string;
  readonly placeholder?: string;
  readonly rows?: number;
}

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly change: (values: Values) => void;
}

/** The fields of a form with their labels. */
export function Fields({ fields, values, change }: FieldsProps) {
  return (
    <div class="fields">
      {fields.map((field) => (
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
      <label for={id}>{field.label}</label>
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
    case 'select':
      return (
        <select
          {...shared}
          value={String(field.options?.some(([each]) => each === value) ? value : field.options?.[0]?.[0])}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        >
          {field.options?.map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      );
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
