import { randomUUID } from 'node:crypto';
import type { Uuid } from '../../../lib/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { instant, localDate } from '../../../lib/values/time/index.ts';

export const now = instant(Date.UTC(2026, 0, 31, 23, 30));
export const today = localDate(2026, 2, 1);
/** 29 integer and 9 fraction digits, the most that payments §1.7 rule 8 asks for. */
export const hugeAmount = decimal('12345678901234567890123456789.123456789');
/** More than Latin, more than 16 bits, quotes, a backslash and what JSON and SQL treat as special. */
export const oddText = `Zoë 名前 😀 "double" 'single' \\ back {"a": [1]} $1 ? \t\n end`;

export const newId = (): Uuid => randomUUID() as Uuid;
