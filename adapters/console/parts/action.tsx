import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asError, label, may, useLoad } from '../core/index.ts';
import { explanations, texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { type FieldOrName, Fields, type Values } from './form.tsx';
import { Problem, Show } from './loading.tsx';
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
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  // The user sees the effect of the values before they can be confirmed.
  const [isPreviewed, setPreviewed] = useState(preview === undefined);
  const fields = typeof props.fields === 'function' ? props.fields(values, facts) : (props.fields ?? []);
  const explanation = props.explanation ?? explanations[props.name];

  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setError(null);
    try {
      const result = await run(values, facts);
      close();
      notify(texts.common.done(title));
      props.after?.(result);
    } catch (failure) {
      setError(asError(failure));
      setRunning(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
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
