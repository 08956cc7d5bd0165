import { useEffect, useRef, useState } from 'preact/hooks';
import { revision } from './server.ts';

export interface Loaded<T> {
  /** The loaded data, or undefined until the first load. During a reload, this field keeps the previous data. */
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
  /** Loads the data again. */
  reload(): void;
}

/**
 * Loads data now, when a value of `inputs` changes, and after each change made in the console.
 * @param inputs the values that the data depend on: text, numbers, booleans or null.
 * @param keepsData true to keep the previous data while data for other inputs are loaded.
 */
export function useLoad<T>(
  load: () => Promise<T>,
  inputs: readonly unknown[] = [],
  keepsData = false,
): Loaded<T> {
  const key = JSON.stringify(inputs);
  const [state, setState] = useState<{ key: string; data?: T; error: Error | null }>({ key, error: null });
  const [isLoading, setLoading] = useState(true);
  const [asked, setAsked] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const change = revision.value;

  useEffect(() => {
    let isCurrent = true;
    setLoading(true);
    // A synchronous exception in `load` is also reported as an error of the page.
    (async () => latest.current())()
      .then((data) => isCurrent && setState({ key, data, error: null }))
      .catch(
        (error: unknown) =>
          isCurrent &&
          setState((before) => ({ ...(before.key === key ? before : {}), key, error: asError(error) })),
      )
      .finally(() => isCurrent && setLoading(false));
    return () => {
      isCurrent = false;
    };
  }, [key, change, asked]);

  const isLoaded = state.key === key;
  const { data, error } = isLoaded || keepsData ? state : { data: undefined, error: null };
  return { data, error, isLoading: isLoading || !isLoaded, reload: () => setAsked(asked + 1) };
}

/** Returns the state and error of work that the user starts with a button or a form, and a function that starts it. */
export function useTask(work: () => Promise<void>) {
  const [state, setState] = useState<{ isRunning: boolean; error: Error | null }>(IDLE);
  const start = (event: Event) => {
    event.preventDefault();
    setState({ isRunning: true, error: null });
    work()
      .then(() => setState(IDLE))
      .catch((failure: unknown) => setState({ isRunning: false, error: asError(failure) }));
  };
  return { ...state, start };
}

const IDLE = { isRunning: false, error: null };

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
