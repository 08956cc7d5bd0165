import { isInstance, plainError } from '../../../lib/runtime/index.ts';
import { BillingError, classNameOf, ErrorCode } from '../../../lib/values/errors/index.ts';

/** The one error shape (http-api §12), with exactly these keys. */
export interface ErrorBody {
  readonly className: string;
  readonly code: number;
  readonly message: string;
  readonly causeClassName: string | null;
  readonly causeMessage: string | null;
  readonly stackTrace: readonly StackFrame[];
}

export interface StackFrame {
  readonly className: string;
  readonly fileName: string | null;
  readonly lineNumber: number;
  readonly methodName: string;
  readonly isNativeMethod: boolean;
}

/**
 * The error that a caller sees: one of ours as it is, anything else as an unexpected one without internals; the server's
 * log has these under the id of the request.
 */
export function publicError(error: unknown, requestId: string): BillingError {
  if (isInstance(error, BillingError)) return error;
  return new BillingError({
    code: ErrorCode.UNEXPECTED,
    message: `The request failed for a reason that only the log of the server tells; request id ${requestId}`,
    cause: plainError(error),
  });
}

/** `withStackTrace` is for test mode: traces show internals. */
export function errorBody(error: BillingError, options: { readonly withStackTrace: boolean }): ErrorBody {
  const cause = error.cause instanceof BillingError ? error.cause : null;
  const traced = error.code === ErrorCode.UNEXPECTED && error.cause instanceof Error ? error.cause : error;
  return {
    className: error.className,
    code: error.code,
    message: error.message,
    causeClassName: cause === null ? null : classNameOf(cause.code),
    causeMessage: cause === null ? null : cause.message,
    stackTrace: options.withStackTrace ? framesOf(traced) : [],
  };
}

const frameForm = /^\s*at (?:(.*?) \()?(.*?)(?::(\d+))?(?::\d+)?\)?$/;

function framesOf(error: Error): readonly StackFrame[] {
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s*at /.test(line));
  return lines.map((line) => {
    const match = frameForm.exec(line);
    const [className = '', methodName = ''] = splitName(match?.[1] ?? '');
    const file = match?.[2] ?? null;
    return {
      className,
      fileName: file,
      lineNumber: Number(match?.[3] ?? -1),
      methodName,
      isNativeMethod: file === 'native',
    };
  });
}

function splitName(name: string): readonly [className: string, methodName: string] {
  const at = name.lastIndexOf('.');
  return at < 0 ? ['', name] : [name.slice(0, at), name.slice(at + 1)];
}
