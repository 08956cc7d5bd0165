/** When an in-arrears period is billed (invoicing §5.3): once it has ended, or as soon as it has begun. */
export const InArrearMode = { DEFAULT: 'DEFAULT', GREEDY: 'GREEDY' } as const;
export type InArrearMode = (typeof InArrearMode)[keyof typeof InArrearMode];
