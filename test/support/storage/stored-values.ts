import { randomUUID } from 'node:crypto';
import type { Uuid } from '../../../lib/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { instant, localDate } from '../../../lib/values/time/index.ts';

export const now = instant(Date.UTC(2026, 0, 31, 23, 30));
export const today = localDate(2026, 2, 1);
/** 29 integer and 9 fraction digits, the maximum of payments §1.7 rule 8. */
export const hugeAmount = decimal('12345678901234567890123456789.123456789');
/** Non-Latin characters, characters beyond 16 bits, quotes, a backslash and special characters of JSON and SQL. */
export const oddText = `Zoë 名前 😀 "double" 'single' \\ back {"a": [1]} $1 ? \t\n end`;

export const newId = (): Uuid => randomUUID() as Uuid;
