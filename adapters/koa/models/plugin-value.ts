import { z } from 'zod';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import { isStorable, NOT_STORABLE } from '../../../lib/values/text/index.ts';
import { perDialect, refuse, type WireType } from '../wire/wire-type.ts';

/** A string. Requests may contain other values, which are stored as JSON (json-models §2). */
export const pluginValue: WireType<string> = {
  request: perDialect(() =>
    z.unknown().transform((value, context): string | null => {
      if (value === undefined || value === null) return null;
      if (typeof value === 'string' && !isStorable(value))
        return refuse(context, { code: ErrorCode.MALFORMED_BODY, text: NOT_STORABLE });
      return typeof value === 'string' ? value : stringifyExactJson(value);
    }),
  ),
  answer: { D: z.string(), K: z.string() },
  json: { type: 'string' },
};
