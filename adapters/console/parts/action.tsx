import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { may, useLoad, useTask } from '../core/data.ts';
import { label } from '../core/format.ts';
import { explanations, texts } from '../texts.ts';
import { Dialog, Problem, Show } from './layout.tsx';
import { notify } from './notices.tsx';

interface ActionProps<T, D> {
  /** Gives the action its label and its explanation in the texts. */
  readonly name: string;
  /** Default: the label of the name. */
  readonly label?: string;
  /** Default: the explanation of the name. */
  readonly explanation?: ComponentChildren;
  /** The permission of the action. Without it, the user does not see the action. */
  readonly needs?: string;
  /** Loads what the fields, the preview and the change need, when the dialog opens. */
  readonly load?: () => Promise<D>;
  readonly fields?: readonly FieldOrName[] | ((values: Values, loaded: D) => readonly FieldOrName[]);
  readonly initial?: Values;
  /**
   * Loads what will happen with these values, before the user confirms. It runs again 300 ms after each change of a
   * field. Null shows nothing yet.
   */
  readonly preview?: (values: Values, loaded: D) => Promise<ComponentChildren> | null;
  /** Makes the change. */
  readonly run: (values: Values, loaded: D) => Promise<T>;
  /** Called after the change, for example to open the page of a new object. */
  readonly after?: (result: T) => void;
  readonly isDangerous?: boolean;
  readonly isPrimary?: boolean;
  /** Label of the button that makes the change. Default: the label of the action. */
  readonly confirm?: string;
}

/** A button that opens a dialog with the fields of an action, the preview of its effect, and the button that does it. */
export function Action<T, D = undefined>(props: ActionProps<T, D>) {
  const [isOpen, setOpen] = useState(false);
  if (props.needs !== undefined && !may(props.needs)) return null;
  const title = props.label ?? label(props.name);
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        class={props.isDangerous ? 'dangerous' : props.isPrimary ? 'primary' : undefined}
        onClick={() => setOpen(true)}
      >
        {title}
      </button>
      {isOpen && (
        <Dialog title={title} close={close}>
          <ActionContent {...props} title={title} close={close} />
        </Dialog>
      )}
    </>
  );
}

interface OpenActionProps<T, D> extends ActionProps<T, D> {
  readonly title: string;
  readonly close: () => void;
}

function ActionContent<T, D>(props: OpenActionProps<T, D>) {
  const loaded = useLoad(async () => ({ facts: (await props.load?.()) as D }));
  return <Show of={loaded}>{({ facts }) => <ActionForm {...props} facts={facts} />}</Show>;
}

function ActionForm<T, D>(props: OpenActionProps<T, D> & { readonly facts: D }) {
  const { title, initial = {}, run, close, preview, facts } = props;
  const [values, setValues] = useState<Values>(initial);
  // The user sees the effect of the values before they can be confirmed.
  const [isPreviewed, setPreviewed] = useState(preview === undefined);
  const fields = typeof props.fields === 'function' ? props.fields(values, facts) : (props.fields ?? []);
  const explanation = props.explanation ?? explanations[props.name];

  const { isRunning, error, start } = useTask(async () => {
    const result = await run(values, facts);
    close();
    notify(texts.common.done(title));
    props.after?.(result);
  });

  return (
    <form onSubmit={start}>
      {explanation !== undefined && <div class="explanation">{explanation}</div>}
      <Fields fields={fields} values={values} change={setValues} />
      {preview !== undefined && (
        <Preview load={(given) => preview(given, facts)} values={values} setShown={setPreviewed} />
      )}
      {error !== null && <Problem error={error} />}
      <footer>
        <button type="button" onClick={close}>
          {texts.common.cancel}
        </button>
        <button
          type="submit"
          class={props.isDangerous ? 'dangerous' : 'primary'}
          disabled={isRunning || !isPreviewed}
        >
          {isRunning ? texts.common.working : (props.confirm ?? title)}
        </button>
      </footer>
    </form>
  );
}

const PAUSE_BEFORE_PREVIEW_MS = 300;

/** What an action would do with the current values. */
function Preview(props: {
  readonly load: (values: Values) => Promise<ComponentChildren> | null;
  readonly values: Values;
  /** Reports whether the preview of the current values, or its error, is on the page. */
  readonly setShown: (isShown: boolean) => void;
}) {
  const { setShown } = props;
  const values = useSettled(props.values);
  const loaded = useLoad(async () => ({ content: await props.load(values) }), [values]);
  const isShown = values === props.values && (loaded.data !== undefined || loaded.error !== null);
  useEffect(() => setShown(isShown), [isShown]);
  return (
    <section class="preview" aria-label={texts.common.preview} aria-live="polite">
      <h3>{texts.common.preview}</h3>
      <Show of={loaded}>{({ content }) => content}</Show>
    </section>
  );
}

/** Returns the values once they have not changed for a moment. */
export function useSettled<T>(values: T): T {
  const [settled, setSettled] = useState(values);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(values), PAUSE_BEFORE_PREVIEW_MS);
    return () => clearTimeout(timer);
  }, [values]);
  return settled;
}

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
