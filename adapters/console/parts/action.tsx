import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asError, useLoad } from '../core/index.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { type Field, Fields, type Values } from './form.tsx';
import { Problem, Show } from './loading.tsx';
import { notify } from './notices.tsx';

interface ActionProps<T> {
  /** Label of the button that opens the dialog, and title of the dialog. */
  readonly label: string;
  /** Explains the effect in one or two sentences. */
  readonly explanation?: ComponentChildren;
  /** Loads what the fields, the preview and the change need, when the dialog opens. */
  readonly load?: () => Promise<T>;
  readonly fields?: readonly Field[] | ((values: Values, loaded: T) => readonly Field[]);
  readonly initial?: Values;
  /**
   * Loads what will happen with these values, before the user confirms. It runs again 300 ms after each change of a
   * field. Null shows nothing yet.
   */
  readonly preview?: (values: Values, loaded: T) => Promise<ComponentChildren> | null;
  /** Makes the change. */
  readonly run: (values: Values, loaded: T) => Promise<unknown>;
  /** Text of the notice after the change. Defaults to one that names the action. */
  readonly done?: string;
  /** Called after the change, for example to open the page of a new object. */
  readonly after?: (result: unknown) => void;
  readonly isDangerous?: boolean;
  readonly isPrimary?: boolean;
  readonly confirm?: string;
}

/** A button that opens a dialog with the fields of an action, the preview of its effect, and the button that does it. */
export function Action<T = undefined>(props: ActionProps<T>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class={props.isDangerous ? 'dangerous' : props.isPrimary ? 'primary' : undefined}
        onClick={() => setOpen(true)}
      >
        {props.label}
      </button>
      {isOpen && <ActionDialog {...props} close={() => setOpen(false)} />}
    </>
  );
}

function ActionDialog<T>(props: ActionProps<T> & { readonly close: () => void }) {
  const loaded = useLoad(async () => ({ facts: (await props.load?.()) as T }));
  return (
    <Dialog title={props.label} close={props.close}>
      <Show of={loaded}>{({ facts }) => <ActionForm {...props} facts={facts} />}</Show>
    </Dialog>
  );
}

function ActionForm<T>(props: ActionProps<T> & { readonly close: () => void; readonly facts: T }) {
  const { label, explanation, initial = {}, run, close, preview, facts } = props;
  const [values, setValues] = useState<Values>(initial);
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  // The user sees the effect of the values before they can be confirmed.
  const [isPreviewed, setPreviewed] = useState(preview === undefined);
  const fields = typeof props.fields === 'function' ? props.fields(values, facts) : (props.fields ?? []);

  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setError(null);
    try {
      const result = await run(values, facts);
      close();
      notify(props.done ?? texts.common.done(label));
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
          {isRunning ? texts.common.working : (props.confirm ?? label)}
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
