import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { may, useLoad, useTask } from '../core/data.ts';
import { label } from '../core/format.ts';
import { explanations, texts } from '../texts.ts';
import { type Entered, type Fields, FormFields, isComplete, type ValuesOf, valuesOf } from './form.tsx';
import { Dialog, Problem, Show } from './layout.tsx';
import { notify } from './notices.tsx';

export interface ActionProps<F extends Fields, T, D> {
  readonly name: string;
  /** Default: the label of the name. */
  readonly label?: string;
  /** Default: the explanation of the name. */
  readonly explanation?: ComponentChildren;
  /** The permission of the action. Without it, the user does not see the action. */
  readonly needs?: string;
  /** True if the action does not apply. */
  readonly isHidden?: boolean;
  /** Loads the data for the fields, the preview and the change when the dialog opens. */
  readonly load?: () => Promise<D>;
  readonly fields?: F | ((loaded: D, entered: Entered) => F);
  /** Initial values of the fields. */
  readonly initial?: Entered;
  /**
   * Returns what will happen with these values, before the user confirms. It runs 300 ms after each change of a field,
   * once the form is complete.
   */
  readonly preview?: (values: ValuesOf<F>, loaded: D) => Promise<ComponentChildren> | ComponentChildren;
  readonly run: (values: ValuesOf<F>, loaded: D) => Promise<T>;
  /** Called after the change, for example to open the page of a new object. */
  readonly after?: (result: T) => void;
  readonly isDangerous?: boolean;
  readonly isPrimary?: boolean;
}

/** A button that opens a dialog with the fields of an action, the preview of its effect, and the button that does it. */
export function Action<const F extends Fields, T, D = undefined>(props: ActionProps<F, T, D>) {
  const { name, needs, isHidden, isDangerous, isPrimary } = props;
  const [isOpen, setOpen] = useState(false);
  if (isHidden || (needs !== undefined && !may(needs))) return null;
  const title = props.label ?? label(name);
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        class={isDangerous ? 'dangerous' : isPrimary ? 'primary' : undefined}
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

interface OpenActionProps<F extends Fields, T, D> extends ActionProps<F, T, D> {
  readonly title: string;
  readonly close: () => void;
}

function ActionContent<F extends Fields, T, D>(props: OpenActionProps<F, T, D>) {
  const loaded = useLoad(async () => ({ facts: (await props.load?.()) as D }));
  return <Show of={loaded}>{({ facts }) => <ActionForm {...props} facts={facts} />}</Show>;
}

function ActionForm<F extends Fields, T, D>(props: OpenActionProps<F, T, D> & { readonly facts: D }) {
  const { name, title, initial = {}, fields = {} as F, preview, run, close, facts } = props;
  const [entered, enter] = useState<Entered>(initial);
  // The user sees the effect of the values before they can be confirmed.
  const [isPreviewed, setPreviewed] = useState(preview === undefined);
  const shown = typeof fields === 'function' ? fields(facts, entered) : fields;
  const { isRunning, error, start } = useTask(async () => {
    const result = await run(valuesOf(shown, entered), facts);
    close();
    notify(texts.common.done(title));
    props.after?.(result);
  });
  return (
    <form onSubmit={start}>
      <div class="quiet-text">{props.explanation ?? explanations[name]}</div>
      <FormFields fields={shown} entered={entered} change={enter} />
      {preview !== undefined && (
        <Preview
          load={(given) => isComplete(shown, given) && preview(valuesOf(shown, given), facts)}
          entered={entered}
          setShown={setPreviewed}
        />
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
          {isRunning ? texts.common.working : title}
        </button>
      </footer>
    </form>
  );
}

const PAUSE_BEFORE_PREVIEW_MS = 300;

/** The effect of an action with the current values. */
function Preview(props: {
  readonly load: (entered: Entered) => Promise<ComponentChildren> | ComponentChildren;
  readonly entered: Entered;
  /** Reports whether the preview of the current values, or its error, is on the page. */
  readonly setShown: (isShown: boolean) => void;
}) {
  const { load, entered, setShown } = props;
  const settled = useSettled(entered);
  const loaded = useLoad(async () => ({ content: await load(settled) }), [settled]);
  const isShown = settled === entered && (loaded.data !== undefined || loaded.error !== null);
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
