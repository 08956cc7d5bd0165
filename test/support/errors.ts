/** The code of the error that `work` ends in, `no error` if it ends well; an error without a code is given as it is. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? (Reflect.get(error, 'code') ?? error) : error),
  );
}

/** The same of a function. */
export function codeThrownBy(work: () => unknown): unknown {
  try {
    work();
    return 'no error';
  } catch (error) {
    return error instanceof Error ? (Reflect.get(error, 'code') ?? error) : error;
  }
}

/** The message of the error that `work` ends in, `no error` if it ends well. */
export async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
