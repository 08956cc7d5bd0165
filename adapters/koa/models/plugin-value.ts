import { z } from 'zod';
import { stringifyExactJson } from '../../../lib/money/index.ts';
import type { WireType } from '../wire/wire-type.ts';

/** The value of a plugin property: text; what is not text in a request is kept as its JSON (json-models.md §2). */
export const pluginValue: WireType<string> = {
  request: z.unknown().transform((value): string | null => {
    if (value === undefined || value === null) return null;
    return typeof value === 'string' ? value : stringifyExactJson(value);
  }),
  answer: { D: z.string(), K: z.string() },
  json: { type: 'string' },
};
