import type { Logger, WorkScope, WorkScopes } from '../../ports/index.ts';

/** Adds to each line on whose behalf it is written; what the line says itself wins. */
export function scopedLogger(logger: Logger, scopes: WorkScopes | undefined): Logger {
  if (scopes === undefined) return logger;
  const told = (fields: object): object => {
    const scope = scopes.current();
    return scope === undefined ? fields : { ...fieldsOf(scope), ...fields };
  };
  return {
    debug: (fields, message) => logger.debug(told(fields), message),
    info: (fields, message) => logger.info(told(fields), message),
    warn: (fields, message) => logger.warn(told(fields), message),
    error: (fields, message) => logger.error(told(fields), message),
  };
}

function fieldsOf({ requestId, traceParent, accounts }: WorkScope): object {
  const requestIds =
    requestId === null && accounts !== undefined
      ? [...new Set([...accounts.values()].flatMap((account) => account.requestId ?? []))]
      : [];
  return {
    ...(requestId === null ? {} : { requestId }),
    ...(requestIds.length === 0 ? {} : { requestIds }),
    ...(traceParent === null ? {} : { traceId: traceIdOf(traceParent) }),
  };
}

/** `00-<trace id>-<span id>-<flags>` */
function traceIdOf(traceParent: string): string | undefined {
  return traceParent.split('-')[1];
}
